// The space that a scan fills: how many rows fit, adding a row that was read slowly, and copying
// the rows out.

import { COPY_WORD_BYTES } from '../copy-bytes'
import type { RowReading } from './read-row'
import { CELL_MARK, ROW_NON_ASCII, type RowIndex, type ScanSpace } from './scanner'

/** The most rows in a batch. */
const MAX_ROWS = 4096
/** The most cells in a batch, unless one row has more. */
const MAX_CELLS = 1 << 16

/** The most rows in a space. All engines use it, as batches must not depend on the engine. */
export function maxRowsOf(columns: number): number {
  return Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_CELLS / columns)))
}

/** Makes a space in memory of its own, except for the `cellEnds` that the caller gives. */
export function newScanSpace(
  columns: number,
  maxRows = maxRowsOf(columns),
  cellEnds: Int32Array = new Int32Array(maxRows * columns),
): ScanSpace {
  return {
    columns,
    wanted: columns,
    maxRows,
    rowStarts: new Uint32Array(maxRows),
    cellEnds,
    rowFlags: new Uint8Array(maxRows),
    rows: 0,
    innerLines: 0,
  }
}

export type GoodRow = Extract<RowReading, { kind: 'row' }>

/** Adds one row that `readRow` has read to the space. @returns where the next row begins */
export function appendRow(space: ScanSpace, block: Uint8Array, from: number, row: GoodRow): number {
  const slot = space.rows++
  space.rowStarts[slot] = from
  for (let cell = 0; cell < space.columns; cell++)
    space.cellEnds[slot * space.columns + cell] = row.cellEnds[cell]! | CELL_MARK
  let seen = 0
  for (let at = from; at < row.next; at++) seen |= block[at]!
  space.rowFlags[slot] = seen & 0x80 ? ROW_NON_ASCII : 0
  space.innerLines += row.innerLines
  return row.next
}

/** Copied rows: their bytes and their index. */
export interface TakenRows {
  readonly bytes: Uint8Array
  readonly index: RowIndex
}

/**
 * Copies a space's rows and their bytes into one memory that holds nothing else; offsets count from
 * the start of the first row. There is one memory because each allocation costs as much as copying
 * into it.
 */
export function takeRows(
  { columns, rows, rowStarts, cellEnds, rowFlags }: ScanSpace,
  rowBytes: Uint8Array,
): TakenRows {
  const first = rowStarts[0]!
  const bytesAt = rowBytes.byteOffset % COPY_WORD_BYTES
  const cellEndsAt = wordUp(bytesAt + rowBytes.length)
  const rowStartsAt = wordUp(cellEndsAt + 4 * rows * columns)
  const rowFlagsAt = wordUp(rowStartsAt + 4 * rows)
  // A new Uint8Array would be zeroed first, which costs time.
  const { buffer } = Buffer.allocUnsafeSlow(rowFlagsAt + rows)
  const bytes = new Uint8Array(buffer, bytesAt, rowBytes.length)
  const index = {
    columns,
    cellEnds: new Int32Array(buffer, cellEndsAt, rows * columns),
    rowStarts: new Uint32Array(buffer, rowStartsAt, rows),
    rowFlags: new Uint8Array(buffer, rowFlagsAt, rows),
  }
  bytes.set(rowBytes)
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
  return Math.ceil(offset / COPY_WORD_BYTES) * COPY_WORD_BYTES
}
