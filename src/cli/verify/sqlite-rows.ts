// Reads a table of an SQLite database: by the module of Node where this Node has one (22.13 or
// later), or else by the program `sqlite3`, which writes the table as CSV.

import { spawn } from 'node:child_process'
import { FeedError } from '../../index'
import { csvRows } from './csv-rows'
import { type OutputRow, unreadable } from './output-row'

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

export async function* sqliteRows(
  path: string,
  table: string,
  sqlite = builtinSqlite(),
): AsyncGenerator<OutputRow, void, void> {
  const query = `SELECT * FROM "${table.replaceAll('"', '""')}"`
  if (sqlite === null) yield* csvRows(printed(path, table, query))
  else yield* moduleRows(sqlite, path, table, query)
}

function builtinSqlite(): SqliteModule | null {
  const { getBuiltinModule } = process as {
    getBuiltinModule?(name: string): SqliteModule | undefined
  }
  return getBuiltinModule?.('node:sqlite') ?? null
}

function* moduleRows(
  { DatabaseSync }: SqliteModule,
  path: string,
  table: string,
  query: string,
): Generator<OutputRow, void, void> {
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      const statement = database.prepare(query)
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
async function* printed(
  path: string,
  table: string,
  query: string,
): AsyncGenerator<string, void, void> {
  const words = ['-readonly', '-batch', '-header', '-csv', path, query]
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
