// Which file is measured: a seeded item feed of one shape. Only the description, which every
// process of a run is given; writing the file is data.ts.

import type { ShapeName } from './shapes/shape'

export interface BenchFeed {
  readonly shape: ShapeName
  readonly seed: number
  /** What the shape was asked for; of a world about nine items in ten are a row. */
  readonly items: number
  /** How often the shape's rows follow each other in the file: 1 but for the largest. */
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
