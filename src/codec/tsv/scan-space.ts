// The space that a scan fills: its room, rows added by hand, and taking the rows out.

import { COPY_WORD_BYTES } from '../copy-bytes'
import type { RowReading } from './read-row'
import { CELL_MARK, ROW_NON_ASCII, type RowIndex, type ScanSpace } from './scanner'

/** Rows in a batch at the most. */
const MAX_ROWS = 4096
/** Cells in a batch at the most, unless one row has more. */
const MAX_CELLS = 1 << 16

/** Rows that a space has room for, whatever the engine: batches must not depend on it. */
export function maxRowsOf(columns: number): number {
  return Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_CELLS / columns)))
}

/** A space in memory of its own, but for the ends that it is given. */
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

/** Adds one slowly read row to the space. @returns where the next row begins */
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

/** Rows with the bytes that they stand in. */
export interface TakenRows {
  readonly bytes: Uint8Array
  readonly index: RowIndex
}

/**
 * Copies of a space's rows, with offsets that count from the first one's start, and of their bytes:
 * all in one memory, in which nothing else is. Each allocation costs as much as the copy of what is
 * put there.
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
  // Not zeroed before, as a new Uint8Array would be.
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
