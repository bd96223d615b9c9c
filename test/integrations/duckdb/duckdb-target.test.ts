// The laws of a target, with a DuckDB file.
// Long: it synchronises several worlds with faults.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckdbTarget } from '../../../src/integrations/duckdb'
import { duckdbRows } from '../../duckdb-rows'
import { type PlainItem, type PlainRow, targetLaws } from '../../sync/target/target-laws'

const SEEDS = process.env.FEEDMILL_CRASH === 'all' ? Array.from({ length: 20 }, (_, n) => n) : [0]

targetLaws({
  name: 'DuckDB',
  seeds: SEEDS,
  newPlace: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'feedmill-duckdb-'))
    const path = join(folder, 'items.duckdb')
    return {
      target: () => duckdbTarget(path),
      items: async ({ marketplace, categoryId }) => {
        const rows = await query(
          path,
          `SELECT * FROM current_items
           WHERE marketplace = '${marketplace}' AND feed_category = '${categoryId}'
           ORDER BY item_id`,
        )
        return rows.map(
          ({ priority, item_group, ...row }): PlainItem => ({
            row: plainRow(row)!,
            priority: plainRow(priority),
            group: plainRow(item_group),
          }),
        )
      },
      drop: () => rm(folder, { recursive: true, force: true }),
    }
  },
})

const query = (file: string, sql: string) => duckdbRows(file, sql, { access_mode: 'READ_ONLY' })

/** A row under the names of the feed. A time of DuckDB has no zone in JSON. */
function plainRow(row: unknown): PlainRow | null {
  if (typeof row !== 'object' || row === null) return null
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:/.test(value) ? `${value}Z` : value,
    ]),
  )
}
