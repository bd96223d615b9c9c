// PostgreSQL as a place of the laws of a target: the rows of a category, read by a query.

import { type PostgresTargetOptions, postgresTarget } from '../../../src/integrations/postgres'
import { PART_COLUMNS } from '../../../src/integrations/postgres/sql-types'
import type { SyncTarget } from '../../../src/sync/target/target'
import type { PlainItem, PlainRow, TestedPlace } from '../../sync/target/target-laws'
import { type TestDatabase, testDatabase } from './test-database'

const ITEMS = `
SELECT to_jsonb(i) AS item, to_jsonb(p) AS priority, to_jsonb(g) AS "group"
FROM feedmill.items i
LEFT JOIN feedmill.priorities p ON p.marketplace = i.marketplace AND p.feed_category = i.feed_category
  AND p.item_id = i.item_id AND NOT p.removed
LEFT JOIN feedmill.item_groups g ON g.marketplace = i.marketplace AND g.feed_category = i.feed_category
  AND g.item_group_id = i.primary_item_group_id AND NOT g.removed
WHERE i.marketplace = $1 AND i.feed_category = $2 AND NOT i.removed ORDER BY i.item_id`

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
        ({ item, priority, group }): PlainItem => ({
          row: feedRow(item, 'items')!,
          priority: feedRow(priority, 'priorities'),
          group: feedRow(group, 'item_groups'),
        }),
      )
    },
    drop: () => database.drop(),
  }
}

/** A row under the names of the feed. */
export function feedRow(row: unknown, part: keyof typeof PART_COLUMNS): PlainRow | null {
  if (row === null) return null
  const cells = row as Record<string, unknown>
  return Object.fromEntries(PART_COLUMNS[part].map(({ name, sqlName }) => [name, cells[sqlName]]))
}
