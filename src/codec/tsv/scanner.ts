// The interface of the engines that find cells in a block of bytes, and the space they write to. An
// engine only has to know good rows. At the first row that is not plainly good (cut off, bad, too
// long) it stops, and read-row.ts, shared by all engines, says what that row is. So engines can
// differ in speed only.

import type { Loan } from '../loan'
import type { KeptCells } from './kept-cells'

/** A row has a byte of 0x80 or above. */
export const ROW_NON_ASCII = 1

/**
 * Of a cell's end: its bytes may not be its text. It is clear only where the cell is not quoted and
 * has no byte of 0x80 or above.
 */
export const CELL_MARK = 1 << 31
/** A cell's end without the mark. */
export const CELL_END = 0x7fff_ffff

/**
 * Where the good rows of one block stand. Offsets count from the block's start. Row r begins at
 * `rowStarts[r]`; its cell c ends (terminator excluded) at `cellEnds[r * columns + c] & CELL_END`,
 * and cell c + 1 begins one byte later. The ends that are negative have the CELL_MARK.
 */
export interface RowIndex {
  readonly columns: number
  readonly rowStarts: Uint32Array
  readonly cellEnds: Int32Array
  readonly rowFlags: Uint8Array
}

/** A RowIndex being filled. */
export interface ScanSpace extends RowIndex {
  /** Cells of each row whose ends are wanted: those behind them may be left as they are. */
  readonly wanted: number
  /** Rows that it has room for. */
  readonly maxRows: number
  /** Rows found so far. */
  rows: number
  /** Line ends found inside quotes so far. */
  innerLines: number
}

/** Belongs to one parser. */
export interface TsvScanner {
  readonly name: string

  /** The space that `scan` fills quickest. It is good until the next call, or the next `borrow`. */
  newSpace(columns: number, wanted?: number): ScanSpace

  /**
   * Blocks that lie in this memory are going to be scanned. False where the engine cannot read them
   * where they lie.
   */
  borrow(loan: Loan): boolean

  /**
   * Appends the good rows of `block[from, to)` to `space` until a row is not plainly good or the
   * space is full.
   * @returns the offset where the first row that it did not take begins (`to` when all were taken)
   */
  scan(block: Uint8Array, from: number, to: number, maxRowBytes: number, space: ScanSpace): number

  /** Adds the cells of the rows in the space, which are of this block, to those that are kept. */
  keep(block: Uint8Array, space: ScanSpace, kept: KeptCells): void

  /** Frees what the engine holds. It is not used afterwards. */
  release(): void
}
