// Reads the output of a program row by row: NDJSON, CSV or a table of an SQLite database.

import { createReadStream } from 'node:fs'
import { FeedError } from '../../index'
import { csvRows } from './csv-rows'
import { type OutputRow, unreadable } from './output-row'
import { sqliteRows } from './sqlite-rows'

export type OutputFormat = 'ndjson' | 'csv' | 'sqlite'

export interface OutputFile {
  readonly path: string
  readonly format: OutputFormat
  /** The table of an SQLite database. */
  readonly table: string
}

/** The longest line of NDJSON in characters. */
const MAX_LINE_CHARS = 16 * 2 ** 20

/**
 * Reads the file anew in each call.
 * @throws FeedError STAGE_INPUT_INVALID for an output that cannot be read, DEPENDENCY_MISSING
 */
export function outputRows({ path, format, table }: OutputFile): AsyncIterable<OutputRow> {
  switch (format) {
    case 'ndjson':
      return jsonRows(textOf(path))
    case 'csv':
      return csvRows(textOf(path))
    case 'sqlite':
      return sqliteRows(path, table)
  }
}

async function* textOf(path: string): AsyncGenerator<string, void, void> {
  try {
    let isFirst = true
    for await (const text of createReadStream(path, { encoding: 'utf8' })) {
      yield isFirst ? text.replace(/^\uFEFF/, '') : text
      isFirst = false
    }
  } catch (cause) {
    if (FeedError.is(cause)) throw cause
    throw unreadable('a file', (cause as Error).message, cause)
  }
}

async function* jsonRows(texts: AsyncIterable<string>): AsyncGenerator<OutputRow, void, void> {
  let number = 0
  for await (const line of linesOf(texts)) {
    number++
    if (line.trim() === '') continue
    const value = parsed(line)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw unreadable(
        'one JSON object in each line',
        `line ${number} is ${JSON.stringify(line.slice(0, 80))}`,
      )
    yield value as OutputRow
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let rest = ''
  for await (const text of texts) {
    // Joined text is copied only where a line has ended, so that a long line takes linear time.
    const lines = text.split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop()!
    if (rest.length > MAX_LINE_CHARS)
      throw unreadable(
        'one JSON object in each line',
        `a line is over ${MAX_LINE_CHARS} characters`,
      )
    yield* lines
  }
  if (rest !== '') yield rest
}
