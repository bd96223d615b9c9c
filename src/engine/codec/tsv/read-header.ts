// Passes over what stands before the first line of a file, reads the header line into column names,
// and refuses a line that is none. header.ts binds the names to a schema.

import { isUtf8 } from 'node:buffer'
import type { RowPosition } from '../../errors'
import type { FeedSchema } from '../../schema/feed-schema'
import { rowExcerpt } from './bad-row'
import type { CellRules } from './dialect'
import {
  checkFormat,
  foreignEncoding,
  foreignHeader,
  type HeaderCell,
  headerInvalid,
  otherDelimiter,
} from './foreign-file'
import { MAX_COLUMNS } from './header'
import type { InputWindow } from './input-window'
import { type BadReading, nextLine, type RowFault, readRow } from './read-row'

const BACKSLASH = 0x5c

const FAULTS: Readonly<Record<RowFault, string>> = {
  'unclosed-quote': 'unclosed-quote',
  'text-after-quote': 'text-after-quote',
  'too-many-cells': `more than ${MAX_COLUMNS} columns`,
}

export interface HeaderLine {
  readonly columnNames: readonly string[]
  /** Offset in the block of the line behind it. */
  readonly next: number
}

export interface ReadHeaderOptions {
  /** The most bytes of the header line, its line end included. */
  readonly maxRowBytes: number
  /** The schema of the file; one without columns accepts any header. */
  readonly schema: FeedSchema
  readonly cells: CellRules
}

/**
 * Moves the window past what stands before the header line or the first row: a byte order mark,
 * and lines that begin with the byte `comment`. Returns false while more input is needed.
 * @throws FeedError TSV_HEADER_INVALID where the file is of another format
 */
export function passStart(window: InputWindow, comment: number): boolean {
  const { bytes, filled } = window
  if (window.baseOffset + window.at === 0) {
    checkFormat(bytes.subarray(0, filled))
    const hasMark = filled >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    if (hasMark) window.advance(3, 0, 0)
  }
  while (window.at < filled && bytes[window.at] === comment) window.discardLine()
  return window.at < filled
}

/**
 * Reads the header line at the window's position, which `place` is in the file. Returns undefined
 * while more input is needed.
 * @throws FeedError TSV_HEADER_INVALID
 */
export function readHeader(
  { bytes: block, at: from, filled, isFinal }: InputWindow,
  place: RowPosition,
  { maxRowBytes, schema, cells: rules }: ReadHeaderOptions,
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
    linesInQuotes: false,
    maxCells: MAX_COLUMNS,
    cells: rules,
  })
  if (reading.kind === 'incomplete') {
    if (isCut) throw invalid(`longer than the ${maxRowBytes} bytes of maxRowBytes`)
    return undefined
  }
  if (reading.kind === 'bad')
    throw invalid(quotedWithOtherDelimiter(block, from, reading, rules) ?? FAULTS[reading.fault])
  const line = block.subarray(from, reading.next)
  if (!isUtf8(line)) throw invalid(foreignEncoding(line))
  const cells = headerCells(block, from, reading.cellEnds, rules)
  if (cells.length === 1 && cells[0]!.text === '') throw invalid('blank')
  const foreign = foreignHeader(cells, schema, rules)
  if (foreign !== undefined) throw invalid(foreign)
  return { columnNames: cells.map(({ text }) => text), next: reading.next }
}

/** Finds another delimiter in a line such as `"id","title"`, behind the first closing quote. */
function quotedWithOtherDelimiter(
  block: Uint8Array,
  from: number,
  { faultAt }: BadReading,
  rules: CellRules,
): string | undefined {
  if (block.subarray(from, faultAt).includes(rules.delimiter)) return undefined
  return otherDelimiter(String.fromCharCode(block[faultAt] ?? rules.delimiter), rules)
}

function headerCells(
  block: Uint8Array,
  from: number,
  cellEnds: readonly number[],
  { quote, escapedBy }: CellRules,
): HeaderCell[] {
  const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  let start = from
  return cellEnds.map(end => {
    const isQuoted = end - start >= 2 && block[start] === quote
    const text = isQuoted
      ? unescapeCell(buffer.toString('utf8', start + 1, end - 1), escapedBy)
      : buffer.toString('utf8', start, end)
    start = end + 1
    return { text, isQuoted }
  })
}

/** Undoes `\"` and `\\` of a quoted cell, or `""` where quotes are doubled. */
function unescapeCell(text: string, escapedBy: number): string {
  return text.replace(escapedBy === BACKSLASH ? /\\(["\\])/g : /"(")/g, '$1')
}
