// The adapter of SQLite: the module of Node where this Node has one (22.13 or later), or else the
// optional package better-sqlite3. Both are synchronous, and this is the part that they share.

import { createRequire } from 'node:module'
import { FeedError } from '../errors'

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
