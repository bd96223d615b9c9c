// Passes over what stands before the first line of a file, reads the header line into column names,
// and refuses a line that is none. header.ts binds the names to a schema.

import { isUtf8 } from 'node:buffer'
import { excerpt, FeedError, type RowPosition } from '../../errors'
import type { FeedSchema } from '../../schema/feed-schema'
import { foreignBody, isText } from '../body-kind'
import { foreignEncoding, QUOTES_AS_TEXT, rowExcerpt } from './bad-row-report'
import type { CellEditor } from './cell-editor'
import type { CellRules } from './cell-rules'
import type { FileRules } from './dialect'
import { countKnownNames, MAX_COLUMNS } from './header'
import type { InputWindow } from './input-window'
import { quotedText } from './quoted-cell'
import { type BadReading, nextLine, type RowFault, readRow } from './read-row'

const LF = 0x0a
const CR = 0x0d
/** CR CR LF is what a program makes of CRLF that makes CRLF of each LF. */
const RETURNS = 'a line end is CR alone or CR CR LF: convert line ends to LF'

const FAULTS: Readonly<Record<RowFault, string>> = {
  'unclosed-quote': `unclosed-quote: ${QUOTES_AS_TEXT}`,
  'text-after-quote': `text-after-quote: ${QUOTES_AS_TEXT}`,
  'too-many-cells': `more than ${MAX_COLUMNS} columns`,
}

export interface HeaderLine {
  readonly columnNames: readonly string[]
  /** Offset in the block of the line behind it. */
  readonly next: number
  /** Its lines: a quoted name may have line ends. */
  readonly lines: number
}

export interface ReadHeaderOptions {
  /** The most bytes of the header line, its line end included. */
  readonly maxRowBytes: number
  /** The schema of the file; one without columns accepts any header. */
  readonly schema: FeedSchema
  readonly cells: CellRules
  readonly editor: CellEditor | undefined
  readonly encoding: string | undefined
}

/**
 * Moves a window at the start of a file past a byte order mark.
 * @param isTable true where the caller says that the file is a table, whatever it begins with
 * @param inItsEncoding the first bytes of the file as they are, where these are not UTF-8
 * @throws FeedError TSV_HEADER_INVALID where the file is of another format
 */
export function passMark(
  window: InputWindow,
  { comment, isJson }: FileRules,
  isTable: boolean,
  inItsEncoding: Uint8Array | undefined,
): void {
  const { bytes, filled } = window
  const start = bytes.subarray(0, filled)
  const place = { ...window.positionOf(0), row: 0 }
  const own = inItsEncoding && foreignBody(inItsEncoding, '', isJson)
  const reason = isTable ? undefined : (own ?? foreignBody(start, place.file, isJson))
  const isComment = start[0] === comment && isText(start)
  if (reason !== undefined && !isComment) throw headerInvalid(reason, place)
  const hasMark = filled >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  if (hasMark) window.advance(3, 0, 0)
}

/**
 * Moves the window past comments and blank lines, as the dialect says. Returns false while more input
 * is needed to see the header line or the first row.
 */
export function passComments(window: InputWindow, { comment, cells }: FileRules): boolean {
  const { bytes, filled, isFinal } = window
  const passesBlank = cells.edits?.blankLines === 'skip'
  while (window.at < filled) {
    const first = bytes[window.at]
    const isCut = passesBlank && first === CR && window.at + 1 === filled && !isFinal
    if (isCut) return false
    const lineEnd = first === CR ? bytes[window.at + 1] : first
    const isBlank = passesBlank && lineEnd === LF && window.at + (first === CR ? 1 : 0) < filled
    if (first !== comment && !isBlank) return true
    window.discardLine()
  }
  return false
}

/**
 * Reads the header line at the window's position, which `place` is in the file. Returns undefined
 * while more input is needed.
 * @throws FeedError TSV_HEADER_INVALID
 */
export function readHeader(
  { bytes: block, at: from, filled, isFinal }: InputWindow,
  place: RowPosition,
  { maxRowBytes, schema, cells: rules, editor, encoding }: ReadHeaderOptions,
): HeaderLine | undefined {
  const isCut = filled - from > maxRowBytes
  const limit = isCut ? from + maxRowBytes : filled
  const lineEnd = nextLine(block, from, limit)
  const invalid = (reason: string) => {
    const excerpt = rowExcerpt(block.subarray(from, lineEnd < 0 ? limit : lineEnd))
    return headerInvalid(reason, { ...place, excerpt })
  }
  const reading = readRow(block, from, limit, {
    final: isFinal && !isCut,
    linesInQuotes: true,
    maxCells: MAX_COLUMNS,
    cells: rules,
  })
  if (reading.kind === 'incomplete') {
    if (!isCut) return undefined
    const tooLong = `longer than the ${maxRowBytes} bytes of maxRowBytes`
    if (reading.openQuote >= 0) throw invalid(`${tooLong}; ${QUOTES_AS_TEXT}`)
    throw invalid(block.subarray(from, limit).includes(CR) ? RETURNS : tooLong)
  }
  if (reading.kind === 'bad')
    throw invalid(otherFormat(block, from, reading, rules) ?? FAULTS[reading.fault])
  const line = block.subarray(from, reading.next)
  if (!isUtf8(line)) throw invalid(foreignEncoding(line, encoding))
  const cells = headerCells(block, from, reading.cellEnds, rules, editor)
  if (cells.length === 1 && cells[0]!.text === '')
    throw invalid('blank: remove the lines before the header line')
  const foreign = foreignHeader(cells, schema, rules)
  if (foreign !== undefined) throw invalid(foreign)
  const lines = reading.innerLines + 1
  return { columnNames: cells.map(({ text }) => text), next: reading.next, lines }
}

