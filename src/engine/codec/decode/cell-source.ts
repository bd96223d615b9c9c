// The block of bytes that decoders read cells from.

/** A block of bytes with the texts of its cells. */
export interface CellSource {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly view: DataView
  /** The byte before an escaped quote; -1 where quotes are text. */
  readonly escapedBy: number
  /** A cell's text without quotes and escapes. `slot` is the number of its row in the block. */
  textBetween(slot: number, start: number, end: number): string
  /** The text of a cell that is not empty, as a string that shares no memory and may be kept. */
  ownText(start: number, end: number): string
}
