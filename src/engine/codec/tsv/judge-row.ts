// Says what the row at a position is: a row of the file, a bad row with its reason, or a row whose
// end is not in the block yet.

import type { BadRowReason } from './bad-row-report'
import type { CellRules } from './cell-rules'
import type { InputWindow } from './input-window'
import { type GoodRow, nextLine, type RowFault, readRow } from './read-row'
import type { ScanSpace } from './scan-space'

const LF = 0x0a

/** A bad row: it is not a row of the file. */
export interface LeftOutRow {
  readonly kind: 'left-out'
  readonly reason: BadRowReason
  /** Offset in the block of the next row; -1 where the row does not end before its limit. */
  readonly next: number
  /** Offset in the block of the first byte that was not read. */
  readonly readTo: number
}

/** The block does not hold enough of the row to judge it. */
export interface IncompleteRow {
  readonly kind: 'incomplete'
}
/** A blank line, which the dialect leaves out. */
export interface BlankLine {
  readonly kind: 'blank'
  /** Offset in the block of the next row. */
  readonly next: number
}
const INCOMPLETE: IncompleteRow = { kind: 'incomplete' }

/**
 * Judges the row at the offset `from` of the block, its size and its number of cells included. Its
 * scan has ended there.
 */
export function judgeRow(
  window: InputWindow,
  from: number,
  { columns, isCut: isKnownCut }: ScanSpace,
  maxRowBytes: number,
  cells: CellRules,
): GoodRow | IncompleteRow | LeftOutRow | BlankLine {
  const { bytes, filled, isFinal } = window
  if (from >= filled) return INCOMPLETE
  const isCut = filled - from > maxRowBytes
  if (isKnownCut && !isFinal && !isCut) return INCOMPLETE
  const to = isCut ? from + maxRowBytes : filled
  const reading = readRow(bytes, from, to, {
    final: isFinal && !isCut,
    linesInQuotes: !window.isConfined(from),
    maxCells: columns,
    cells,
  })
  if (reading.kind === 'row') {
    if (reading.cellEnds.length === columns) return reading
    const reason = shortRow(reading, from, columns)
    if (cells.edits?.shortRows === 'fill' && reason.code === 'TSV_ROW_SHORT')
      return filledUp(reading, columns)
    if (cells.edits?.blankLines === 'skip' && reason.code === 'TSV_ROW_BLANK')
      return { kind: 'blank', next: reading.next }
    const next = bytes[reading.next - 1] === LF ? reading.next : -1
    return {
      kind: 'left-out',
      reason,
      next,
      readTo: reading.next,
    }
  }
  if (reading.kind === 'bad') {
    const { fault, next, readTo } = reading
    return { kind: 'left-out', reason: faultReason(fault, columns), next, readTo }
  }
  if (!isCut) return INCOMPLETE
  const { fault, openQuote } = reading
  const reason: BadRowReason =
    fault === undefined && openQuote < 0
      ? { code: 'TSV_ROW_TOO_LARGE', limitBytes: maxRowBytes }
      : faultReason(fault ?? 'unclosed-quote', columns)
  const next = openQuote < 0 ? -1 : nextLine(bytes, openQuote, to)
  return { kind: 'left-out', reason, next, readTo: to }
}

function faultReason(fault: RowFault, columns: number): BadRowReason {
  switch (fault) {
    case 'unclosed-quote':
      return { code: 'TSV_QUOTE_UNCLOSED' }
    case 'text-after-quote':
      return { code: 'TSV_QUOTE_TRAILING_TEXT' }
    case 'too-many-cells':
      return { code: 'TSV_ROW_LONG', cells: columns + 1, columns }
  }
}

/** Adds cells without bytes behind the last one. */
function filledUp({ cellEnds, ...row }: GoodRow, columns: number): GoodRow {
  const missing = new Array<number>(columns - cellEnds.length).fill(cellEnds.at(-1)!)
  return { ...row, cellEnds: [...cellEnds, ...missing] }
}

function shortRow({ cellEnds }: GoodRow, from: number, columns: number): BadRowReason {
  return cellEnds.length === 1 && cellEnds[0] === from
    ? { code: 'TSV_ROW_BLANK' }
    : { code: 'TSV_ROW_SHORT', cells: cellEnds.length, columns }
}
