// Reads the header line: its names as text. Binding them to a schema is header.ts.

import { isUtf8 } from 'node:buffer'
import { FeedError } from '../../errors'
import { rowExcerpt } from './bad-row'
import { unescapeCell } from './cell-text'
import { readRow } from './read-row'

const QUOTE = 0x22

/** More columns than any documented feed has many times over; bounds what a hostile header costs for each row. */
export const MAX_COLUMNS = 4096

export interface HeaderLine {
  readonly headings: readonly string[]
  readonly next: number
}

/**
 * The header line that begins at `from`, or undefined where more input is needed.
 * @throws FeedError TSV_HEADER_INVALID
 */
export function readHeader(block: Uint8Array, from: number, to: number, final: boolean, byteOffset: number): HeaderLine | undefined {
  const invalid = (reason: string) => {
    const position = { row: 0, line: 1, byteOffset, excerpt: rowExcerpt(block.subarray(from, to)) }
    return new FeedError('TSV_HEADER_INVALID', `the header line cannot be read: ${reason}`, { ...position, reason })
  }
  const reading = readRow(block, from, to, { final, linesInQuotes: false, maxCells: MAX_COLUMNS })
  if (reading.kind === 'incomplete') return undefined
  if (reading.kind === 'bad') throw invalid(reading.fault)
  if (reading.cellEnds.length > MAX_COLUMNS) throw invalid(`more than ${MAX_COLUMNS} columns`)
  const line = block.subarray(from, reading.next)
  if (!isUtf8(line)) throw invalid('not UTF-8')
  const headings = headingsOf(block, from, reading.cellEnds)
  if (headings.length === 1 && headings[0] === '') throw invalid('blank')
  return { headings, next: reading.next }
}

function headingsOf(block: Uint8Array, from: number, cellEnds: readonly number[]): string[] {
  const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  let start = from
  return cellEnds.map(end => {
    const quoted = end - start >= 2 && block[start] === QUOTE
    const text = quoted ? unescapeCell(buffer.toString('utf8', start + 1, end - 1)) : buffer.toString('utf8', start, end)
    start = end + 1
    return text
  })
}
