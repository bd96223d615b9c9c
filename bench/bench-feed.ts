// Which file is measured: a seeded item feed of the emulator's world. Only the description, which
// every process of a run is given; writing the file is data.ts.

export interface BenchFeed {
  readonly seed: number
  /** Items of the world; about nine in ten are a row. */
  readonly items: number
  /** How often the world's rows follow each other in the file: 1 but for the largest. */
  readonly copies: number
  /** The file, or the URL that it is served at. */
  readonly path: string
  /** The file's columns, in order. */
  readonly columns: readonly string[]
  readonly rows: number
  readonly rawBytes: number
  readonly gzipBytes: number
  /** SHA-256 of the file before compression, hexadecimal. */
  readonly rawSha256: string
}
