// A sink that writes the rows of a pipeline to a table of an SQLite file, in one transaction.

import { createRequire } from 'node:module'
import { KINDS } from '../codec/kinds/all-kinds'
import { decimalText } from '../codec/kinds/decimal'
import { systemCode } from '../disk/system-calls'
import { FeedError, messageOf, missingPackage } from '../errors'
import { is, type OptionTable, readOptions } from '../options'
import type { Sink } from '../pipeline/sink'
import type { ColumnSpec } from '../schema/column-spec'
import { CASELESS_NAMES } from './column-names'
import { jsonWriter } from './ndjson-sink'
import { cellText } from './plain-values'
import {
  type ColumnForm,
  databasePath,
  namesOf,
  type OwnSchema,
  onConflict,
  type PlannedColumn,
  sqlIdentifier,
  TABLE_OPTIONS,
  type TableItem,
  type TableName,
  type TableSinkOptions,
  UNFIT,
} from './table-plan'
import { type TableDatabase, tableSink } from './table-sink'

export type SqliteSinkOptions<N extends string = string, S = OwnSchema> = TableSinkOptions<N, S> & {
  /** @internal */
  readonly open?: OpenSqlite
}

const NAME = 'sqlite'
const OPTIONS = { ...TABLE_OPTIONS, open: is.any } satisfies OptionTable<SqliteSinkOptions>

/**
 * Makes a sink that writes a table of an SQLite file in one transaction, so that the table appears
 * with all rows when the pipeline has succeeded, and a failure leaves the file as it was, or a new
 * file without the table; after a COMMIT without an answer the error has `mayBeCommitted`. Whole
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
  const { open, ...table } = readOptions(options as SqliteSinkOptions, OPTIONS)
  databasePath(path)
  return tableSink(
    {
      name: NAME,
      target: path,
      file: path,
      hasPrimaryKey: true,
      ...CASELESS_NAMES,
      formOf,
      formIn: (column, type) => ({
        ...column.form,
        convert: value => fitting(column, value, type),
      }),
      open: () => sqliteTable(path, table.table, open),
    },
    table,
  )
}

function formOf({ type }: ColumnSpec): ColumnForm {
  const { scalar } = KINDS[type]
  if (scalar === 'integer' || scalar === 'bigint' || scalar === 'boolean')
    return { sql: 'INTEGER', convert: value => BigInt(value as number | bigint | boolean) }
  if (scalar === 'double precision') return { sql: 'REAL', convert: value => value }
  return { sql: 'TEXT', convert: value => textOf(type, value) }
}

function sqliteTable(path: string, table: string, open: OpenSqlite | undefined): TableDatabase {
  let database: SqliteDatabase | undefined
  const told = <R>(work: () => R): R => {
    try {
      return work()
    } catch (cause) {
      throw failed(path, cause)
    }
  }
  const run = (sql: string) => told(() => database!.exec(sql))
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
    find: () => {
      const all = (sql: string, ...values: string[]) =>
        told(() => database!.prepare(sql).all(...values) as readonly SqliteRow[])
      const columns = all(
        `SELECT c.name, CASE WHEN t.strict THEN 'STRICT ' ELSE '' END || c.type AS type
         FROM pragma_table_list(?) AS t, pragma_table_info(?) AS c WHERE t.schema = 'main'`,
        table,
        table,
      )
      // SQLite deletes all rows of a table that it drops, which the tables that refer to it follow.
      const [child] = all(
        `SELECT m.name, '' AS type FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
         WHERE m.type = 'table' AND lower(f."table") = lower(?) AND lower(m.name) <> lower(?)`,
        table,
        table,
      )
      return {
        sqlTable: `main.${sqlIdentifier(table)}`,
        columns:
          columns.length === 0
            ? undefined
            : new Map(columns.map(({ name, type }) => [CASELESS_NAMES.foldName(name), type])),
        dependents: child && `the table ${child.name} refers to it`,
      }
    },
    writerOf: plan => {
      const { table, columns } = plan
      const places = columns.map(() => '?').join(', ')
      const insert = database!.prepare(
        `INSERT INTO ${table} (${namesOf(columns)}) VALUES (${places}) ${onConflict(plan)}`,
      )
      const keyPlaces = plan.key.map(column => columns.indexOf(column))
      const keys = new Set<string>()
      return {
        write: values => {
          told(() => insert.run(...(values as SqliteValue[])))
          if (keyPlaces.length > 0 && keys.size <= MOST_KEYS)
            keys.add(keyPlaces.map(at => `${String(values[at]).length} ${values[at]}`).join(' '))
          return undefined
        },
        end: () => (keys.size <= MOST_KEYS ? keys.size : undefined),
      }
    },
    commit: () => {
      run('COMMIT')
      abort()
    },
    abort,
  }
}

/** The words of SQLite for another connection that writes, which both drivers pass on. */
const LOCKED = /database (?:table )?is locked/

