// Reads one row byte by byte and says exactly what it is. All engines leave it the rows that they
// do not take: a row that the block's end cuts off, a bad row, the header line. The documented
// dialect (item-feeds.md, section 2.1), where D is a tab:
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
// plain. CellRules (dialect.ts) has these differences as bytes.

import type { CellRules } from './dialect'

const LF = 0x0a
const CR = 0x0d

export type RowFault = 'unclosed-quote' | 'text-after-quote'

export type RowReading =
  /** A whole row: where each cell ends (terminator excluded) and where the next row begins. */
  | {
      readonly kind: 'row'
      readonly cellEnds: readonly number[]
      readonly next: number
      readonly innerLines: number
    }
  /** A bad row. `readTo` is the offset of the first byte that was not read. */
  | { readonly kind: 'bad'; readonly fault: RowFault; readonly readTo: number }
  /** The row does not end in the bytes that are there. */
  | { readonly kind: 'incomplete'; readonly insideQuotes: boolean }

export interface ReadRowOptions {
  /** No input comes after `to`: the end of input ends the row. */
  readonly final: boolean
  /** False while the lines of a bad row are read again: a quoted cell must end on its line. */
  readonly linesInQuotes: boolean
  /** Reading stops once a row has more cells than this: it is bad, wherever it ends. */
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
  const { delimiter, quote } = options.cells
  const cellEnds: number[] = []
  let innerLines = 0
  let at = from
  for (;;) {
    if (at < to && block[at] === quote) {
      const end = closingQuote(block, at, to, options)
      if (end < 0) {
        const stop = -end - 1
        return stop < to || options.final
          ? { kind: 'bad', fault: 'unclosed-quote', readTo: stop }
          : { kind: 'incomplete', insideQuotes: true }
      }
      for (let inner = at; inner < end; inner++) if (block[inner] === LF) innerLines++
      at = end + 1
      if (at >= to && !options.final) return { kind: 'incomplete', insideQuotes: false }
      if (block[at] === CR && at + 1 >= to && !options.final)
        return { kind: 'incomplete', insideQuotes: false }
      if (at < to && block[at] !== delimiter && lineEndLength(block, at, to) === 0)
        return { kind: 'bad', fault: 'text-after-quote', readTo: at }
    } else {
      while (at < to && block[at] !== delimiter && block[at] !== LF) at++
      if (at >= to && !options.final) return { kind: 'incomplete', insideQuotes: false }
      if (
        at < to &&
        block[at] === LF &&
        at > from &&
        block[at - 1] === CR &&
        at - 1 >= cellStart(cellEnds, from)
      )
        at--
    }
    cellEnds.push(at)
    if (at >= to) return { kind: 'row', cellEnds, next: to, innerLines }
    if (block[at] !== delimiter)
      return { kind: 'row', cellEnds, next: at + lineEndLength(block, at, to), innerLines }
    at++
    if (cellEnds.length > options.maxCells) return { kind: 'row', cellEnds, next: at, innerLines }
  }
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
    // A row with too many cells is bad wherever it ends, so quotes in its further cells do not
    // count.
    if (byte === delimiter && ++delimiters <= columns && block[at + 1] === quote) return -1
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

function cellStart(cellEnds: readonly number[], from: number): number {
  return cellEnds.length === 0 ? from : cellEnds[cellEnds.length - 1]! + 1
}

/** Returns the offset of the closing quote, or -(offset where the search stopped) - 1. */
function closingQuote(
  block: Uint8Array,
  open: number,
  to: number,
  { linesInQuotes, cells: { quote, escapedBy } }: ReadRowOptions,
): number {
  for (let at = open + 1; at < to; at++) {
    const byte = block[at]
    const isPair = escapedBy === quote && at + 1 < to && block[at + 1] === quote
    if (byte === quote && !isPair) return at
    if (byte === LF && !linesInQuotes) return -at - 1
    if (byte === escapedBy) {
      at++
      if (block[at] === LF && !linesInQuotes) return -at - 1
    }
  }
  return -to - 1
}

function lineEndLength(block: Uint8Array, at: number, to: number): number {
  if (block[at] === LF) return 1
  return block[at] === CR && at + 1 < to && block[at + 1] === LF ? 2 : 0
}
