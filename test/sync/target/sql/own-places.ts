// Databases that a feed of one's own goes into, the random worlds that they take, and what stands there.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineSchema, int32 } from '../../../../src/index'
import { duckdbTarget } from '../../../../src/integrations/duckdb'
import { postgresTarget } from '../../../../src/integrations/postgres'
import type { SyncTarget } from '../../../../src/sync/target/target'
import { duckdbRows } from '../../../duckdb-rows'
import { type TestDatabase, testDatabase } from '../../../integrations/postgres/test-database'
import { runsWithService } from '../../../services'
import { type NaiveFile, naiveRows } from '../../source/naive-merge'
import { cellsOf, type SmallFeed, type Stock, schema } from '../../source/small-feed'

export interface Place {
  /** The path or the address of the database. */
  readonly address: string
  target(): SyncTarget
  /** The rows of a table in the order of a column. */
  rows(table: string, order: string): Promise<readonly Record<string, unknown>[]>
  drop(): Promise<void>
}

export interface PostgresPlace extends Place {
  readonly database: TestDatabase
}

export async function duckdbPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'feedmill-own-'))
  const address = join(folder, 'own.duckdb')
  return {
    address,
    target: () => duckdbTarget(address),
    rows: async (table, order) => {
      const rows = await duckdbRows(address, `SELECT * FROM ${table} ORDER BY ${order}`, {
        access_mode: 'READ_ONLY',
      })
      // A map is a list of keys and values in JSON.
      return rows.map(({ invalid, other, ...row }) => ({
        ...row,
        invalid: entriesOf(invalid),
        other: entriesOf(other),
      }))
    },
    drop: async () => rmSync(folder, { recursive: true }),
  }
}

function entriesOf(map: unknown): Record<string, string> {
  const entries = (map ?? []) as readonly { key: string; value: string }[]
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]))
}

export async function postgresPlace(): Promise<PostgresPlace> {
  const database = await testDatabase()
  return {
    database,
    address: database.url,
    target: () => postgresTarget(database.url),
    rows: (table, order) => database.sql(`SELECT * FROM feedmill.${table} ORDER BY ${order}`),
    drop: () => database.drop(),
  }
}

export const hasPostgres = await runsWithService('postgres')

/** The schema of the files of a world, with a column that most of its rows leave empty. */
export const stock = defineSchema({ name: 'stock', columns: { ...schema.columns, extra: int32() } })

/** The source of the files of a world, which are in a feed. */
export function sourceOf(feed: SmallFeed, hasVersion: boolean): Stock {
  const { version, ...rest } = feed.source({ schema: stock as never })
  return hasVersion ? { ...rest, version: version! } : rest
}

/** Returns the files without those that a table with versions refuses: full files that come late. */
export function filesFor({
  files,
  hasVersion,
}: {
  readonly files: readonly NaiveFile[]
  readonly hasVersion: boolean
}): readonly NaiveFile[] {
  if (!hasVersion) return files
  let latest = Number.NEGATIVE_INFINITY
  return files.filter(({ kind, minute }) => {
    if (kind === 'full' && minute < latest) return false
    // Changes of the same minute come behind a full file.
    latest = Math.max(latest, kind === 'full' ? minute : minute + 0.5)
    return true
  })
}

/** The texts of the cells that stand behind files, row by row in the order of their keys. */
export function wantedRows(files: readonly NaiveFile[], hasVersion: boolean): readonly string[][] {
  return naiveRows(files, hasVersion).map(({ row }) => {
    const [title, sku, gone, revision, extra] = cellsOf(row)
    return [sku!, revision!, gone!, title!, extra!]
  })
}

/** The texts of the cells that stand in a place. */
export async function foundRows(place: Place): Promise<readonly string[][]> {
  const rows = await place.rows('stock', 'sku')
  return rows.map(row => Object.keys(stock.columns).map(name => textOf(row, name)))
}

/** The text of a cell as its file had it. */
function textOf(row: Record<string, unknown>, name: string): string {
  const invalid = (row.invalid ?? {}) as Record<string, string>
  return invalid[name] ?? String(row[name] ?? '')
}
