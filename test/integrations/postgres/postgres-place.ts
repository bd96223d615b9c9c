// PostgreSQL as a place of the laws of a target: the rows of a category, read by a query.

import { type PostgresTargetOptions, postgresTarget } from '../../../src/integrations/postgres'
import { serviceTables } from '../../../src/sync/target/sql/sql-tables'
import type { SyncTarget } from '../../../src/sync/target/target'
import type { PlainItem, PlainRow, TestedPlace } from '../../sync/target/target-laws'
import { type TestDatabase, testDatabase } from './test-database'

const ITEMS = `
SELECT to_jsonb(i) AS item FROM feedmill.current_items i
WHERE marketplace = $1 AND feed_category = $2 ORDER BY item_id`

const TABLES = serviceTables({ name: 'test' })

export interface PostgresPlace extends TestedPlace {
  readonly database: TestDatabase
}

/** @param change changes the target of each run */
export async function postgresPlace(
  options: PostgresTargetOptions = {},
  change: (target: SyncTarget, database: TestDatabase) => SyncTarget = target => target,
): Promise<PostgresPlace> {
  const database = await testDatabase()
  const quick = { lockTimeoutMs: 300, retry: { backoffBaseMs: 1, backoffCapMs: 20 }, ...options }
  return {
    database,
    target: () => change(postgresTarget(database.url, quick), database),
    items: async ({ marketplace, categoryId }) => {
      const rows = await database.sql(ITEMS, [marketplace, categoryId])
      return rows.map(
        ({ item }): PlainItem => ({
          row: feedRow(item, 'items')!,
          priority: feedRow((item as PlainRow).priority, 'priorities'),
          group: feedRow((item as PlainRow).item_group, 'item_groups'),
        }),
      )
    },
    drop: () => database.drop(),
  }
}

/** A row under the names of the feed. */
export function feedRow(row: unknown, part: string): PlainRow | null {
  if (row === null) return null
  const cells = row as Record<string, unknown>
  const { columns } = TABLES.find(({ name }) => name === part)!
  return Object.fromEntries(columns.map(({ name, sqlName }) => [name, cells[sqlName]]))
}
