// Merges the rows of one file by the order of their versions, in SQL. The rows stand in their table
// already, with the number of their file, and the removals in a temporary table, all in one
// transaction that is not committed yet. So a file that brings new rows writes them once, and only
// narrow columns are read to find the older of two rows. If you change the order, also change
// codec/merge/version-order.ts.

import type { Category, RowTally } from '../../sync/index'
import { type Database, sqlText } from './database'
import { inCategory, type RowTable } from './tables'

/** The table of the removals that a file brings. */
export const ARRIVED_REMOVALS = 'arrived_removals'

export interface ArrivedFile {
  readonly table: RowTable
  readonly category: Category
  /** The number of the file, which its rows have. */
  readonly sequence: number
  /** The number of rows and of removals that were appended. */
  readonly rows: number
  readonly removals: number
}

const VERSION = (row: string) =>
  `(${row}.version_ms, ${row}.removed, ${row}.generated_ms, ${row}.checksum)`

/**
 * Keeps the newest row of each key. Of two rows of one key in the file only the newer one counts;
 * the other is `stale`. Rows have their rowid as id, and removals a negative one.
 */
export async function mergeFile(database: Database, arrived: ArrivedFile): Promise<RowTally> {
  const { table, category, sequence } = arrived
  const isOfTable = `"table" = '${table.name}' AND ${inCategory(category)}`
  const versions = (condition: string) =>
    `SELECT rowid AS id, ${table.key} AS key, version_ms, false AS removed, generated_ms, checksum
     FROM ${table.name} WHERE ${inCategory(category)} AND ${condition}`
  const removals = (from: string) =>
    `SELECT -1 - rowid AS id, key, version_ms, true AS removed, generated_ms, 0 AS checksum FROM ${from}`
  await database.run(`
    CREATE OR REPLACE TEMP VIEW arrived AS
      ${versions(`file = ${sequence}`)} UNION ALL ${removals(ARRIVED_REMOVALS)};
    CREATE OR REPLACE TEMP TABLE repeated AS
      SELECT id, removed FROM (
        SELECT id, removed, row_number() OVER (
          PARTITION BY key
          ORDER BY version_ms DESC, removed DESC, generated_ms DESC, checksum DESC, id
        ) AS place
        FROM arrived SEMI JOIN (SELECT key FROM arrived GROUP BY key HAVING count(*) > 1) USING (key)
      ) WHERE place > 1;
    CREATE OR REPLACE TEMP TABLE judged AS
      SELECT new.id, new.removed, old.id AS old_id, old.removed AS was_removed,
        new.checksum = old.checksum AS is_same,
        CASE WHEN ${VERSION('new')} > ${VERSION('old')} THEN 1
          WHEN ${VERSION('new')} = ${VERSION('old')} THEN 0 ELSE -1 END AS newer
      FROM (SELECT * FROM arrived WHERE id NOT IN (SELECT id FROM repeated)) AS new
      JOIN (
        ${versions(`file <> ${sequence}`)} UNION ALL ${removals(`removals WHERE ${isOfTable}`)}
      ) AS old USING (key);
    DELETE FROM ${table.name} WHERE rowid IN (
      SELECT id FROM repeated WHERE NOT removed
      UNION ALL SELECT id FROM judged WHERE newer < 1 AND NOT removed
      UNION ALL SELECT old_id FROM judged WHERE newer = 1 AND NOT was_removed
    );
    DELETE FROM removals WHERE rowid IN (
      SELECT -1 - old_id FROM judged WHERE newer = 1 AND was_removed
    );
    INSERT INTO removals
      SELECT ${sqlText(category.marketplace)}, ${sqlText(category.categoryId)}, '${table.name}',
        key, version_ms, generated_ms
      FROM arrived WHERE removed
        AND id NOT IN (SELECT id FROM repeated)
        AND id NOT IN (SELECT id FROM judged WHERE newer < 1);`)
  return tallyOf(database, arrived)
}

/** Counts the judged keys by their effect. The other rows of the file are new to their keys. */
async function tallyOf(database: Database, { rows, removals }: ArrivedFile): Promise<RowTally> {
  const [judged] = await database.rows<Readonly<Record<string, bigint>>>(`
    SELECT
      count_if(NOT removed) AS rows_met,
      count_if(removed) AS removals_met,
      count_if(newer = 1 AND NOT removed AND was_removed) AS revived,
      count_if(newer = 1 AND NOT removed AND NOT was_removed AND NOT is_same) AS updated,
      count_if(newer = 1 AND removed AND NOT was_removed) AS deleted,
      count_if(newer = 0 OR (newer = 1 AND removed AND was_removed)
        OR (newer = 1 AND NOT removed AND NOT was_removed AND is_same)) AS unchanged,
      count_if(newer = -1) AS stale,
      (SELECT count_if(NOT removed) FROM repeated) AS repeated_rows,
      (SELECT count_if(removed) FROM repeated) AS repeated_removals
    FROM judged`)
  const count = (name: string) => Number(judged![name]!)
  return {
    inserted: rows - count('repeated_rows') - count('rows_met') + count('revived'),
    updated: count('updated'),
    deleted: count('deleted'),
    unchanged: count('unchanged') + removals - count('repeated_removals') - count('removals_met'),
    stale: count('stale') + count('repeated_rows') + count('repeated_removals'),
  }
}

/** Returns the number of rows that a category has. */
export async function countRows(
  database: Database,
  { name }: RowTable,
  category: Category,
  condition = 'true',
): Promise<number> {
  const [row] = await database.rows<{ n: bigint }>(
    `SELECT count(*) AS n FROM ${name} WHERE ${inCategory(category)} AND ${condition}`,
  )
  return Number(row?.n ?? 0)
}

/** Removes the rows that are older than a bootstrap, which therefore lacks them. */
export async function sweep(
  database: Database,
  { name, key }: RowTable,
  category: Category,
  condition: string,
  generatedMs: number,
): Promise<void> {
  await database.run(`
    INSERT INTO removals
      SELECT marketplace, top_category_id, '${name}', ${key}, ${generatedMs}, ${generatedMs}
      FROM ${name} WHERE ${inCategory(category)} AND ${condition};
    DELETE FROM ${name} WHERE ${inCategory(category)} AND ${condition};`)
}
