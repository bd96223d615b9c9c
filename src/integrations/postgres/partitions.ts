// The partitions of a target's tables: by marketplace, and in each by category, so that a category
// is dropped at once. A writer uses the partition of its category itself.

import type { Category } from '../../sync/index'
import type { PgConnection } from './pg-adapter'
import { PARTS, type Part, type TargetNames } from './sql-names'
import { inTransaction } from './transaction'

/** The tables that a category's rows are written to. */
export function tablesOf(
  names: TargetNames,
  { marketplace, categoryId }: Category,
  isPartitioned: boolean,
): Readonly<Record<Part, string>> {
  const table = (part: Part) =>
    isPartitioned ? names.partition(part, marketplace, categoryId) : names.table(part)
  return {
    items: table('items'),
    item_groups: table('item_groups'),
    priorities: table('priorities'),
  }
}

/** Makes the partitions of a category, where they are missing. */
export async function createPartitions(
  connection: PgConnection,
  names: TargetNames,
  { marketplace, categoryId }: Category,
): Promise<void> {
  await inTransaction(connection, async () => {
    await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [names.lockKey()])
    for (const part of PARTS) {
      const leaf = names.partition(part, marketplace, categoryId)
      const [found] = await connection.query('SELECT to_regclass($1) AS name', [leaf])
      // A new partition locks the whole table, also for its readers, so only a missing one is made.
      if (found?.name !== null) continue
      const ofMarketplace = names.partition(part, marketplace)
      await connection.query(
        `CREATE TABLE IF NOT EXISTS ${ofMarketplace} PARTITION OF ${names.table(part)}
         FOR VALUES IN (${literal(marketplace)}) PARTITION BY LIST (feed_category)`,
      )
      await connection.query(
        `CREATE TABLE ${leaf} PARTITION OF ${ofMarketplace} FOR VALUES IN (${literal(categoryId)})`,
      )
    }
  })
}

/** Removes all rows of a category. */
export async function removeRows(
  connection: PgConnection,
  names: TargetNames,
  category: Category,
  isPartitioned: boolean,
): Promise<void> {
  for (const table of Object.values(tablesOf(names, category, isPartitioned))) {
    if (isPartitioned) await connection.query(`DROP TABLE IF EXISTS ${table}`)
    else
      await connection.query(`DELETE FROM ${table} WHERE marketplace = $1 AND feed_category = $2`, [
        category.marketplace,
        category.categoryId,
      ])
  }
}

/** A statement that defines a table takes no parameters. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
