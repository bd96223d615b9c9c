// Says what the row at a position is: a row of the file, a bad row with its reason, or a row whose
// end is not in the block yet. How cells are read is read-row.ts.

import type { BadRowReason } from './bad-row'
import type { CellRules } from './dialect'
import type { InputWindow } from './input-window'
import { nextLine, type RowFault, readRow } from './read-row'
import type { GoodRow } from './scan-space'

/** A bad row: it is not a row of the file. */
export interface LeftOutRow {
  readonly kind: 'left-out'
  readonly reason: BadRowReason
  /** Offset in the block of the first byte that was not read. */
  readonly readTo: number
}

/** The block does not hold enough of the row to judge it. */
export interface IncompleteRow {
  readonly kind: 'incomplete'
}

const INCOMPLETE: IncompleteRow = { kind: 'incomplete' }

/** Judges the row at the offset `from` of the block, its size and its number of cells included. */
export function judgeRow(
  window: InputWindow,
  from: number,
  columns: number,
  maxRowBytes: number,
  cells: CellRules,
): GoodRow | IncompleteRow | LeftOutRow {
  const { bytes, filled, isFinal } = window
  if (from >= filled) return INCOMPLETE
  const isCut = filled - from > maxRowBytes
  const to = isCut ? from + maxRowBytes : filled
  const reading = readRow(bytes, from, to, {
    final: isFinal && !isCut,
    linesInQuotes: !window.isConfined(from),
    maxCells: columns,
    cells,
  })
  if (reading.kind === 'incomplete') {
    if (!isCut) return INCOMPLETE
    const reason: BadRowReason = reading.insideQuotes
      ? QUOTE_FAULTS['unclosed-quote']
      : { code: 'TSV_ROW_TOO_LARGE', limitBytes: maxRowBytes }
    return { kind: 'left-out', reason, readTo: to }
  }
  const reason =
    reading.kind === 'bad' ? QUOTE_FAULTS[reading.fault] : cellCountFault(reading, from, columns)
  if (reason === undefined) return reading as GoodRow
  // A bad row is left out only when its first line is complete or longer than the limit, because
  // its bytes are reported and reading goes on behind them.
  if (!isFinal && !isCut && nextLine(bytes, from, to) < 0) return INCOMPLETE
  return {
    kind: 'left-out',
    reason,
    readTo: reading.kind === 'bad' ? reading.readTo : reading.next,
  }
}

const QUOTE_FAULTS: Readonly<Record<RowFault, BadRowReason>> = {
  'unclosed-quote': { code: 'TSV_QUOTE_UNCLOSED' },
  'text-after-quote': { code: 'TSV_QUOTE_TRAILING_TEXT' },
}

function cellCountFault(
  { cellEnds }: GoodRow,
  from: number,
  columns: number,
): BadRowReason | undefined {
  const cells = cellEnds.length
  if (cells === columns) return undefined
  if (cells > columns) return { code: 'TSV_ROW_LONG', cells, columns }
  return cells === 1 && cellEnds[0] === from
    ? { code: 'TSV_ROW_BLANK' }
    : { code: 'TSV_ROW_SHORT', cells, columns }
}
