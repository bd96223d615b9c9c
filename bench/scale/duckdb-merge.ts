// The same merge by DuckDB in SQL, into a database on disk, with 256 MB of memory: the bootstrap
// becomes the table of items; of the changes in all snapshots the newest of each item is found by
// its row number alone, and only then the rows themselves are moved. (One query with a window over
// all rows, and MERGE INTO, run out of this memory at a million items: see bench/README.md.)

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Digest } from './digest'
import type { ScaleFile, ScaleFiles } from './scale-files'

const MEMORY_LIMIT = '256MB'
const HOUR_MS = 3_600_000
/** The dialect of item-feeds.md, section 2.1. */
const DIALECT = `delim = '\\t', quote = '"', escape = '\\', header = true, all_varchar = true, auto_detect = false, compression = 'gzip'`

export async function mergeFiles(
  { files }: ScaleFiles,
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
  const of = (feed: ScaleFile['feed']) => files.filter(file => file.feed === feed)
  const names = [...new Set([...columnsOf.item, ...columnsOf.item_snapshot])]
  yield `CREATE TABLE items (${names.map(name => `"${name}" VARCHAR`).join(', ')}, version_ms BIGINT)`
  for (const file of of('item'))
    yield `INSERT INTO items BY NAME SELECT *, ${file.lastModifiedMs}::BIGINT AS version_ms FROM ${csv([file], columnsOf)}`
  const hours = of('item_snapshot')
  yield `CREATE TEMP TABLE hours (path VARCHAR, end_ms BIGINT)`
  yield `INSERT INTO hours VALUES ${hours.map(({ path, hourMs }) => `('${path}', ${hourMs! + HOUR_MS - 1})`).join(', ')}`
  yield `CREATE TEMP TABLE changes AS SELECT * EXCLUDE (filename, path, end_ms), availability = 'UNAVAILABLE' AS removed,
    CASE WHEN itemSnapshotDate IS NULL THEN end_ms ELSE epoch_ms(itemSnapshotDate::TIMESTAMP) END AS version_ms
    FROM ${csv(hours, columnsOf, ', filename = true')} JOIN hours ON path = filename`
  yield `CREATE TEMP TABLE newest AS SELECT itemId, max(version_ms) AS version_ms, arg_max(rowid, (version_ms, removed)) AS change
    FROM changes GROUP BY itemId`
  yield `DELETE FROM newest USING items WHERE items.itemId = newest.itemId AND items.version_ms > newest.version_ms`
  yield `DELETE FROM items USING newest WHERE items.itemId = newest.itemId`
  yield `INSERT INTO items BY NAME SELECT * EXCLUDE (removed) FROM changes WHERE NOT removed AND rowid IN (SELECT change FROM newest)`
  yield `CREATE TABLE priorities AS SELECT * FROM ${csv(of('item_priority'), columnsOf)}`
  yield 'CHECKPOINT'
}

function csv(files: readonly ScaleFile[], columnsOf: ColumnsOf, more = ''): string {
  const columns = columnsOf[files[0]!.feed].map(name => `'${name}': 'VARCHAR'`).join(', ')
  return `read_csv([${files.map(({ path }) => `'${path}'`).join(', ')}], ${DIALECT}, columns = {${columns}}${more})`
}

export async function digestOf(folder: string, columns: readonly string[]): Promise<Digest> {
  const instance = await open(folder)
  const connection = await instance.connect()
  const cells = [
    ...columns.map(name => `coalesce(items."${name}", '')`),
    'version_ms',
    `coalesce(priorityListingPayload, '')`,
  ]
  const result =
    await connection.runAndReadAll(`SELECT count(*), sum(md5_number_lower(${cells.join(` || chr(9) || `)}))::VARCHAR
    FROM items LEFT JOIN priorities USING (itemId)`)
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
