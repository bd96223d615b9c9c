// Reads the header line into column names, and refuses a line that is none. header.ts binds the
// names to a schema.

import { isUtf8 } from 'node:buffer'
import { FeedError } from '../../errors'
import type { FeedSchema } from '../../schema/feed-schema'
import { rowExcerpt } from './bad-row'
import { foreignFormat, foreignHeader, type HeaderCell, otherSeparator } from './foreign-file'
import { nextLine, readRow } from './read-row'

const QUOTE = 0x22
const TAB = 0x09

/**
 * The most columns of a file: many times what any documented feed has. The limit bounds what a
 * hostile header costs for each row.
 */
export const MAX_COLUMNS = 4096

export interface HeaderLine {
  readonly columnNames: readonly string[]
  /** Offset of the line behind it. */
  readonly next: number
}

export interface ReadHeaderOptions {
  /** No input comes after `to`. */
  readonly final: boolean
  /** The most bytes of the header line, its line end included. */
  readonly maxRowBytes: number
  /** The schema of the file; one without columns accepts any header. */
  readonly schema: FeedSchema
}

/**
 * Reads the header line that begins at `from` of the file's first block. Returns undefined while
 * more input is needed.
 * @throws FeedError TSV_HEADER_INVALID
 */
export function readHeader(
  block: Uint8Array,
  from: number,
  to: number,
  options: ReadHeaderOptions,
): HeaderLine | undefined {
  const { final, maxRowBytes, schema } = options
  const isCut = to - from > maxRowBytes
  const limit = isCut ? from + maxRowBytes : to
  const lineEnd = nextLine(block, from, limit)
  const invalid = (reason: string) => {
    const excerpt = rowExcerpt(block.subarray(from, lineEnd < 0 ? limit : lineEnd))
    const context = { row: 0, line: 1, byteOffset: from, excerpt, reason }
    return new FeedError('TSV_HEADER_INVALID', `the header line cannot be read: ${reason}`, context)
  }
  const format = foreignFormat(block.subarray(0, to))
  if (format !== undefined) throw invalid(format)
  const reading = readRow(block, from, limit, {
    final: final && !isCut,
    linesInQuotes: false,
    maxCells: MAX_COLUMNS,
  })
  if (reading.kind === 'incomplete') {
    if (isCut) throw invalid(`longer than the ${maxRowBytes} bytes of maxRowBytes`)
    return undefined
  }
  if (reading.kind === 'bad')
    throw invalid(quotedWithOtherSeparator(block, from, reading.readTo) ?? reading.fault)
  if (reading.cellEnds.length > MAX_COLUMNS) throw invalid(`more than ${MAX_COLUMNS} columns`)
  if (!isUtf8(block.subarray(from, reading.next))) throw invalid('not UTF-8')
  const cells = headerCells(block, from, reading.cellEnds)
  if (cells.length === 1 && cells[0]!.text === '') throw invalid('blank')
  const foreign = foreignHeader(cells, schema)
  if (foreign !== undefined) throw invalid(foreign)
  return { columnNames: cells.map(({ text }) => text), next: reading.next }
}

/** Finds another separator in a line such as `"id","title"`, behind the first closing quote. */
function quotedWithOtherSeparator(
  block: Uint8Array,
  from: number,
  readTo: number,
): string | undefined {
  if (block.subarray(from, readTo).includes(TAB)) return undefined
  return otherSeparator(String.fromCharCode(block[readTo] ?? TAB))
}

function headerCells(block: Uint8Array, from: number, cellEnds: readonly number[]): HeaderCell[] {
  const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  let start = from
  return cellEnds.map(end => {
    const isQuoted = end - start >= 2 && block[start] === QUOTE
    const text = isQuoted
      ? unescapeCell(buffer.toString('utf8', start + 1, end - 1))
      : buffer.toString('utf8', start, end)
    start = end + 1
    return { text, isQuoted }
  })
}

/**
 * Undoes the `\"` and `\\` of a quoted cell (item-feeds.md, section 2.1). A backslash before
 * anything else is kept as written.
 */
function unescapeCell(text: string): string {
  return text.includes('\\') ? text.replace(/\\(["\\])/g, '$1') : text
}
