// What a decoder of cells is. cell-decoders.ts has them all.

import type { CellSource } from './cell-source'

export interface CellDecoder<V = unknown> {
  /**
   * The value of an empty cell, and of a column that the file lacks. All rows share it, and that of
   * a built-in kind is frozen.
   */
  readonly empty: V
  /**
   * Decodes a text that is not empty, without quotes and escapes.
   * @throws FeedError CELL_INVALID without a position
   */
  decode(text: string): V
  /**
   * Reads the bytes of a cell, at least one, perhaps only two quotes. `slot` is the place of the
   * row in its batch. It returns undefined
   * where the bytes are not plainly good, and then `decode` decides. So the two can differ in speed
   * only.
   * @throws FeedError CELL_INVALID without a position
   */
  read(source: CellSource, slot: number, start: number, end: number): V | undefined
  /**
   * Returns true where `decode` takes the text of these bytes, at least one, and false where
   * only `read` and `decode` can tell. It makes no value, for those who only check cells.
   */
  readonly isPlain?: (source: CellSource, start: number, end: number) => boolean
}