function failed(target: string, cause: unknown): unknown {
  if (!LOCKED.test(messageOf(cause))) return cause
  const message = `${target} cannot be written: another connection writes to it; run again when that has ended`
  const context = { sink: NAME, target, reason: 'SQLITE_BUSY' }
  return new FeedError('SINK_FAILED', message, context, { cause, retryable: true })
}

/** The most keys of a run that the sink remembers, to count them. */
const MOST_KEYS = 1 << 20
interface SqliteRow {
  readonly name: string
  readonly type: string
}

const writeJson = jsonWriter()

function textOf(type: ColumnSpec['type'], value: unknown): string | null {
  if (typeof value === 'string' && type !== 'json') return value
  if (value instanceof Date) return value.toISOString()
  return decimalText(value as object) ?? writeJson(value) ?? null
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i
/** Digits that a double keeps. */
const DOUBLE_DIGITS = 15

/**
 * Returns what SQLite keeps as the cell in a column that is declared with a type, whose affinity
 * (https://www.sqlite.org/datatype3.html) makes numbers of texts, and texts of numbers.
 */
function fitting({ spec, form }: PlannedColumn, given: unknown, declared: string): unknown {
  const affinity = affinityOf(declared)
  const value = form.convert(given)
  if (form.sql === 'REAL') return affinity === 'text' ? cellText(value) : value
  const text = String(value)
  if (value === null || affinity === 'text' || affinity === 'none' || !NUMBER.test(text))
    return value
  const isNumber = form.sql === 'INTEGER' || spec.type === 'decimal'
  const [whole = '', fraction = ''] = text.split('.')
  const places = fraction.replace(/(?<!0)0+$/, '')
  const plain = !isNumber ? text : places === '' ? whole : `${whole}.${places}`
  const isWhole = /^-?\d+$/.test(plain)
  // A column of doubles writes a point into the text of each number.
  if (isWhole && affinity === 'real' && !isNumber) return UNFIT
  const kept = isWhole
    ? affinity === 'real'
      ? BigInt(Number(plain))
      : BigInt.asIntN(64, BigInt(plain))
    : Number(plain)
  const digits = plain.replace(/^-?[0.]*|\./g, '').length
  return String(kept) === plain && (isWhole || digits <= DOUBLE_DIGITS) ? value : UNFIT
}

/** A column of the type ANY has cells as they are in a table that is STRICT only. */
function affinityOf(declared: string): 'text' | 'none' | 'real' | 'number' {
  if (/INT/i.test(declared)) return 'number'
  if (/CHAR|CLOB|TEXT/i.test(declared)) return 'text'
  if (declared === '' || /^STRICT ANY$|BLOB/i.test(declared)) return 'none'
  return /REAL|FLOA|DOUB/i.test(declared) ? 'real' : 'number'
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

type DatabaseClass = new (path: string, options: { timeout: number }) => SqliteDatabase

/** @throws FeedError DEPENDENCY_MISSING, with both ways to have SQLite */
export function loadSqlite(load: (name: string) => unknown = loaded): OpenSqlite {
  const builtIn = load('node:sqlite') as { DatabaseSync?: DatabaseClass } | undefined
  const Database = builtIn?.DatabaseSync ?? (load('better-sqlite3') as DatabaseClass | undefined)
  // A wait for another writer would block the process.
  if (Database !== undefined)
    return path => {
      try {
        return new Database(path, { timeout: 0 })
      } catch (cause) {
        // The package loads its native part with the first database.
        const { code } = cause as { readonly code?: unknown }
        throw code === undefined || /DLOPEN/.test(`${code}`) ? missingSqlite(cause) : cause
      }
    }
  throw missingSqlite(undefined)
}

function missingSqlite(cause: unknown): FeedError {
  const missing = missingPackage('sqliteSink', 'better-sqlite3', 'better-sqlite3', cause)
  if (cause !== undefined) return missing
  const message =
    'sqliteSink needs Node 22.13 or later, or the package better-sqlite3: npm install better-sqlite3'
  return new FeedError('DEPENDENCY_MISSING', message, missing.context)
}

/** Returns undefined for a module that is not there. */
function loaded(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch (cause) {
    if (/DLOPEN|ACCESS_DENIED/.test(systemCode(cause) ?? '')) throw missingSqlite(cause)
    return undefined
  }
}
