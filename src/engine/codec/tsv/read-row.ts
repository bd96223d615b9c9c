// Reads one row byte by byte and says exactly what it is. The scanner leaves it the rows that it
// does not take: a row that the block's end cuts off, a bad row, one that the scanner has no room
// for, and all rows where there is no WebAssembly. The documented dialect (item-feeds.md, section 2.1), where D is a tab:
//
// | where | what | meaning |
// |---|---|---|
// | cell start | `"` | a quoted cell: runs to the next `"` that no backslash precedes |
// | quoted cell | `\` | takes the next byte with it (`\"` is `"`, `\\` is `\`, any other pair is kept as written) |
// | quoted cell | D, LF, CRLF | text |
// | after the closing quote | D, LF, CRLF, end of input | ends the cell; anything else is a bad row |
// | plain cell | `"`, `\`, a lone CR | text |
// | plain cell | D, LF, CRLF | ends the cell |
//
// Another dialect has another D. With doubled quotes a quoted cell runs to the next `"` that no
// other `"` follows, `""` in it is `"`, and a backslash is text. Without quoting every cell is
// plain. CellRules (cell-rules.ts) has these differences as bytes.
//
// A bad row is read to its end, because line ends in its quoted cells do not end it. Text behind a
// closing quote belongs to the cell. A quote is taken for one that never closes where it reaches
// the end of the bytes, or where its cell has a line end and text behind the closing quote: then
// the row ends with the line on which that cell begins.

import type { CellRules } from './cell-rules'
import { closingQuote } from './quoted-cell'

const LF = 0x0a
const CR = 0x0d

export type RowFault = 'unclosed-quote' | 'text-after-quote' | 'too-many-cells'

/** A whole row: where each cell ends (terminator excluded) and where the next row begins. */
export interface GoodRow {
  readonly kind: 'row'
  readonly cellEnds: readonly number[]
  readonly next: number
  readonly innerLines: number
}

export type RowReading =
  | GoodRow
  | BadReading
  /** The row does not end in the bytes that are there. */
  | {
      readonly kind: 'incomplete'
      /** Makes the row bad, however it ends. */
      readonly fault: RowFault | undefined
      /** Offset of the quote that is open, or may be, at the end of the bytes; else -1. */
      readonly openQuote: number
    }

/** A bad row and its first fault. */
export interface BadReading {
  readonly kind: 'bad'
  readonly fault: RowFault
  /** Offset of the first byte that cannot be in a good row. */
  readonly faultAt: number
  /** Where the next row begins, or -1 where no line end comes before the end of the bytes. */
  readonly next: number
  /** Offset of the first byte that was not read. */
  readonly readTo: number
}

export interface ReadRowOptions {
  /** No input comes after `to`: the end of input ends the row. */
  readonly final: boolean
  /** False while the lines of a bad row are read again: a quoted cell must end on its line. */
  readonly linesInQuotes: boolean
  /** A row with more cells is bad. */
  readonly maxCells: number
  readonly cells: CellRules
}

/** Reads the row that begins at `from`, in time linear in the bytes that it passes. */
export function readRow(
  block: Uint8Array,
  from: number,
  to: number,
  options: ReadRowOptions,
): RowReading {
  const { cells, final, maxCells } = options
  const cellEnds: number[] = []
  let innerLines = 0
  let fault: RowFault | undefined
  let faultAt = -1
  let at = from
  const note = (found: RowFault) => {
    if (fault === undefined) faultAt = at
    fault ??= found
  }
  const bad = (next: number): BadReading => ({
    kind: 'bad',
    fault: fault!,
    faultAt,
    next,
    readTo: at,
  })
  for (;;) {
    const start = at
    if (at < to && block[at] === cells.quote) {
      const end = closingQuote(block, at, to, options.cells, options.linesInQuotes)
      at = end < 0 ? -end - 1 : end + 1
      if (end < 0) {
        if (at >= to && !final) return { kind: 'incomplete', fault, openQuote: start }
        note('unclosed-quote')
        return bad(nextLine(block, start, to))
      }
      const lines = linesIn(block, start, end)
      // Text may follow, which would make a quote over more lines one that never closes.
      if (!final && isUndecided(block, at, to))
        return { kind: 'incomplete', fault, openQuote: lines > 0 ? start : -1 }
      if (at < to && block[at] !== cells.delimiter && lineEndLength(block, at, to) === 0) {
        note('text-after-quote')
        if (lines > 0) return bad(nextLine(block, start, to))
        at = plainCellEnd(block, at, to, cells)
      }
      innerLines += lines
    } else at = plainCellEnd(block, at, to, cells)
    if (at >= to && !final) return { kind: 'incomplete', fault, openQuote: -1 }
    if (block[at] === LF && at < to && at > start && block[at - 1] === CR) at--
    if (cellEnds.length === maxCells) note('too-many-cells')
    else cellEnds.push(at)
    if (at >= to || block[at] !== cells.delimiter) break
    at++
  }
  if (at < to) at += lineEndLength(block, at, to)
  if (fault === undefined) return { kind: 'row', cellEnds, next: at, innerLines }
  return bad(block[at - 1] === LF ? at : -1)
}

/** Returns whether the bytes end before it is clear what follows a closing quote. */
function isUndecided(block: Uint8Array, at: number, to: number): boolean {
  return at >= to || (block[at] === CR && at + 1 >= to)
}

function plainCellEnd(block: Uint8Array, from: number, to: number, cells: CellRules): number {
  let at = from
  while (at < to && block[at] !== cells.delimiter && block[at] !== LF) at++
  return at
}

/**
 * Finds a bad row without reading it as one: a line at `from` that ends before `to`, has no quoted
 * cell and a number of cells other than `columns`. Returns where the next line begins, or -1 where
 * `readRow` has to say what the row is. The function makes no objects, because every line of a
 * hostile file can be a bad row.
 */
export function endOfMiscountedLine(
  block: Uint8Array,
  from: number,
  to: number,
  columns: number,
  { delimiter, quote }: CellRules,
): number {
  if (block[from] === quote) return -1
  // Few bytes of a documented file are as small as tabs and line ends.
  const highest = delimiter > LF ? delimiter : LF
  let delimiters = 0
  for (let at = from; at < to; at++) {
    const byte = block[at]!
    if (byte > highest) continue
    if (byte === LF) return delimiters + 1 === columns ? -1 : at + 1
    if (byte !== delimiter) continue
    if (block[at + 1] === quote) return -1
    delimiters++
  }
  return -1
}

/**
 * Returns the offset behind the LF that ends the line at `from`, or -1 where there is none before
 * `to`.
 */
export function nextLine(block: Uint8Array, from: number, to: number): number {
  const lineFeed = block.indexOf(LF, from)
  return lineFeed < 0 || lineFeed >= to ? -1 : lineFeed + 1
}

/** Counts the line ends in `block[from, to)`. */
export function linesIn(block: Uint8Array, from: number, to: number): number {
  let lines = 0
  for (let at = from; at < to; at++) if (block[at] === LF) lines++
  return lines
}

function lineEndLength(block: Uint8Array, at: number, to: number): number {
  if (block[at] === LF) return 1
  return block[at] === CR && at + 1 < to && block[at + 1] === LF ? 2 : 0
}
