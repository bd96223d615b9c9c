// The interface of the scan engines, which find cells in a block of bytes, and the space that they
// write to. An engine only has to recognise good rows. It stops at the first row that is not
// plainly good (cut off, bad, too long), and read-row.ts, which all engines share, says what that
// row is. So engines can differ in speed only.

import type { Loan } from '../loan'
import type { ProjectedCells } from './projected-cells'

/** Flag of a row that has a byte of 0x80 or above. */
export const ROW_NON_ASCII = 1

/**
 * Mark in a cell's end: the bytes of the cell may differ from its text. It is clear only where the
 * cell is not quoted and has no byte of 0x80 or above.
 */
export const CELL_MARK = 1 << 31
/** Mask of a cell's end without the mark. */
export const CELL_END = 0x7fff_ffff

/**
 * Offsets of the rows and cells of one block, counted from the block's start. Row r begins at
 * `rowStarts[r]`; its cell c ends (terminator excluded) at `cellEnds[r * columns + c] & CELL_END`,
 * and cell c + 1 begins one byte later. An end that is negative has the CELL_MARK.
 */
export interface RowIndex {
  readonly columns: number
  readonly rowStarts: Uint32Array
  readonly cellEnds: Int32Array
  readonly rowFlags: Uint8Array
}

/** A RowIndex that a scan fills. */
export interface ScanSpace extends RowIndex {
  /**
   * How many leading cells of a row need their ends; an engine may leave out the ends of others.
   */
  readonly wanted: number
  /** The most rows that fit. */
  readonly maxRows: number
  /** Rows found so far. */
  rows: number
  /** Line ends found inside quotes so far, those of rows that were left out included. */
  innerLines: number
}

/** A scan engine. It belongs to one parser. */
export interface TsvScanner {
  readonly name: string

  /** Makes the space that `scan` fills quickest. It is valid until the next call or `borrow`. */
  newSpace(columns: number, wanted?: number): ScanSpace

  /**
   * Announces blocks that lie in this lent memory. Returns false where the engine cannot read them
   * in place.
   */
  borrow(loan: Loan): boolean

  /**
   * Appends the good rows of `block[from, to)` to `space`, up to a row that is not plainly good or
   * until the space is full.
   * @returns the offset of the first row that it did not take, or `to`
   */
  scan(block: Uint8Array, from: number, to: number, maxRowBytes: number, space: ScanSpace): number

  /** Adds the projected cells of all rows in the space, whose bytes are in this block. */
  project(block: Uint8Array, space: ScanSpace, projected: ProjectedCells): void

  /** Frees what the engine holds. It is not used afterwards. */
  release(): void
}
