// A sink that writes the rows of a pipeline to a table of an SQLite file, in one transaction.

import { createRequire } from 'node:module'
import { FeedError } from '../errors'
import { choice, filePath, filledText, knownOptions, type OptionNames } from '../options'
import { elementsOf } from '../pipeline/batch'
import type { Sink } from '../pipeline/sink'
import type { ColumnSpec } from '../schema/column-spec'
import { sinkFailed } from './sink-errors'
import { TableColumns, type TableSinkOptions } from './table-columns'

export interface SqliteSinkOptions extends TableSinkOptions {
  /** @internal */
  readonly open?: OpenSqlite
}

const NAME = 'sqlite'
const NAMES: OptionNames<SqliteSinkOptions> = {
  table: true,
  mode: true,
  schema: true,
  columns: true,
  open: true,
}

/**
 * Makes a sink that writes a table of an SQLite file in one transaction, so that the table appears
 * with all rows when the pipeline has succeeded, and a failure leaves the file as it was. Whole
 * numbers and booleans (0 and 1) are INTEGER, doubles REAL; decimals and timestamps (ISO 8601) are
 * TEXT, so that they stay exact, and lists, aspects and regions are JSON as TEXT. It uses the
 * module
 * `node:sqlite` of Node 22.13 or later, or else the package `better-sqlite3`.
 * @param path the path of the file, in an existing folder
 * @throws FeedError OPTION_INVALID at the call; DEPENDENCY_MISSING; SINK_FAILED;
 * SINK_VALUE_INVALID for a value that is no row; CELL_INVALID, COLUMN_UNKNOWN
 * @example
 * ```ts
 * import { itemSchema, sqliteSink } from 'feedmill'
 *
 * const sink = sqliteSink('items.sqlite', { table: 'items', schema: itemSchema, mode: 'replace' })
 * console.log(sink.name)
 * // => sqlite
 * ```
 */
export function sqliteSink<T>(path: string, options: SqliteSinkOptions): Sink<T> {
  const { table, mode = 'create', open } = knownOptions(options, NAMES)
  filePath('path', path)
  filledText('table', table)
  choice('mode', mode, ['create', 'replace', 'append'])
  let columns = new TableColumns(NAME, options)
  let database: SqliteDatabase | undefined
  let insert: ReturnType<SqliteDatabase['prepare']> | undefined

  /** Does to the table what the mode says, where nothing says the columns of a new one. */
  const withoutColumns = () => {
    if (mode === 'append') return
    if (mode === 'create') database!.exec(`CREATE TABLE ${quoted(table)} (unknown)`)
    database!.exec(`DROP TABLE IF EXISTS ${quoted(table)}`)
  }
  const openTable = () => {
    if (columns.columns === undefined || insert !== undefined) return
    const definition = columns.columns.map(({ name, spec }) => `${quoted(name)} ${typeOf(spec)}`)
    if (mode === 'replace') database!.exec(`DROP TABLE IF EXISTS ${quoted(table)}`)
    const create = mode === 'append' ? 'CREATE TABLE IF NOT EXISTS' : 'CREATE TABLE'
    database!.exec(`${create} ${quoted(table)} (${definition.join(', ')})`)
    const names = columns.columns.map(({ name }) => quoted(name)).join(', ')
    const places = columns.columns.map(() => '?').join(', ')
    insert = database!.prepare(`INSERT INTO ${quoted(table)} (${names}) VALUES (${places})`)
  }
  const guarded = (work: () => void) => {
    try {
      work()
    } catch (cause) {
      throw FeedError.is(cause) ? cause : sinkFailed(NAME, path, cause)
    }
  }
  const close = () => {
    insert = undefined
    database?.close()
    database = undefined
  }
  return {
    name: NAME,
    open: () =>
      guarded(() => {
        columns = new TableColumns(NAME, options)
        database = (open ?? loadSqlite())(path)
        // An immediate transaction finds another writer now and not at the end.
        database.exec('BEGIN IMMEDIATE')
      }),
    write: item =>
      guarded(() => {
        columns.see(item)
        for (const element of elementsOf(item)) {
          const values = columns.valuesOf(element)
          openTable()
          insert!.run(...values.map(sqliteValue))
        }
      }),
    prepare: () => guarded(columns.columns === undefined ? withoutColumns : openTable),
    commit: () =>
      guarded(() => {
        database!.exec('COMMIT')
        close()
      }),
    abort: () => {
      // Closing a database rolls an open transaction back.
      close()
    },
  }
}

function typeOf({ type }: ColumnSpec): 'INTEGER' | 'REAL' | 'TEXT' {
  if (type === 'int32' || type === 'int64' || type === 'boolean') return 'INTEGER'
  return type === 'float64' ? 'REAL' : 'TEXT'
}

function sqliteValue(value: unknown): SqliteValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof Date) return value.toISOString()
  if (isDecimal(value)) return value.text
  return JSON.stringify(value)
}

function isDecimal(value: object): value is { readonly text: string } {
  return typeof (value as { toNumber?: unknown }).toNumber === 'function'
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

// The adapter of SQLite: the module of Node where this Node has one (22.13 or later), or else the
// optional package better-sqlite3. Both are synchronous, and this is the part that they share.

/** A value of SQLite. */
export type SqliteValue = string | number | bigint | null

export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): { run(...values: SqliteValue[]): unknown }
  close(): unknown
}

export type OpenSqlite = (path: string) => SqliteDatabase

type DatabaseClass = new (path: string) => SqliteDatabase

/** @throws FeedError DEPENDENCY_MISSING, with both ways to have SQLite */
export function loadSqlite(load: (name: string) => unknown = loaded): OpenSqlite {
  const builtIn = load('node:sqlite') as { DatabaseSync?: DatabaseClass } | undefined
  const Database = builtIn?.DatabaseSync ?? (load('better-sqlite3') as DatabaseClass | undefined)
  if (Database !== undefined) return path => new Database(path)
  const context = { package: 'better-sqlite3', neededFor: 'sqliteSink' }
  throw new FeedError(
    'DEPENDENCY_MISSING',
    'sqliteSink needs Node 22.13 or later, or the package better-sqlite3: npm install better-sqlite3',
    context,
  )
}

/** Returns undefined for a module that is not there. */
function loaded(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch {
    return undefined
  }
}
