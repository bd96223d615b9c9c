// The same merge by DuckDB in SQL, into a database on disk, with 256 MB of memory: the bootstrap
// becomes the table of items; of the changes in all later files the newest of each item is found by
// its row number alone, and only then the rows themselves are moved. (One query with a window over
// all rows, and MERGE INTO, run out of this memory at a million items: see bench/README.md.)

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Digest, DigestColumns } from './digest'
import type { ScaleFile } from './scale-files'

const MEMORY_LIMIT = '256MB'
/** The dialect of item-feeds.md, section 2.1. */
const DIALECT = `delim = '\\t', quote = '"', escape = '\\', header = true, all_varchar = true, auto_detect = false, compression = 'gzip'`

export async function mergeFiles(
  files: readonly ScaleFile[],
  folder: string,
  columnsOf: ColumnsOf,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const instance = await open(folder)
  const connection = await instance.connect()
  for (const statement of statements(files, columnsOf)) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

/** The header line of a file of each feed. */
export type ColumnsOf = Readonly<Record<ScaleFile['feed'], readonly string[]>>

function* statements(
  files: readonly ScaleFile[],
  columnsOf: ColumnsOf,
): Generator<string, void, void> {
  const of = (feed: ScaleFile['feed'], isBootstrap = false) =>
    files.filter(file => file.feed === feed && file.isBootstrap === isBootstrap)
  const names = [...new Set([...columnsOf.item, ...columnsOf.item_snapshot])]
  yield `CREATE TABLE items (${names.map(name => `"${name}" VARCHAR`).join(', ')}, version_ms BIGINT)`
  yield `CREATE TEMP TABLE versions (path VARCHAR, file_ms BIGINT)`
  yield `INSERT INTO versions VALUES ${files.map(({ path, versionMs }) => `('${path}', ${versionMs})`).join(', ')}`
  const rows = (some: readonly ScaleFile[], more: string) =>
    `SELECT * EXCLUDE (filename, path, file_ms), ${more} FROM ${csv(some, columnsOf, ', filename = true')} JOIN versions ON path = filename`
  yield `INSERT INTO items BY NAME ${rows(of('item', true), 'file_ms AS version_ms')}`
  const hourly = `availability = 'UNAVAILABLE' AS removed,
    CASE WHEN itemSnapshotDate IS NULL THEN file_ms ELSE epoch_ms(itemSnapshotDate::TIMESTAMP) END AS version_ms`
  yield `CREATE TEMP TABLE changes AS ${rows(of('item_snapshot'), hourly)}
    UNION ALL BY NAME ${rows(of('item'), 'false AS removed, file_ms AS version_ms')}`
  yield `CREATE TEMP TABLE newest AS SELECT itemId, max(version_ms) AS version_ms, arg_max(rowid, (version_ms, removed)) AS change
    FROM changes GROUP BY itemId`
  yield `DELETE FROM newest USING items WHERE items.itemId = newest.itemId AND items.version_ms > newest.version_ms`
  yield `DELETE FROM items USING newest WHERE items.itemId = newest.itemId`
  yield `INSERT INTO items BY NAME SELECT * EXCLUDE (removed) FROM changes WHERE NOT removed AND rowid IN (SELECT change FROM newest)`
  // The daily file is newer than the bootstrap, and has a group once.
  yield `CREATE TABLE item_groups AS SELECT * FROM ${csv(of('item_group', true), columnsOf)}`
  yield `CREATE TEMP TABLE listed_groups AS SELECT * FROM ${csv(of('item_group'), columnsOf)}`
  yield `DELETE FROM item_groups USING listed_groups WHERE item_groups.itemGroupId = listed_groups.itemGroupId`
  yield `INSERT INTO item_groups SELECT * FROM listed_groups`
  yield `CREATE TABLE priorities AS SELECT * FROM ${csv(of('item_priority'), columnsOf)}`
  yield 'CHECKPOINT'
}

function csv(files: readonly ScaleFile[], columnsOf: ColumnsOf, more = ''): string {
  const columns = columnsOf[files[0]!.feed].map(name => `'${name}': 'VARCHAR'`).join(', ')
  return `read_csv([${files.map(({ path }) => `'${path}'`).join(', ')}], ${DIALECT}, columns = {${columns}}${more})`
}

export async function digestOf(folder: string, columns: DigestColumns): Promise<Digest> {
  const instance = await open(folder)
  const connection = await instance.connect()
  const cells = [
    ...columns.item.map(name => `coalesce(items."${name}", '')`),
    'version_ms',
    `coalesce(priorityListingPayload, '')`,
    ...columns.item_group.map(name => `coalesce(item_groups."${name}", '')`),
  ]
  const result =
    await connection.runAndReadAll(`SELECT count(*), sum(md5_number_lower(${cells.join(` || chr(9) || `)}))::VARCHAR
    FROM items LEFT JOIN priorities ON items.itemId = priorities.itemId
    LEFT JOIN item_groups ON items.primaryItemGroupId = item_groups.itemGroupId`)
  const [count, sum] = result.getRows()[0]!
  connection.closeSync()
  instance.closeSync()
  return { items: Number(count), sum: String(sum) }
}

function open(folder: string): Promise<DuckDBInstance> {
  return DuckDBInstance.create(join(folder, 'items.duckdb'), {
    memory_limit: MEMORY_LIMIT,
    temp_directory: join(folder, 'spill'),
    // Off is faster and takes less memory: nobody asked for an order.
    preserve_insertion_order: 'false',
  })
}
