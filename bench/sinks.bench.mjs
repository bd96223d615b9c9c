// The benchmarks of databases for `feedmill bench` (`npm run bench:sinks`): the DuckDB target beside
// DuckDB's own read_csv into the same types, and the merge of an hourly file beside the same merge in
// hand-written SQL. They use public names. Add the cases of another database at the end of the list.

import { existsSync } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { FileSource, itemSchema, itemSnapshotSchema, pipeline, TsvRowParser } from 'feedmill'
import { duckdbTarget } from 'feedmill/duckdb'

/** The items of the table, and of the hourly file. */
const ITEMS = Number(process.env.FEEDMILL_BENCH_ITEMS ?? 2_000_000)
const HOURLY = Math.min(50_000, Math.floor(ITEMS / 40))
/** The items of the file that is loaded into an empty database. */
const LOADED = Math.min(ITEMS, 200_000)
/** The megabytes of the file whose load shows the memory of the process, and its rows. */
const MEMORY_MB = Number(process.env.FEEDMILL_BENCH_RAW_MB ?? 150)
const MEMORY_ROWS = MEMORY_MB * 3_000
const DATA = join('.tmp/bench-data', `sinks-${ITEMS}`)
const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
const START = new Date('2026-03-01T00:00:00Z')
const HOUR = new Date('2026-03-01T05:00:00Z')
const pathOf = name => join(DATA, name)

function lineOf(columns, n, hour) {
  const cells = {
    itemId: `v1|${110000000000 + n}|0`,
    title: `Item ${n} of a row with a title of the usual length${hour}`,
    imageUrl: `https://i.img.example/images/g/${n}/s-l1600.jpg`,
    category: 'Toys & Hobbies|Games|Board Games',
    categoryId: '22002',
    sellerUsername: `seller-${n % 977}`,
    brand: `Brand ${n % 101}`,
    condition: 'New',
    conditionId: '1000',
    priceValue: `${n % 900}.95`,
    priceCurrency: 'USD',
    itemLocationCountry: 'US',
    availability: 'AVAILABLE',
    estimatedAvailableQuantity: String(n % 10),
    returnsAccepted: 'true',
    itemEndDate: '2026-04-01T04:09:35.061Z',
    deliveryOptions: 'SHIP_TO_HOME',
  }
  return columns.map(name => cells[name] ?? '').join('\t')
}

async function writeFeed(name, schema, count, step, hour) {
  const columns = Object.keys(schema.columns)
  const file = await open(pathOf(name), 'w')
  await file.write(`${columns.join('\t')}\n`)
  for (let from = 0; from < count; from += 1_000) {
    const lines = []
    for (let n = from; n < Math.min(count, from + 1_000); n++)
      lines.push(`${lineOf(columns, n * step, hour)}\n`)
    await file.write(lines.join(''))
  }
  await file.close()
}

/** A file of the service as `sync` gives it to a target. */
function targetFile(id, name, schema, time) {
  const file = { feed: id.feed, ...CATEGORY, lastModified: time, ...(id.hour && { hour: time }) }
  return {
    id: { ...CATEGORY, ...id },
    identity: { totalBytes: 1, lastModified: time.toUTCString() },
    rawBytes: 1,
    generated: id.scope === undefined ? undefined : time,
    signal: new AbortController().signal,
    badRows: 0,
    checkRemoval() {},
    async *rows() {
      const rows = pipeline(new FileSource(pathOf(name))).to(new TsvRowParser({ schema, file }))
      for await (const batch of rows.batches()) {
        const version = { timeMs: time.getTime(), removed: false, generatedMs: time.getTime() }
        const keys = []
        const heads = []
        for (const row of batch) {
          keys.push(row.text('itemId'))
          heads.push({ version, checksum: crc32(batch.bytesOf(row.slot)) })
        }
        yield { batch, keys, heads }
      }
    },
  }
}

const bootstrap = name =>
  targetFile({ feed: 'item', scope: 'ALL_ACTIVE' }, name, itemSchema, START)
const hourly = () =>
  targetFile({ feed: 'item_snapshot', hour: HOUR.toISOString() }, 'hour.tsv', itemSnapshotSchema, HOUR)

