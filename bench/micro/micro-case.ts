// What a micro case is: one codec over a small input that is made once.

export interface MicroCase {
  readonly name: string
  /** What one run handles. */
  readonly input: string
  /** The size of the input, for MB/s; undefined where a size means nothing. */
  readonly inputBytes: number | undefined
  /** The work. What it returns is used, so that it cannot be left out. */
  run(): unknown
  /** What the first run must return: the case would be fast and wrong otherwise. */
  readonly expected: unknown
}
