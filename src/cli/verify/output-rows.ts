// Reads the output of a program row by row: NDJSON, CSV or a table of an SQLite database. This file is
// the adapter of papaparse for the command line, which cannot use the one of the CSV sink.

import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { FeedError } from '../../index'

/** The cells of a row by the names of their columns. */
export type OutputRow = Readonly<Record<string, unknown>>

/**
 * The error of an output that cannot be read. `verify` takes it as a finding about the program, and
 * every other one as a failure of its own.
 */
function unreadable(expected: string, received: string, cause?: unknown): FeedError {
  const message = `the output must be ${expected}: ${received}`
  const context = { stage: 'verify', expected, received }
  return new FeedError('STAGE_INPUT_INVALID', message, context, { cause })
}

export type OutputFormat = 'ndjson' | 'csv' | 'sqlite'

export interface OutputFile {
  readonly path: string
  readonly format: OutputFormat
  /** The table of an SQLite database. */
  readonly table: string
}

/** The longest line of NDJSON in characters. */
const MAX_LINE_CHARS = 16 * 2 ** 20
const ONE_A_LINE = 'one JSON object in each line'

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
      throw unreadable(ONE_A_LINE, `line ${number} is ${JSON.stringify(line.slice(0, 80))}`)
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
      throw unreadable(ONE_A_LINE, `a line is over ${MAX_LINE_CHARS} characters`)
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Reads CSV with a header line (RFC 4180). papaparse splits the lines. */
async function* csvRows(texts: AsyncIterable<string>): AsyncGenerator<OutputRow, void, void> {
  const { default: papaparse } = await import('papaparse')
  const lines = papaparse.parse(papaparse.NODE_STREAM_INPUT, {
    delimiter: ',',
    skipEmptyLines: true,
  })
  const source = Readable.from(texts)
  source.on('error', error => lines.destroy(error))
  let names: readonly string[] | undefined
  for await (const cells of source.pipe(lines) as AsyncIterable<readonly string[]>) {
    if (names === undefined) names = cells
    else yield Object.fromEntries(names.map((name, n) => [name, cells[n]]))
  }
}

/** The part of node:sqlite that is used here. The types of Node 20 do not have it. */
interface SqliteModule {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(sql: string): {
      iterate?(): Iterable<OutputRow>
      all(): readonly OutputRow[]
      setReadBigInts(enabled: boolean): void
    }
    close(): void
  }
}

const EXPECTED = 'an SQLite database with the table'
const STDERR_CHARS = 300

/**
 * Reads the table by the module of Node where this Node has one (22.13 or later), or else by the
 * program `sqlite3`, which writes the table as CSV.
 */
export async function* sqliteRows(
  path: string,
  table: string,
  sqlite = builtinSqlite(),
): AsyncGenerator<OutputRow, void, void> {
  if (sqlite === null) yield* csvRows(printed(path, table))
  else yield* moduleRows(sqlite, path, table)
}

function queryOf(table: string): string {
  return `SELECT * FROM "${table.replaceAll('"', '""')}"`
}

function builtinSqlite(): SqliteModule | null {
  const { getBuiltinModule } = process as {
    getBuiltinModule?(name: string): SqliteModule | undefined
  }
  return getBuiltinModule?.('node:sqlite') ?? null
}

function* moduleRows({ DatabaseSync }: SqliteModule, path: string, table: string) {
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      const statement = database.prepare(queryOf(table))
      statement.setReadBigInts(true)
      yield* statement.iterate?.() ?? statement.all()
    } finally {
      database.close()
    }
  } catch (cause) {
    throw unreadable(`${EXPECTED} ${table}`, (cause as Error).message, cause)
  }
}

/** Yields what the program prints. */
async function* printed(path: string, table: string): AsyncGenerator<string, void, void> {
  const words = ['-readonly', '-batch', '-header', '-csv', path, queryOf(table)]
  const child = spawn('sqlite3', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | NodeJS.ErrnoException | null>(resolve => {
    child.once('error', resolve)
    child.once('close', resolve)
  })
  let problem = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    problem = (problem + text).slice(0, STDERR_CHARS)
  })
  try {
    yield* child.stdout.setEncoding('utf8') as AsyncIterable<string>
    const end = await ended
    if (end === 0) return
    if (typeof end === 'object' && end?.code === 'ENOENT') throw noSqlite()
    throw unreadable(`${EXPECTED} ${table}`, problem.trim() || String(end))
  } finally {
    child.kill()
  }
}

function noSqlite(): FeedError {
  return new FeedError(
    'DEPENDENCY_MISSING',
    'an SQLite output needs Node 22.13 or later, or the program sqlite3 in the PATH',
    { package: 'sqlite3', neededFor: 'feedmill verify' },
  )
}
