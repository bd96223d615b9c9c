// Where the rows of a batch begin in their file, by their slot in the batch.

import type { RowPosition } from '../../errors'
import { linesIn } from './read-row'
import type { RowIndex } from './scan-space'

/** Returns the position of the row in a slot. */
export type PlaceOf = (slot: number) => RowPosition

/** The position of a row; a file whose path and address are not known has no name. */
export function rowPosition(
  row: number,
  line: number,
  byteOffset: number,
  file: string | undefined,
): RowPosition {
  return file === undefined ? { row, line, byteOffset } : { row, line, byteOffset, file }
}

/** The places of rows of a state, which do not know theirs. */
export const NO_PLACE: PlaceOf = slot => ({ row: slot, line: slot, byteOffset: 0 })

/** Rows that follow each other in their file. */
export interface ConsecutiveRows {
  readonly bytes: Uint8Array
  readonly index: RowIndex
  readonly rows: number
  /** Line ends inside quotes. Where there are none, row and line numbers grow alike. */
  readonly innerLines: number
}

/** @param first the position of the first row */
export function consecutivePlaces(first: RowPosition, of: ConsecutiveRows): PlaceOf {
  const { index, innerLines } = of
  const { rowStarts } = index
  const { row, line, byteOffset, file } = first
  let lines: Float64Array | undefined
  return slot => {
    const lineOfRow = innerLines === 0 ? line + slot : (lines ??= countLines(line, of))[slot]!
    return rowPosition(row + slot, lineOfRow, byteOffset + rowStarts[slot]! - rowStarts[0]!, file)
  }
}

// One pass counts the lines of all rows, so that asking every row for its position takes linear
// time.
function countLines(first: number, { bytes, index, rows }: ConsecutiveRows): Float64Array {
  const lines = new Float64Array(rows)
  lines[0] = first
  for (let slot = 1; slot < rows; slot++)
    lines[slot] =
      lines[slot - 1]! + linesIn(bytes, index.rowStarts[slot - 1]!, index.rowStarts[slot]!)
  return lines
}