/**
 * Refuses a file whose first row ends at `end` in CR CR LF. In a file whose header line ends in
 * CRLF the first CR is text of the row.
 * @throws FeedError TSV_HEADER_INVALID
 */
export function checkLineEnd(block: Uint8Array, end: number, place: RowPosition): void {
  if (block[end - 1] === CR && block[end] === CR) throw headerInvalid(RETURNS, place)
}

/**
 * Finds line ends that are CR, and another delimiter in a line such as `"id","title"`, behind the
 * first closing quote.
 */
function otherFormat(
  block: Uint8Array,
  from: number,
  { fault, faultAt }: BadReading,
  rules: CellRules,
): string | undefined {
  const before = block.subarray(from, faultAt)
  if (block[faultAt] === CR || (fault === 'too-many-cells' && before.includes(CR))) return RETURNS
  if (before.includes(rules.delimiter)) return undefined
  return otherDelimiter(String.fromCharCode(block[faultAt] ?? rules.delimiter), rules)
}

function headerCells(
  block: Uint8Array,
  from: number,
  cellEnds: readonly number[],
  { quote, escapedBy }: CellRules,
  editor: CellEditor | undefined,
): HeaderCell[] {
  const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  let start = from
  return cellEnds.map(end => {
    const isQuoted = end - start >= 2 && block[start] === quote
    const text = editor
      ? editor.textOf(buffer, start, end)
      : isQuoted
        ? quotedText(buffer, start, end, quote, escapedBy)
        : buffer.toString('utf8', start, end)
    start = end + 1
    return { text, isQuoted }
  })
}

export function headerInvalid(
  reason: string,
  position: RowPosition,
): FeedError<'TSV_HEADER_INVALID'> {
  const message = `the start of the file cannot be read: ${reason}`
  return new FeedError('TSV_HEADER_INVALID', message, { ...position, reason })
}

// Recognises files of another dialect by their header line, and says what to put into the options.
// Without this check the parser would read such a file as one column, or with its first row taken
// for the column names.

const DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '|': 'pipe',
  '\t': 'tab',
}

/** Names the other delimiter in a line of one cell. Returns undefined where the line has none. */
export function otherDelimiter(line: string, { delimiter }: CellRules): string | undefined {
  const [most] = Object.keys(DELIMITERS)
    .filter(other => other.charCodeAt(0) !== delimiter)
    .map(other => ({ other, count: line.split(other).length - 1 }))
    .sort((a, b) => b.count - a.count)
  if (most === undefined || most.count === 0) return undefined
  const option = most.other === '\t' ? '\\t' : most.other
  return `the file looks ${DELIMITERS[most.other]}-separated: give the parser dialect: { delimiter: '${option}' }, with quoting: 'doubled' for CSV of RFC 4180 (a single column of that name is read when its name is quoted or in the schema)`
}

/** Cells that are never column names: URLs, item ids (item-feeds.md, section 2.2), timestamps. */
const DATA = /^(https?:\/\/\S+|v\d+\|\d+\|\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)$/
const NAMED = 'dialect: { header: [...] } names the columns of a file without one'

export interface HeaderCell {
  readonly text: string
  readonly isQuoted: boolean
}

/**
 * Says why these header cells belong to another kind of file. Returns undefined where they may be
 * column names.
 */
export function foreignHeader(
  cells: readonly HeaderCell[],
  schema: FeedSchema,
  rules: CellRules,
): string | undefined {
  const names = cells.map(({ text }) => text)
  // With CR alone the whole of the file would be its header line.
  const last = cells.at(-1)
  if (cells.some(cell => !cell.isQuoted && (cell === last ? /\r/ : /\r./s).test(cell.text)))
    return RETURNS
  if (countKnownNames(schema, names) > 0) return undefined
  const [only] = cells
  const delimiter =
    cells.length === 1 && only && !only.isQuoted ? otherDelimiter(only.text, rules) : undefined
  if (delimiter !== undefined) return delimiter
  if (Object.keys(schema.columns).length > 0) {
    return `none of its columns is in the schema (${schema.name}): give the file's own schema, or none, and see whether it has a header line (${NAMED})`
  }
  const data = names.find(name => DATA.test(name))
  if (data === undefined) return undefined
  return `the file seems to have no header line: ${JSON.stringify(excerpt(data))} is a value and not the name of a column (${NAMED})`
}
