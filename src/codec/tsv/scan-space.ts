// The space that a scan fills: its room, rows added by hand, and taking the rows out.

import type { RowReading } from './read-row'
import { ROW_NON_ASCII, type RowIndex, type ScanSpace } from './scanner'

/** Rows in a batch at the most. */
const MAX_ROWS = 4096
/** Cells in a batch at the most, unless one row has more. */
const MAX_CELLS = 1 << 16

/** Rows that a space has room for, whatever the engine: batches must not depend on it. */
export function maxRowsOf(columns: number): number {
  return Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_CELLS / columns)))
}

/** A space in memory of its own. */
export function newScanSpace(columns: number, maxRows = maxRowsOf(columns)): ScanSpace {
  return {
    columns,
    maxRows,
    rowStarts: new Uint32Array(maxRows),
    cellEnds: new Uint32Array(maxRows * columns),
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
  space.cellEnds.set(row.cellEnds, slot * space.columns)
  space.rowFlags[slot] = block.subarray(from, row.next).some(byte => byte >= 0x80) ? ROW_NON_ASCII : 0
  space.innerLines += row.innerLines
  return row.next
}

/** The rows of a space, with offsets that count from the first one's start. */
export function takeIndex({ columns, rows, rowStarts, cellEnds, rowFlags }: ScanSpace, first: number): RowIndex {
  const index = {
    columns,
    rowStarts: rowStarts.slice(0, rows),
    cellEnds: cellEnds.slice(0, rows * columns),
    rowFlags: rowFlags.slice(0, rows),
  }
  if (first === 0) return index
  for (let row = 0; row < rows; row++) index.rowStarts[row]! -= first
  for (let cell = 0; cell < rows * columns; cell++) index.cellEnds[cell]! -= first
  return index
}
