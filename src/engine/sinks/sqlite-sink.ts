// A sink that writes the rows of a pipeline to a table of an SQLite file, in one transaction.

import { createRequire } from 'node:module'
import { FeedError } from '../errors'
import { filePath, knownOptions, type OptionNames } from '../options'
import type { Sink } from '../pipeline/sink'
import type { ColumnSpec } from '../schema/column-spec'
import { CASELESS_NAMES } from './column-names'
import { jsonWriter } from './ndjson-sink'
import { decimalText } from './plain-values'
import {
  type ColumnForm,
  namesOf,
  type OwnSchema,
  onConflict,
  sqlIdentifier,
  TABLE_OPTIONS,
  type TableItem,
  type TableName,
  type TableSinkOptions,
} from './table-plan'
import { type TableDatabase, tableSink } from './table-sink'

export type SqliteSinkOptions<N extends string = string, S = OwnSchema> = TableSinkOptions<N, S> & {
  /** @internal */
  readonly open?: OpenSqlite
}

const NAME = 'sqlite'
const OPTIONS: OptionNames<SqliteSinkOptions> = { ...TABLE_OPTIONS, open: true }

/**
 * Makes a sink that writes a table of an SQLite file in one transaction, so that the table appears
 * with all rows when the pipeline has succeeded, and a failure leaves the file as it was. Whole
 * numbers and booleans (0 and 1) are INTEGER, doubles REAL; decimals and timestamps (ISO 8601) are
 * TEXT, so that they stay exact, and lists, aspects and regions are JSON as TEXT. It uses the
 * module `node:sqlite` of Node 22.13 or later, or else the package `better-sqlite3`.
 * @param path the path of the file, in an existing folder
 * @throws FeedError OPTION_INVALID at the call, and for headings that no table can have;
 * DEPENDENCY_MISSING; SINK_FAILED; STATE_FOREIGN for a table that lacks a column of the rows;
 * SINK_VALUE_INVALID for a value that is no row; CELL_INVALID by `onBadCell`; COLUMN_UNKNOWN also
 * for a property that the schema lacks
 * @example
 * ```ts
 * import { itemSchema, sqliteSink } from 'feedmill'
 *
 * const sink = sqliteSink('items.sqlite', { table: 'items', schema: itemSchema, mode: 'replace' })
 * console.log(sink.name)
 * // => sqlite
 * ```
 */
export function sqliteSink<T, const N extends string = never, S extends OwnSchema = OwnSchema>(
  path: string,
  options: SqliteSinkOptions<TableName<NoInfer<T>, N, S>, S>,
): Sink<TableItem<T, S>> {
  const { table, open } = knownOptions(options, OPTIONS)
  filePath('path', path)
  return tableSink(
    {
      name: NAME,
      target: path,
      sqlTable: sqlIdentifier(String(table)),
      hasPrimaryKey: true,
      ...CASELESS_NAMES,
      nameFault: () => undefined,
      formOf,
      open: () => sqliteTable(path, open),
    },
    options as TableSinkOptions,
  )
}

function formOf({ type }: ColumnSpec): ColumnForm {
  if (type === 'int32' || type === 'int64' || type === 'boolean')
    return { sql: 'INTEGER', convert: sqliteValue }
  return { sql: type === 'float64' ? 'REAL' : 'TEXT', convert: sqliteValue }
}

function sqliteTable(path: string, open: OpenSqlite | undefined): TableDatabase {
  let database: SqliteDatabase | undefined
  const run = (sql: string) => void database!.exec(sql)
  // Closing a database rolls an open transaction back.
  const abort = () => {
    database?.close()
    database = undefined
  }
  return {
    begin: () => {
      database = (open ?? loadSqlite())(path)
      // An immediate transaction finds another writer now and not at the end.
      run('BEGIN IMMEDIATE')
    },
    run,
    columnsOf: table => {
      const rows = database!.prepare('SELECT name FROM pragma_table_info(?)').all(table)
      return rows.length === 0
        ? undefined
        : new Set(rows.map(row => CASELESS_NAMES.foldName((row as { readonly name: string }).name)))
    },
    writerOf: plan => {
      const { table, columns } = plan
      const places = columns.map(() => '?').join(', ')
      const insert = database!.prepare(
        `INSERT INTO ${table} (${namesOf(columns)}) VALUES (${places}) ${onConflict(plan)}`,
      )
      return {
        write: values => void insert.run(...(values as SqliteValue[])),
        end: () => undefined,
      }
    },
    commit: () => {
      run('COMMIT')
      abort()
    },
    abort,
  }
}

const writeJson = jsonWriter()

function sqliteValue(value: unknown): SqliteValue {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof Date) return value.toISOString()
  return decimalText(value as object) ?? writeJson(value) ?? null
}

// The adapter of SQLite: the module of Node where this Node has one (22.13 or later), or else the
// optional package better-sqlite3. Both are synchronous, and this is the part that they share.

/** A value of SQLite. */
export type SqliteValue = string | number | bigint | null

export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): {
    run(...values: SqliteValue[]): unknown
    all(...values: SqliteValue[]): readonly unknown[]
  }
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
  const message =
    'sqliteSink needs Node 22.13 or later, or the package better-sqlite3: npm install better-sqlite3'
  throw new FeedError('DEPENDENCY_MISSING', message, context)
}

/** Returns undefined for a module that is not there. */
function loaded(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch {
    return undefined
  }
}
