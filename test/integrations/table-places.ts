// The databases that sinks of tables fill in tests, each with a plain way to look into it.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type Sink, type SqliteSinkOptions, sqliteSink } from '../../src/index'
import { duckdbSink } from '../../src/integrations/duckdb'
import { postgresSink } from '../../src/integrations/postgres'
import { readSqlite, SQLITE_DRIVERS } from '../engine/sinks/sqlite-drivers'
import { runsWithService } from '../services'
import { testDatabase } from './postgres/test-database'

export type Cells = Readonly<Record<string, string | null>>

/** A database with the sink that fills it. */
export interface Place {
  sink(options: SqliteSinkOptions): Sink<unknown>
  /** Runs statements that feedmill does not know. */
  run(sql: string): Promise<unknown>
  /** Returns the rows of a query whose columns are text. */
  read(sql: string): Promise<Cells[]>
  /** Returns the names of the columns of the table `t` that are NOT NULL. */
  required(): Promise<string[]>
  drop(): Promise<unknown>
}

async function duckdbPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-tables-'))
  const path = join(folder, 't.duckdb')
  const read = async (sql: string) => {
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    try {
      const reader = await connection.runAndReadAll(sql)
      const names = reader.columnNames()
      // A column may be called __proto__, which an assignment would lose.
      return reader
        .getRowsJson()
        .map(row => Object.fromEntries(row.map((cell, n) => [names[n], cell]))) as Cells[]
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }
  return {
    sink: options => duckdbSink(path, options),
    run: read,
    read,
    required: async () =>
      (await read('SELECT name FROM pragma_table_info(\'t\') WHERE "notnull"')).map(
        ({ name }) => name!,
      ),
    drop: () => rm(folder, { recursive: true }),
  }
}

async function sqlitePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-tables-'))
  const path = join(folder, 't.sqlite')
  const [, open] = SQLITE_DRIVERS[0]!
  const read = async (sql: string) => readSqlite(path, sql) as Cells[]
  return {
    sink: options => sqliteSink(path, { ...options, open }),
    run: read,
    read,
    required: async () =>
      (await read('SELECT name FROM pragma_table_info(\'t\') WHERE "notnull"')).map(
        ({ name }) => name!,
      ),
    drop: () => rm(folder, { recursive: true }),
  }
}

async function postgresPlace(): Promise<Place> {
  const database = await testDatabase()
  const read = async (sql: string) => (await database.sql(sql)) as Cells[]
  return {
    sink: options => postgresSink(database.url, options),
    run: read,
    read,
    required: async () => {
      const rows = await read(
        `SELECT attname::text AS name FROM pg_attribute
         WHERE attrelid = 't'::regclass AND attnum > 0 AND attnotnull ORDER BY attnum`,
      )
      return rows.map(({ name }) => name!)
    },
    drop: () => database.drop(),
  }
}

export const PLACES: [string, boolean, () => Promise<Place>][] = [
  ['DuckDB', true, duckdbPlace],
  ['SQLite', SQLITE_DRIVERS.length > 0, sqlitePlace],
  ['PostgreSQL', await runsWithService('postgres'), postgresPlace],
]
