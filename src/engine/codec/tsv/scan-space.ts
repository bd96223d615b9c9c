// The space that a scan fills: where the rows and cells of a block are. A scan only has to recognise
// good rows. It stops at the first row that is not plainly good (cut off, bad, too long), and
// judge-row.ts says what that row is.

import { copyInto, type Memory, WORD_BYTES } from '../memory'
import type { CellRules } from './cell-rules'
import type { GoodRow } from './read-row'

/** Flag of a row that has a byte of 0x80 or above. */
export const ROW_NON_ASCII = 1
/**
 * Flag of a row that is left out. It has a place in the index, so that the rows behind it keep
 * their numbers, and batches do not show it.
 */
export const ROW_LEFT_OUT = 2

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
   * How many leading cells of a row need their ends; a scan may leave out the ends of others.
   */
  readonly wanted: number
  /** The most rows that fit. */
  readonly maxRows: number
  /** Rows found so far. */
  rows: number
  /** Line ends found inside quotes so far, those of rows that are left out included. */
  innerLines: number
  /**
   * The last scan came upon a row that does not end in its bytes. Where it does not know, it is
   * false.
   */
  isCut: boolean
}

/** The most rows in a batch. */
const MAX_ROWS = 4096
/** The most cells in a batch, unless one row has more. */
const MAX_CELLS = 1 << 16

/** The most rows in a space. */
export function maxRowsOf(columns: number): number {
  return Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_CELLS / columns)))
}

/** Makes a space in memory of its own. */
export function newScanSpace(columns: number): ScanSpace {
  const maxRows = maxRowsOf(columns)
  return {
    columns,
    wanted: columns,
    maxRows,
    rowStarts: new Uint32Array(maxRows),
    cellEnds: new Int32Array(maxRows * columns),
    rowFlags: new Uint8Array(maxRows),
    rows: 0,
    innerLines: 0,
    isCut: false,
  }
}

/** Adds one row that `readRow` has read to the space. @returns where the next row begins */
export function appendRow(
  space: ScanSpace,
  block: Uint8Array,
  from: number,
  row: GoodRow,
  { quote }: CellRules,
): number {
  const { columns, cellEnds } = space
  const slot = space.rows++
  space.rowStarts[slot] = from
  let seen = 0
  let at = from
  for (let cell = 0; cell < columns; cell++) {
    const end = row.cellEnds[cell]!
    const isQuoted = at < end && block[at] === quote
    let bits = 0
    for (; at < end; at++) bits |= block[at]!
    seen |= bits
    cellEnds[slot * columns + cell] = isQuoted || bits >= 0x80 ? end | CELL_MARK : end
    at = end + 1
  }
  space.rowFlags[slot] = seen >= 0x80 ? ROW_NON_ASCII : 0
  space.innerLines += row.innerLines
  return row.next
}

/** Adds one row that is left out; its cells are empty. */
export function appendLeftOut(space: ScanSpace, from: number): void {
  const slot = space.rows++
  space.rowStarts[slot] = from
  for (let cell = 0; cell < space.columns; cell++)
    space.cellEnds[slot * space.columns + cell] = from + cell
  space.rowFlags[slot] = ROW_LEFT_OUT
}

/** Returns the rows of a space that are not left out; undefined where that is all of them. */
export function rowsInView({ rows, rowFlags }: ScanSpace): Uint32Array | undefined {
  if (!rowFlags.subarray(0, rows).includes(ROW_LEFT_OUT)) return undefined
  const slots = new Uint32Array(rows)
  let kept = 0
  for (let slot = 0; slot < rows; slot++) if (rowFlags[slot] !== ROW_LEFT_OUT) slots[kept++] = slot
  return slots.slice(0, kept)
}

/** Makes an index of so many rows, which is not filled. */
export function newIndex(columns: number, rows: number, memory: Memory): RowIndex {
  const cells = rows * columns
  const { buffer, byteOffset: at } = memory.take(4 * cells + 5 * rows)
  return {
    columns,
    cellEnds: new Int32Array(buffer, at, cells),
    rowStarts: new Uint32Array(buffer, at + 4 * cells, rows),
    rowFlags: new Uint8Array(buffer, at + 4 * cells + 4 * rows, rows),
  }
}

/** Copied rows: their bytes and their index. */
export interface TakenRows {
  readonly bytes: Uint8Array
  readonly index: RowIndex
}

/**
 * Copies a space's rows and their bytes into one memory that holds nothing else; offsets count from
 * the start of the first row.
 */
export function takeRows(
  { columns, rows, rowStarts, cellEnds, rowFlags }: ScanSpace,
  rowBytes: Uint8Array,
): TakenRows {
  const first = rowStarts[0]!
  const cellEndsAt = wordUp(rowBytes.length)
  const rowStartsAt = wordUp(cellEndsAt + 4 * rows * columns)
  const rowFlagsAt = wordUp(rowStartsAt + 4 * rows)
  // A new Uint8Array would be zeroed first, which costs time.
  const { buffer } = Buffer.allocUnsafeSlow(rowFlagsAt + rows)
  const bytes = new Uint8Array(buffer, 0, rowBytes.length)
  const index = {
    columns,
    cellEnds: new Int32Array(buffer, cellEndsAt, rows * columns),
    rowStarts: new Uint32Array(buffer, rowStartsAt, rows),
    rowFlags: new Uint8Array(buffer, rowFlagsAt, rows),
  }
  copyInto(bytes, 0, rowBytes)
  index.cellEnds.set(cellEnds.subarray(0, rows * columns))
  index.rowStarts.set(rowStarts.subarray(0, rows))
  index.rowFlags.set(rowFlags.subarray(0, rows))
  if (first !== 0) {
    for (let row = 0; row < rows; row++) index.rowStarts[row]! -= first
    for (let cell = 0; cell < rows * columns; cell++) index.cellEnds[cell]! -= first
  }
  return { bytes, index }
}

function wordUp(offset: number): number {
  return Math.ceil(offset / WORD_BYTES) * WORD_BYTES
}
