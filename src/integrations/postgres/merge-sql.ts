// The statements that merge the rows of a file into a table. The order of versions is that of
// codec/merge/version-order.ts, and the kinds are those of codec/merge/register.ts.
//
// If you change a kind or the order, also change those files.

import { sqlIdentifier } from '../../engine/index'
import type { Part } from './sql-names'
import { columnsOfPart, keyOfPart } from './sql-types'
import { OF_CATEGORY } from './tables'

/** The staging table of a part, which only this connection sees. */
export function stagingTable(part: Part): string {
  return `pg_temp.${sqlIdentifier(`feedmill_${part}`)}`
}

/**
 * Makes the staging table once for a connection. Each commit empties it, so that the catalogue of
 * the server does not grow with the number of files.
 */
export function createStaging(part: Part, table: string): string {
  return `CREATE TEMPORARY TABLE IF NOT EXISTS ${sqlIdentifier(`feedmill_${part}`)} (LIKE ${table}) ON COMMIT DELETE ROWS`
}

const VERSION = ['time_ms', 'removed', 'generated_ms', 'checksum'] as const

const rowOf = (alias: string, columns: readonly string[]) =>
  `(${columns.map(name => `${alias}.${name}`).join(', ')})`

/** Instead of a kind, beside the number of rows that were written. */
export const WRITTEN = 'written'

/**
 * Merges the staging table, and returns the number of keys of each kind: the newest row of a key
 * counts by its effect, and the others not at all. Only the narrow columns are sorted and compared;
 * a row as a whole is read where it is written.
 *
 * A known row is found once, by the index, and then written at its place. That holds in a
 * transaction of REPEATABLE READ only: where anything has moved the row since, it fails as a whole.
 *
 * The rows that were written are counted first, because the server then judges a row and writes it
 * at once. Otherwise it would judge all rows before the first write, and read every page of a table
 * that is larger than its memory twice.
 */
export function mergeStaging(part: Part, table: string): string {
  const key = keyOfPart(part)
  const columns = columnsOfPart(part).map(sqlIdentifier)
  const version = VERSION.slice(0, 3)
  const isNewer = `${rowOf('n', version)} > ${rowOf('i', version)}`
  const isOlder = `${rowOf('n', version)} < ${rowOf('i', version)}`
  const identity = ['marketplace', 'feed_category', key]
  const sets = columns
    .filter(name => !identity.includes(name.slice(1, -1)))
    .map(name => `${name} = s.${name}`)
  return `
WITH newest AS MATERIALIZED (
  SELECT DISTINCT ON (${key}) ctid AS place, ${[...identity, ...VERSION].join(', ')}
  FROM ${stagingTable(part)}
  ORDER BY ${[key, ...VERSION.map(name => `${name} DESC`)].join(', ')}
), judged AS MATERIALIZED (
  SELECT n.place, i.ctid AS known,
    CASE
      WHEN i.ctid IS NULL THEN CASE WHEN n.removed THEN 'unchanged' ELSE 'inserted' END
      WHEN ${isOlder} THEN 'stale'
      WHEN n.removed THEN CASE WHEN i.removed THEN 'unchanged' ELSE 'deleted' END
      WHEN i.removed THEN 'inserted'
      WHEN n.checksum = i.checksum THEN 'unchanged'
      WHEN ${isNewer} OR n.checksum > i.checksum THEN 'updated'
      ELSE 'stale'
    END AS kind,
    ${rowOf('n', VERSION)} > ${rowOf('i', VERSION)} AS changes
  FROM newest n LEFT JOIN ${table} i USING (${identity.join(', ')})
), changed AS (
  UPDATE ${table} i SET ${sets.join(', ')}
  FROM judged j JOIN ${stagingTable(part)} s ON s.ctid = j.place
  WHERE i.ctid = j.known AND j.changes
  RETURNING 1
), added AS (
  INSERT INTO ${table} (${columns.join(', ')})
  SELECT ${columns.map(name => `s.${name}`).join(', ')}
  FROM judged j JOIN ${stagingTable(part)} s ON s.ctid = j.place WHERE j.known IS NULL
  RETURNING 1
)
SELECT '${WRITTEN}' AS kind, (SELECT count(*) FROM changed) + (SELECT count(*) FROM added) AS rows
UNION ALL
SELECT kind, count(*) FROM judged GROUP BY kind`
}

/** Counts the rows of a category that are not removed. */
export function countRows(table: string): string {
  return `SELECT count(*) AS rows FROM ${table} WHERE ${OF_CATEGORY} AND NOT removed`
}

/** Says whether a category has rows, removed ones included. */
export function hasRows(table: string): string {
  return `SELECT EXISTS (SELECT FROM ${table} WHERE ${OF_CATEGORY}) AS found`
}

/**
 * Removes the rows that a bootstrap of the time $3 lacks: every row of the bootstrap has at least
 * that time after the merge. Returns their number.
 */
export function sweep(part: Part, table: string): string {
  const key = keyOfPart(part)
  const kept = new Set(['marketplace', 'feed_category', key, ...VERSION])
  const cleared = columnsOfPart(part)
    .filter(name => !kept.has(name))
    .map(name => `${sqlIdentifier(name)} = NULL`)
  return `
WITH lacking AS (
  UPDATE ${table} SET time_ms = $3, removed = true, generated_ms = $3, checksum = 0,
    ${cleared.join(', ')}
  WHERE ${OF_CATEGORY} AND NOT removed AND time_ms < $3
  RETURNING 1
)
SELECT count(*) AS rows FROM lacking`
}
