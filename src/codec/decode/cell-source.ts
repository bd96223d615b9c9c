// Where a decoder reads a cell straight from the file's bytes.

/** The block of bytes that cells stand in. */
export interface CellSource {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly view: DataView
  /** A cell's text, quotes and escapes undone. `slot` is its row's. */
  textBetween(slot: number, start: number, end: number): string
  /** The text of a cell that is not empty, sharing memory with nothing: for what is kept. */
  ownText(start: number, end: number): string
}
