// The benchmarks of databases for `feedmill bench` (`npm run bench:sinks`): the DuckDB target beside
// DuckDB's own read_csv into the same types, and the merge of an hourly file beside the same merge in
// hand-written SQL. They use public names. The cases of PostgreSQL are in postgres.bench.mjs.

import { existsSync } from 'node:fs'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { itemSchema } from 'feedmill'
import { duckdbTarget } from 'feedmill/duckdb'
import {
  bootstrap,
  CATEGORY,
  columnsOf,
  HOUR,
  HOURLY,
  hourly,
  LOAD,
  LOADED,
  ORIGIN,
  pathOf,
  prepareFeeds,
  prepareRaw,
  RAW,
  rowsOfRaw,
  SHAPE,
  shapedRows,
} from './sinks/sink-files.mjs'

async function apply(path, file, memoryBytes = 2 ** 30) {
  const { signal } = file
  const target = await duckdbTarget(path, { memoryBytes }).open({ origin: ORIGIN, memoryBytes: 0, signal })
  try {
    const { rows } = await (await target.category(CATEGORY)).apply(file)
    return rows.inserted + rows.updated + rows.unchanged
  } finally {
    await target.close()
  }
}

async function run(path, sql) {
  // Loaded here, so that a case of the target alone loads DuckDB as the target does.
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(path, { memory_limit: '1GB', threads: '2' })
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJS()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function prepare() {
  await prepareFeeds()
  if (existsSync(pathOf('ready'))) return
  await rm(pathOf('table.duckdb'), { force: true })
  await apply(pathOf('table.duckdb'), bootstrap('table.tsv'))
  for (const name of ['ours', 'sql']) await copyFile(pathOf('table.duckdb'), pathOf(`${name}.duckdb`))
  await writeFile(pathOf('ready'), '')
}

const fresh = name => rm(pathOf(name), { force: true })
const restored = name => copyFile(pathOf('table.duckdb'), pathOf(name))

/** The name of a column of a feed in the tables of a target. */
const sqlName = column => column.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()

/** The rows of a file as its columns in the types of the table `items`, under the names in it. */
async function typedCsv(name, types) {
  const columns = await columnsOf(name)
  const readTypes = columns.map(column => {
    const type = types[sqlName(column)]
    return `'${column}': '${/\[\]|STRUCT/.test(type) ? 'VARCHAR' : type}'`
  })
  const { decodedColumns } = await shapedRows()
  const names = columns.map(column => `"${sqlName(column)}"`)
  const isEmpty = column => SHAPE === undefined && /STRUCT/.test(types[sqlName(column)])
  const selected = columns.map(column => (isEmpty(column) ? 'NULL' : decodedColumns([column])))
  return `(${names.join(', ')}) SELECT ${selected.join(', ')} FROM read_csv('${pathOf(name)}', delim = '\\t', quote = '"',
    escape = '\\', new_line = '\\n', header = true, auto_detect = false, columns = {${readTypes.join(', ')}})`
}

async function typesOf() {
  const rows = await run(
    pathOf('table.duckdb'),
    "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'items'",
  )
  return Object.fromEntries(rows.map(({ column_name, data_type }) => [column_name, data_type]))
}

export default [
  {
    name: 'load-read-csv',
    prepare,
    async pipeline() {
      const types = await typesOf()
      const names = Object.keys(itemSchema.columns).map(sqlName)
      const columns = names.map(name => `"${name}" ${types[name]}`)
      const [{ Count }] = await run(
        pathOf('csv.duckdb'),
        `CREATE TABLE items (${columns.join(', ')});
         INSERT INTO items ${await typedCsv(LOAD, types)}`,
      )
      return Number(Count)
    },
    check: ({ count }) => fresh('csv.duckdb').then(() => count === LOADED),
  },
  {
    name: 'load-target',
    prepare,
    pipeline: () => apply(pathOf('loaded.duckdb'), bootstrap(LOAD)),
    check: ({ count }) => fresh('loaded.duckdb').then(() => count === LOADED),
  },
  {
    // The peak of the process is what this case shows, with the least limit of DuckDB.
    name: 'load-raw',
    prepare: prepareRaw,
    pipeline: () => apply(pathOf('raw.duckdb'), bootstrap(RAW), 64 * 2 ** 20),
    check: async ({ count }) => {
      await fresh('raw.duckdb')
      return count === (await rowsOfRaw())
    },
  },
  {
    name: 'hourly-sql',
    prepare,
    async pipeline() {
      const types = await typesOf()
      const here = "marketplace = 'MKT_US' AND feed_category = '220'"
      const [{ Count }] = await run(
        pathOf('sql.duckdb'),
        `BEGIN;
         CREATE TEMP TABLE arrived AS SELECT * FROM items LIMIT 0;
         INSERT INTO arrived ${await typedCsv('hour.tsv', types)};
         DELETE FROM items USING arrived WHERE items.item_id = arrived.item_id
           AND ${here.replaceAll(/(\w+) =/g, 'items.$1 =')} AND items.time_ms < ${HOUR.getTime()};
         INSERT INTO items SELECT * REPLACE ('MKT_US' AS marketplace, '220' AS feed_category,
           2 AS file, ${HOUR.getTime()} AS time_ms, 0 AS generated_ms,
           0 AS checksum) FROM arrived;
         COMMIT;
         SELECT count(*) AS "Count" FROM items WHERE file = 2`,
      )
      return Number(Count)
    },
    check: ({ count }) => restored('sql.duckdb').then(() => count === HOURLY),
  },
  {
    name: 'hourly-target',
    prepare,
    pipeline: () => apply(pathOf('ours.duckdb'), hourly()),
    check: ({ count }) => restored('ours.duckdb').then(() => count === HOURLY),
  },
]