async function apply(path, file, memoryBytes = 2 ** 30) {
  const origin = { marketplace: 'MKT_US', service: 'https://service.test' }
  const { signal } = file
  const target = await duckdbTarget(path, { memoryBytes }).open({ origin, memoryBytes: 0, signal })
  try {
    const { rows } = await (await target.category(CATEGORY)).apply(file)
    return rows.inserted + rows.updated + rows.unchanged
  } finally {
    await target.close()
  }
}

async function run(path, sql) {
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
  if (existsSync(pathOf('ready'))) return
  await mkdir(DATA, { recursive: true })
  await writeFeed('loaded.tsv', itemSchema, LOADED, 1, '')
  await writeFeed('hour.tsv', itemSnapshotSchema, HOURLY, 20, ' now')
  await writeFeed('table.tsv', itemSchema, ITEMS, 1, '')
  await rm(pathOf('table.duckdb'), { force: true })
  await apply(pathOf('table.duckdb'), bootstrap('table.tsv'))
  for (const name of ['ours', 'sql']) await copyFile(pathOf('table.duckdb'), pathOf(`${name}.duckdb`))
  await writeFile(pathOf('ready'), '')
}

const MEMORY_FILE = `memory-${MEMORY_MB}.tsv`

async function prepareMemory() {
  if (existsSync(pathOf(MEMORY_FILE))) return
  await mkdir(DATA, { recursive: true })
  await writeFeed('memory.partial', itemSchema, MEMORY_ROWS, 1, '')
  await rename(pathOf('memory.partial'), pathOf(MEMORY_FILE))
}

const fresh = name => rm(pathOf(name), { force: true })
const restored = name => copyFile(pathOf('table.duckdb'), pathOf(name))

/** The selection of read_csv that gives the types of the table `items`. */
function typedCsv(name, columns, types) {
  const listed = Object.entries(columns)
  const readTypes = listed.map(([column]) => {
    const type = types[column]
    return `'${column}': '${/\[\]|STRUCT/.test(type) ? 'VARCHAR' : type}'`
  })
  const selected = listed.map(([column, { type, separator }]) => {
    if (type === 'list') return `string_split("${column}", '${separator}')`
    return /\[\]|STRUCT/.test(types[column]) ? `NULL::${types[column]}` : `"${column}"`
  })
  return `SELECT ${selected.join(', ')} FROM read_csv('${pathOf(name)}', delim = '\\t', quote = '"',
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
      const columns = Object.keys(itemSchema.columns).map(name => `"${name}" ${types[name]}`)
      const [{ Count }] = await run(
        pathOf('csv.duckdb'),
        `CREATE TABLE items (${columns.join(', ')});
         INSERT INTO items ${typedCsv('loaded.tsv', itemSchema.columns, types)}`,
      )
      return Number(Count)
    },
    check: ({ count }) => fresh('csv.duckdb').then(() => count === LOADED),
  },
  {
    name: 'load-target',
    prepare,
    pipeline: () => apply(pathOf('loaded.duckdb'), bootstrap('loaded.tsv')),
    check: ({ count }) => fresh('loaded.duckdb').then(() => count === LOADED),
  },
  {
    // The peak of the process is what this case shows, with the least limit of DuckDB.
    name: 'load-memory',
    prepare: prepareMemory,
    pipeline: () => apply(pathOf('memory.duckdb'), bootstrap(MEMORY_FILE), 64 * 2 ** 20),
    check: ({ count }) => fresh('memory.duckdb').then(() => count === MEMORY_ROWS),
  },
  {
    name: 'hourly-sql',
    prepare,
    async pipeline() {
      const types = await typesOf()
      const names = Object.keys(itemSnapshotSchema.columns).map(name => `"${name}"`)
      const here = "marketplace = 'MKT_US' AND top_category_id = '220'"
      const [{ Count }] = await run(
        pathOf('sql.duckdb'),
        `BEGIN;
         CREATE TEMP TABLE arrived AS SELECT * FROM items LIMIT 0;
         INSERT INTO arrived (${names.join(', ')}) ${typedCsv('hour.tsv', itemSnapshotSchema.columns, types)};
         DELETE FROM items USING arrived WHERE items.itemId = arrived.itemId
           AND ${here.replaceAll(/(\w+) =/g, 'items.$1 =')} AND items.version_ms < ${HOUR.getTime()};
         INSERT INTO items SELECT * REPLACE ('MKT_US' AS marketplace, '220' AS top_category_id,
           2 AS file, ${HOUR.getTime()} AS version_ms, 0 AS generated_ms) FROM arrived;
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
