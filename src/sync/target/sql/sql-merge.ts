// Judges the rows that arrive in SQL that every database runs, by what a version is made of alone:
// each file is read once for the heads of its rows, which wait in a table of their own, and once more
// for the rows that stand. So a row is written once, or not at all. The order of versions
// is that of codec/merge/version-order.ts, or of a feed of one's own that of state/runs/merge-runs.ts,
// and the kinds are those of codec/merge/register.ts. If you change a kind or an order, also change
// those files.
//
// Files may arrive together. A key is judged as if they came one after the other: a row is a step
// where it is newer than all rows before it, and what it does depends on the step before. So each
// file counts what a merge of its own would.

import { sqlIdentifier } from '../../../engine/index'
import type { Category } from '../../file-id'
import type { RowTally } from '../target'
import type { GatheredFile, SqlFiles } from './sql-rows'
import { type SqlConnection, type SqlWords, sqlText } from './sql-store'
import { type HeadName, type RowTable, waitingTable } from './sql-tables'

/** What the merge says of each row whose key has more than one. */
const JUDGED = 'feedmill_judged'

export interface ArrivedFiles extends Omit<SqlFiles, 'files'> {
  readonly gathered: readonly GatheredFile[]
  /** The time of a full file of a feed of one's own: the rows of earlier files count no more. */
  readonly fullMs: number | undefined
}

/** The condition for the rows of a category. */
export function inCategory({ marketplace, categoryId }: Category): string {
  return `marketplace = ${sqlText(marketplace)} AND feed_category = ${sqlText(categoryId)}`
}

/** What a version is made of, but for the checksum of the row. */
export function versionHeads({ heads }: RowTable): readonly HeadName[] {
  return heads.filter(name => !/^(?:marketplace|feed_category|checksum)$/.test(name))
}

/**
 * Removes the rows that lose to those that have arrived, and brings in the removals.
 * @returns what each file does
 */
export async function mergeArrived(
  words: SqlWords,
  connection: SqlConnection,
  files: ArrivedFiles,
): Promise<RowTally[]> {
  const judged = words.temporary(JUDGED)
  await judge(words, connection, files)
  // A planner without statistics takes a table of the transaction for a small one.
  await connection.query(`ANALYZE ${judged}`)
  const found = await connection.query(
    `SELECT file, kind, count(*) AS keys FROM ${judged} WHERE stood IS NULL GROUP BY file, kind
     UNION ALL
     SELECT file, CASE WHEN removed THEN 'removals' ELSE 'rows' END, count(*)
     FROM ${judged} WHERE stood IS NULL GROUP BY file, removed`,
  )
  const counts = new Map(found.map(({ file, kind, keys }) => [`${file} ${kind}`, Number(keys)]))
  await replace(words, connection, files)
  return files.gathered.map(({ rows, removals }, n) => {
    const count = (kind: string) => counts.get(`${files.sequence + n} ${kind}`) ?? 0
    return {
      inserted: rows - count('rows') + count('inserted'),
      updated: count('updated'),
      deleted: count('deleted'),
      unchanged: removals - count('removals') + count('unchanged'),
      stale: count('stale'),
    }
  })
}

/** Returns the places of the rows that do not stand, in their order, by the numbers of their files. */
export async function placesOfLosers(
  words: SqlWords,
  { query }: SqlConnection,
): Promise<ReadonlyMap<number, Float64Array>> {
  const found = await query(
    `SELECT file, string_agg(CAST(place AS varchar), ',' ORDER BY place) AS places
     FROM ${words.temporary(JUDGED)} WHERE stood IS NULL AND NOT stands AND NOT removed GROUP BY file`,
  )
  return new Map(
    found.map(({ file, places }) => [
      Number(file),
      Float64Array.from(String(places).split(','), Number),
    ]),
  )
}

/**
 * Judges the rows whose keys have more than one. Of the rows of one key in one file the newest
 * counts, and the others are stale.
 */
