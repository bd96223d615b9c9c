// Merges the rows that have arrived into their table, in SQL that every database runs. Only what a
// version is made of is compared; a row as a whole is read where it is written. The order of versions
// is that of codec/merge/version-order.ts, or of a feed of one's own that of state/runs/merge-runs.ts,
// and the kinds are those of codec/merge/register.ts. If you change a kind or an order, also change
// those files.
//
// Files may arrive together. A key is judged as if they came one after the other: a row is a step
// where it is newer than all rows before it, and what it does depends on the step before. So each
// file counts what a merge of its own would, and each row is written once.

import { sqlIdentifier } from '../../../engine/index'
import type { Category } from '../../file-id'
import type { RowTally } from '../target'
import { type LoadedFile, type SqlConnection, type SqlWords, sqlText } from './sql-store'
import { columnsOfTable, type HeadName, type RowTable } from './sql-tables'

/** What the merge says of each row whose key has more than one. */
const JUDGED = 'feedmill_judged'

export interface ArrivedFiles {
  readonly table: RowTable
  readonly category: Category
  /** The number of the first file. */
  readonly sequence: number
  readonly loaded: readonly LoadedFile[]
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

/** The name of the table in which the rows of a table wait for the merge, or the removals alone. */
export function waitingTable(words: SqlWords, { name }: RowTable): string {
  return words.temporary(`feedmill_${name}`)
}

/** Keeps the newest row of each key, and returns what each file did. */
export async function mergeArrived(
  words: SqlWords,
  connection: SqlConnection,
  files: ArrivedFiles,
): Promise<RowTally[]> {
  await judge(words, connection, files)
  // A planner without statistics takes a table of the transaction for a small one.
  await connection.query(`ANALYZE ${words.temporary(JUDGED)}`)
  const found = await connection.query(
    `SELECT file, kind, count(*) AS keys FROM ${words.temporary(JUDGED)} WHERE NOT stood GROUP BY file, kind
     UNION ALL
     SELECT file, CASE WHEN removed THEN 'removals' ELSE 'rows' END, count(*)
     FROM ${words.temporary(JUDGED)} WHERE NOT stood GROUP BY file, removed`,
  )
  const counts = new Map(found.map(({ file, kind, keys }) => [`${file} ${kind}`, Number(keys)]))
  await write(words, connection, files)
  return files.loaded.map(({ rows, removals }, n) => {
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

/**
 * Judges the rows whose keys have more than one. Of the rows of one key in one file the newest
 * counts, and the others are stale.
 */
async function judge(
  words: SqlWords,
  connection: SqlConnection,
  { table, category, sequence, fullMs }: ArrivedFiles,
): Promise<void> {
  const { rowId, arriveInPlace } = words
  const rows = words.table(table.name)
  const waiting = waitingTable(words, table)
  const judged = words.temporary(JUDGED)
  const key = sqlIdentifier(table.key.sqlName)
  const here = inCategory(category)
  const heads = versionHeads(table).join(', ')
  const row = (stood: boolean, removed = 'false') =>
    `${rowId} AS id, ${key} AS key, ${removed} AS removed, ${stood} AS stood, checksum, ${heads}`
  const removal = (stood: boolean) => `${rowId}, key, true, ${stood}, 0, ${heads}`
  const arrived = arriveInPlace
    ? `SELECT ${row(false)} FROM ${rows} WHERE ${here} AND file >= ${sequence}
       UNION ALL SELECT ${removal(false)} FROM ${waiting}`
    : `SELECT ${row(false, 'removed')} FROM ${waiting}`
  const isMet = (name: string) =>
    `${here} AND file < ${sequence} AND ${name} IN (SELECT key FROM arrived)`
  // What a full file stands for is older than all of its rows.
  const order = [...(fullMs === undefined ? [] : [`generated_ms >= ${fullMs}`]), ...table.order]
  const newestFirst = order.map(name => `${name} DESC`).join(', ')
  await connection.query(
    `CREATE TEMPORARY TABLE IF NOT EXISTS ${JUDGED} (id ${words.rowIdType}, file integer,
       removed boolean, stood boolean, stands boolean, kind ${words.headTypeOf('name')})`,
  )
  await connection.query(`DELETE FROM ${judged}`)
  await connection.query(`
INSERT INTO ${judged} (id, file, removed, stood, stands, kind)
WITH arrived AS (
  ${arrived}
), met AS (
  SELECT ${row(true)} FROM ${rows} WHERE ${isMet(key)}
  UNION ALL
  SELECT ${removal(true)} FROM ${words.table('removals')}
  WHERE row_table = ${sqlText(table.name)} AND ${isMet('key')}
), contested AS (
  SELECT key FROM (SELECT key FROM arrived UNION ALL SELECT key FROM met) AS keys
  GROUP BY key HAVING count(*) > 1
), placed AS (
  SELECT *,
    row_number() OVER (PARTITION BY key, file ORDER BY ${newestFirst}) = 1 AS counts,
    dense_rank() OVER (PARTITION BY key ORDER BY ${order.join(', ')}) AS place
  FROM (SELECT * FROM arrived UNION ALL SELECT * FROM met) AS rows
  WHERE key IN (SELECT key FROM contested)
), compared AS (
  SELECT *, coalesce(max(place) OVER (
    PARTITION BY key, counts ORDER BY file ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ), 0) AS best
  FROM placed
), steps AS (
  SELECT *,
    lag(removed) OVER steps AS was_removed,
    lag(checksum) OVER steps AS was_checksum,
    lead(place) OVER steps IS NULL AS is_last
  FROM compared WHERE counts AND place > best
  WINDOW steps AS (PARTITION BY key ORDER BY file)
)
SELECT id, file, removed, stood, is_last,
  CASE WHEN coalesce(was_removed, true) THEN CASE WHEN removed THEN 'unchanged' ELSE 'inserted' END
    WHEN removed THEN 'deleted'
    WHEN checksum = was_checksum THEN 'unchanged' ELSE 'updated' END
FROM steps
UNION ALL
SELECT id, file, removed, stood, false,
  CASE WHEN counts AND place = best THEN 'unchanged' ELSE 'stale' END
FROM compared WHERE NOT (counts AND place > best)`)
}

/** Removes the rows that lose, and brings in those that stand. */
async function write(
  words: SqlWords,
  connection: SqlConnection,
  { table, category }: ArrivedFiles,
): Promise<void> {
  const { rowId, arriveInPlace } = words
  const rows = words.table(table.name)
  const removals = words.table('removals')
  const waiting = waitingTable(words, table)
  const judged = words.temporary(JUDGED)
  const remove = (from: string, which: string) =>
    connection.query(
      `DELETE FROM ${from} AS t USING ${judged} AS j WHERE t.${rowId} = j.id AND NOT j.stands AND ${which}`,
    )
  const isLeft = (which: string) =>
    `NOT EXISTS (SELECT 1 FROM ${judged} AS j WHERE j.id = w.${rowId} AND NOT j.stood AND NOT j.stands AND ${which})`
  await remove(rows, arriveInPlace ? 'NOT j.removed' : 'NOT j.removed AND j.stood')
  await remove(removals, 'j.removed AND j.stood')
  const heads = versionHeads(table).join(', ')
  const key = arriveInPlace ? 'key' : sqlIdentifier(table.key.sqlName)
  const place = [category.marketplace, category.categoryId, table.name].map(sqlText).join(', ')
  await connection.query(
    `INSERT INTO ${removals} (marketplace, feed_category, row_table, key, ${heads})
     SELECT ${place}, ${key}, ${heads} FROM ${waiting} AS w
     WHERE ${arriveInPlace ? '' : 'w.removed AND '}${isLeft('j.removed')}`,
  )
  if (arriveInPlace) return
  const all = columnsOfTable(table).map(sqlIdentifier).join(', ')
  await connection.query(
    `INSERT INTO ${rows} (${all}) SELECT ${all} FROM ${waiting} AS w
     WHERE NOT w.removed AND ${isLeft('NOT j.removed')}`,
  )
}

/**
 * Removes what a full file lacks, once its rows are merged: the rows that are older than it. Those of
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