async function judge(
  words: SqlWords,
  connection: SqlConnection,
  { table, category, sequence, fullMs }: ArrivedFiles,
): Promise<void> {
  const { rowId, rowIdType } = words
  const judged = words.temporary(JUDGED)
  const key = sqlIdentifier(table.key.sqlName)
  const heads = versionHeads(table).join(', ')
  const waiting = waitingTable(words, table)
  const isMet = (name: string) =>
    `${inCategory(category)} AND file < ${sequence} AND ${name} IN (SELECT key FROM ${waiting})`
  // What a full file stands for is older than all of its rows.
  const order = [...(fullMs === undefined ? [] : [`generated_ms >= ${fullMs}`]), ...table.order]
  const newestFirst = order.map(name => `${name} DESC`).join(', ')
  await connection.query(
    `CREATE TEMPORARY TABLE IF NOT EXISTS ${JUDGED} (stood ${rowIdType}, place bigint, file integer,
       removed boolean, stands boolean, kind ${words.headTypeOf('name')})`,
  )
  await connection.query(`DELETE FROM ${judged}`)
  await connection.query(`
INSERT INTO ${judged} (stood, place, file, removed, stands, kind)
WITH met AS MATERIALIZED (
  SELECT ${rowId} AS stood, CAST(NULL AS bigint) AS place, ${key} AS key, false AS removed, checksum, ${heads}
  FROM ${words.table(table.name)} WHERE ${isMet(key)}
  UNION ALL
  SELECT ${rowId}, NULL, key, true, 0, ${heads} FROM ${words.table('removals')}
  WHERE row_table = ${sqlText(table.name)} AND ${isMet('key')}
), found AS NOT MATERIALIZED (
  SELECT CAST(NULL AS ${rowIdType}) AS stood, place, key, removed, checksum, ${heads} FROM ${waiting}
  UNION ALL SELECT * FROM met
), placed AS (
  SELECT *,
    row_number() OVER (PARTITION BY key, file ORDER BY ${newestFirst}) = 1 AS counts,
    dense_rank() OVER (PARTITION BY key ORDER BY ${order.join(', ')}) AS version
  FROM found WHERE key IN (SELECT key FROM found GROUP BY key HAVING count(*) > 1)
), compared AS (
  SELECT *, coalesce(max(version) OVER (
    PARTITION BY key, counts ORDER BY file ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ), 0) AS best
  FROM placed
), judged AS (
  SELECT *, counts AND version > best AS is_step FROM compared
), steps AS (
  SELECT *,
    lag(removed) OVER steps AS was_removed,
    lag(checksum) OVER steps AS was_checksum,
    lead(version) OVER steps IS NULL AS is_last
  FROM judged
  WINDOW steps AS (PARTITION BY key, is_step ORDER BY file)
)
SELECT stood, place, file, removed, is_step AND is_last,
  CASE WHEN NOT is_step THEN CASE WHEN counts AND version = best THEN 'unchanged' ELSE 'stale' END
    WHEN coalesce(was_removed, true) THEN CASE WHEN removed THEN 'unchanged' ELSE 'inserted' END
    WHEN removed THEN 'deleted'
    WHEN checksum = was_checksum THEN 'unchanged' ELSE 'updated' END
FROM steps`)
}

/** Removes the rows and removals that lose, and brings in the removals that stand. */
async function replace(
  words: SqlWords,
  { query }: SqlConnection,
  { table, category }: ArrivedFiles,
): Promise<void> {
  const removals = words.table('removals')
  const judged = words.temporary(JUDGED)
  for (const [from, which] of [
    [words.table(table.name), 'NOT j.removed'],
    [removals, 'j.removed'],
  ])
    await query(
      `DELETE FROM ${from} AS t USING ${judged} AS j
       WHERE t.${words.rowId} = j.stood AND NOT j.stands AND ${which}`,
    )
  const heads = versionHeads(table).join(', ')
  const place = [category.marketplace, category.categoryId, table.name].map(sqlText).join(', ')
  await query(
    `INSERT INTO ${removals} (marketplace, feed_category, row_table, key, ${heads})
     SELECT ${place}, key, ${heads} FROM ${waitingTable(words, table)} AS w
     WHERE w.removed AND NOT EXISTS (SELECT 1 FROM ${judged} AS j
       WHERE j.file = w.file AND j.place = w.place AND NOT j.stands)`,
  )
}

/**
 * Removes what a full file lacks, once it is judged: the rows that are older than it. Those of
 * the service leave a removal of its time, so that no older row of another file brings them back.
 * @returns the number of the rows
 */
export async function sweep(
  words: SqlWords,
  connection: SqlConnection,
  { table, category, sequence }: ArrivedFiles,
  timeMs: number,
  isOwn: boolean,
): Promise<number> {
  const rows = words.table(table.name)
  const removals = words.table('removals')
  const where = `WHERE ${inCategory(category)} AND ${isOwn ? 'generated_ms' : 'time_ms'} < ${timeMs}`
  const [found] = await connection.query(`SELECT count(*) AS rows FROM ${rows} ${where}`)
  const lacking = Number(found!.rows)
  if (isOwn)
    await connection.query(
      `DELETE FROM ${removals} ${where} AND row_table = ${sqlText(table.name)}`,
    )
  else if (lacking > 0)
    await connection.query(
      `INSERT INTO ${removals} (marketplace, feed_category, row_table, key, file, time_ms, generated_ms)
       SELECT marketplace, feed_category, ${sqlText(table.name)}, ${sqlIdentifier(table.key.sqlName)},
         ${sequence}, ${timeMs}, ${timeMs} FROM ${rows} ${where}`,
    )
  if (lacking > 0) await connection.query(`DELETE FROM ${rows} ${where}`)
  return lacking
}

/** Returns the number of rows that a category has. */
export async function countRows(
  words: SqlWords,
  connection: SqlConnection,
  { name }: RowTable,
  category: Category,
): Promise<number> {
  const [found] = await connection.query(
    `SELECT count(*) AS rows FROM ${words.table(name)} WHERE ${inCategory(category)}`,
  )
  return Number(found!.rows)
}
