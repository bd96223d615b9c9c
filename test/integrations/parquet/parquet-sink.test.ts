// parquetSink: what two other readers find in its files, and which files a run leaves behind.

import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeEach, expect, test } from 'vitest'
import {
  aspects,
  boolean,
  concat,
  conditionDescriptors,
  date,
  decimal,
  defineSchema,
  type FeedFile,
  float64,
  int32,
  int64,
  json,
  list,
  oneOf,
  pipeline,
  type RowObject,
  regions,
  TsvColumnParser,
  TsvRowParser,
  text,
  timestamp,
} from '../../../src/index'
import { type ParquetSinkOptions, parquetSink } from '../../../src/parquet'
import { tsv } from '../../tsv-text'

const folder = await mkdtemp(join(tmpdir(), 'feedmill-parquet-'))
const path = join(folder, 'rows.parquet')
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
})

const columns = {
  id: text(),
  price: decimal(),
  cents: decimal({ scale: 2 }),
  count: int32(),
  views: int64(),
  weight: float64(),
  sold: boolean(),
  day: date(),
  time: timestamp(),
  state: oneOf('NEW', 'USED'),
  tags: list('|'),
  sizes: list('|', int32()),
  shape: json(),
  aspects: aspects(),
  descriptors: conditionDescriptors(),
  regions: regions(),
}
const schema = defineSchema({ name: 'things', columns })
type Cells = { readonly [N in keyof typeof columns]?: string }
const NAMES = Object.keys(columns) as (keyof typeof columns)[]

const base64 = (value: string) => Buffer.from(value).toString('base64')
const [COLOUR, RED, SIZE] = ['Colour', 'rouge é', 'Größe 😀'].map(base64)
const HUGE = `${'9'.repeat(28)}.${'9'.repeat(10)}`
const ROWS: readonly Cells[] = [
  { id: 'all', price: '9.90', cents: '0.05', count: '-7', views: '9007199254740993' },
  { id: 'ü😀', weight: '-1.5e300', sold: 'true', day: '1969-12-31', state: 'USED' },
  { id: 'old', time: '0001-01-01T00:00:00.001Z', day: '0001-01-01', tags: 'a|b|c', sizes: '1|-2' },
  { id: 'late', time: '9999-12-31T23:59:59.999Z', day: '9999-12-31', sold: 'false' },
  { id: 'before', time: '1969-12-31T23:59:59.999Z', state: 'NEW', shape: '{"a":[1,null]}' },
  { id: 'huge', price: HUGE, cents: '-123456789012345678901234567890123456.78' },
  { id: 'least', price: `-${HUGE}`, count: '-2147483648', views: '-9223372036854775808' },
  { id: 'nested', aspects: `${base64('L')}|${COLOUR}:${RED};${SIZE}:${RED};` },
  { id: 'lists', descriptors: `${COLOUR}:${RED}|${SIZE};${SIZE}:${RED}` },
  { id: 'regions', regions: 'REGION:EU|US;COUNTRY:DE' },
  { id: 'half', regions: 'COUNTRY:DE|FR' },
  {},
]

/** The file with these rows, each so many times. */
function tsvOf(rows: readonly Cells[], times = 1): Buffer {
  const lines = rows.map(row => NAMES.map(name => quoted(row[name] ?? '')).join('\t'))
  return Buffer.from([NAMES.join('\t'), ...Array(times).fill(lines).flat(), ''].join('\n'))
}

function quoted(cell: string): string {
  return cell.includes('"') ? `"${cell.replaceAll('"', '\\"')}"` : cell
}

const columnsOf = (bytes: Buffer, file?: FeedFile) =>
  pipeline([bytes]).to(new TsvColumnParser({ schema, ...(file && { file }) }))
const rowsOf = (bytes: Buffer) => pipeline([bytes]).to(new TsvRowParser({ schema }))

/** The rows as both readers are compared: exact, and JSON has a form for them. */
function expectedOf(row: RowObject<typeof columns>) {
  const whole = (value: unknown) => (value === null ? null : String(value))
  return {
    ...row,
    price: whole(row.price) && trimmed(whole(row.price)!),
    cents: whole(row.cents) && trimmed(whole(row.cents)!),
    views: whole(row.views),
    time: row.time === null ? null : String(row.time.getTime()),
    shape: row.shape === null ? null : JSON.stringify(row.shape),
  }
}

function trimmed(decimalText: string): string {
  return decimalText.includes('.') ? decimalText.replace(/\.?0+$/, '') : decimalText
}

async function query<R>(sql: string): Promise<R[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as R[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function readByDuckdb(file: string) {
  const casts = 'price::VARCHAR AS price, cents::VARCHAR AS cents, epoch_ms(time)::VARCHAR AS time'
  const rows = await query<Record<string, string | null>>(
    `SELECT * REPLACE (${casts}) FROM read_parquet('${file}')`,
  )
  return rows.map(row => ({
    ...row,
    price: row.price && trimmed(row.price),
    cents: row.cents && trimmed(row.cents),
  }))
}

async function readByHyparquet(file: string) {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) })
  return rows.map(row => ({
    ...row,
    day: (row.day as Date | null)?.toISOString().slice(0, 10) ?? null,
    time: row.time === null ? null : String((row.time as Date).getTime()),
    views: row.views === null ? null : String(row.views),
    // The reader has no property for a struct that is null.
    regions: row.regions ?? null,
  }))
}

async function expectedRows(bytes: Buffer) {
  const rows: ReturnType<typeof expectedOf>[] = []
  for await (const row of rowsOf(bytes)) rows.push(expectedOf(row.toObject()))
  return rows
}

const hasZstd = 'zstdCompressSync' in zlib

test.each(['snappy', 'gzip', 'none', ...(hasZstd ? (['zstd'] as const) : [])] as const)(
  'DuckDB reads the rows of the file back, cell by cell (%s)',
  async compression => {
    const bytes = tsvOf(ROWS)
    await columnsOf(bytes).run(parquetSink(path, { compression }))
    expect(await readByDuckdb(path)).toEqual(await expectedRows(bytes))
    expect(await readdir(folder)).toEqual(['rows.parquet'])
  },
)

test.skipIf(hasZstd)('zstd without a Node that has it is DEPENDENCY_UNSUPPORTED', async () => {
  const run = columnsOf(tsvOf(ROWS)).run(parquetSink(path, { compression: 'zstd' }))
  await expect(run).rejects.toMatchObject({
    code: 'DEPENDENCY_UNSUPPORTED',
    message: expect.stringContaining('22.15'),
  })
})

test('hyparquet reads the rows back, and numbers of the size that it knows', async () => {
  const bytes = tsvOf(ROWS)
  await columnsOf(bytes).run(parquetSink(path))
  const expected = (await expectedRows(bytes)).map(row => ({
    ...row,
    price: row.price === null ? null : expect.closeTo(Number(row.price), 5),
    cents: row.cents === null ? null : expect.closeTo(Number(row.cents), 5),
  }))
  const isLarge = (row: object) => 'id' in row && (row.id === 'huge' || row.id === 'least')
  const read = await readByHyparquet(path)
  expect(read.filter(row => !isLarge(row))).toEqual(expected.filter(row => !isLarge(row)))
})

test('batches of rows give the same file as batches of columns', async () => {
  const bytes = tsvOf(ROWS)
  await columnsOf(bytes).run(parquetSink(path))
  const first = await readFile(path)
  await rowsOf(bytes).run(parquetSink(path))
  expect(await readFile(path)).toEqual(first)
})

test('row groups have the rows of the option, and statistics', async () => {
  await columnsOf(tsvOf(ROWS, 1000)).run(parquetSink(path, { rowGroupRows: 5000 }))
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
  expect(row_groups.map(group => Number(group.num_rows))).toEqual([5000, 5000, 2000])
  const [id] = row_groups[0]!.columns
  expect(id!.meta_data!.codec).toBe('SNAPPY')
  expect(id!.meta_data!.statistics).toMatchObject({ min_value: 'all', max_value: 'ü😀' })
  const counts = await query(`SELECT id, count(*)::INT AS n FROM '${path}' GROUP BY ALL`)
  expect(counts).toHaveLength(ROWS.length)
  expect(counts.every(row => (row as { n: number }).n === 1000)).toBe(true)
})

test('a file without rows has its columns', async () => {
  await columnsOf(tsvOf([])).run(parquetSink(path))
  const described = await query<{ column_name: string; column_type: string }>(
    `DESCRIBE SELECT * FROM '${path}'`,
  )
  expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual([
    ['id', 'VARCHAR'],
    ['price', 'DECIMAL(38,10)'],
    ['cents', 'DECIMAL(38,2)'],
    ['count', 'INTEGER'],
    ['views', 'BIGINT'],
    ['weight', 'DOUBLE'],
    ['sold', 'BOOLEAN'],
    ['day', 'DATE'],
    ['time', 'TIMESTAMP WITH TIME ZONE'],
    ['state', 'VARCHAR'],
    ['tags', 'VARCHAR[]'],
    ['sizes', 'INTEGER[]'],
    ['shape', 'VARCHAR'],
    ['aspects', 'STRUCT("label" VARCHAR, "name" VARCHAR, "value" VARCHAR)[]'],
    ['descriptors', 'STRUCT("name" VARCHAR, "values" VARCHAR[])[]'],
    ['regions', 'STRUCT(countries VARCHAR[], regions VARCHAR[])'],
  ])
})

test('a failure leaves the file that stood there, and no other', async () => {
  await writeFile(path, 'as before')
  const bad = Buffer.concat([tsvOf(ROWS, 500), Buffer.from('x\ttwelve\n')])
  for (const run of [columnsOf(bad), rowsOf(bad)])
    await expect(run.run(parquetSink(path, { rowGroupRows: 100 }))).rejects.toMatchObject({
      code: expect.stringMatching(/^(CELL_INVALID|TSV_)/),
    })
  expect(await readFile(path, 'utf8')).toBe('as before')
  expect(await readdir(folder)).toEqual(['rows.parquet'])
})

test('a bad cell of a batch of rows is CELL_INVALID', async () => {
  const run = rowsOf(tsvOf([{ price: 'twelve' }])).run(parquetSink(path))
  await expect(run).rejects.toMatchObject({ code: 'CELL_INVALID', context: { column: 'price' } })
})

test('an output that cannot be written is SINK_FAILED', async () => {
  const run = columnsOf(tsvOf(ROWS, 2000)).run(parquetSink('/dev/full', { rowGroupRows: 1000 }))
  await expect(run).rejects.toMatchObject({ code: 'SINK_FAILED', context: { reason: 'ENOSPC' } })
})

test('the columns of the first batch are those of the file', async () => {
  const parsed = (header: string) =>
    pipeline([Buffer.from(`${header}\n1\t2\n`)]).to(new TsvColumnParser())
  await concat([parsed('a\tb'), parsed('b\ta')]).run(parquetSink(path))
  expect(await query(`SELECT * FROM '${path}'`)).toEqual([
    { a: '1', b: '2' },
    { a: '2', b: '1' },
  ])
  await expect(
    concat([parsed('a\tb'), parsed('a\tc')]).run(parquetSink(path)),
  ).rejects.toMatchObject({ code: 'COLUMN_UNKNOWN', context: { column: 'c', known: ['a', 'b'] } })
})

test('items that are no batches, and a run without any, are refused', async () => {
  const sink = parquetSink(path)
  await expect(pipeline([{ id: 'a' } as never]).run(sink)).rejects.toMatchObject({
    code: 'SINK_VALUE_INVALID',
  })
  await expect(pipeline([] as never[]).run(sink)).rejects.toMatchObject({ code: 'SINK_FAILED' })
  await columnsOf(tsvOf(ROWS)).run(sink)
  await columnsOf(tsvOf(ROWS)).run(sink)
  expect(await readdir(folder)).toEqual(['rows.parquet'])
})

const fileOf = (marketplace: string | undefined, categoryId: string, day: string): FeedFile => ({
  feed: 'item',
  ...(marketplace !== undefined && { marketplace }),
  categoryId,
  date: day,
})
const PARTS = {
  partitionBy: ['marketplace', 'category', 'date'],
} as const satisfies ParquetSinkOptions

async function filesIn(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(place.length + 1))
    .sort()
}

test('partitionBy makes a file for each tuple, which a run replaces', async () => {
  const place = join(folder, 'lake')
  const files = [
    fileOf('MKT_US', '1', '20260101'),
    fileOf('MKT_US', '1', '20260102'),
    fileOf(undefined, 'a/b', '20260101'),
  ]
  const load = (rows: readonly Cells[], chosen: readonly FeedFile[]) =>
    concat(chosen.map(file => columnsOf(tsvOf(rows), file))).run(parquetSink(place, PARTS))
  await load([{ id: 'one' }, { id: 'two' }], files)
  await load([{ id: 'three' }], files.slice(0, 1))
  expect(await filesIn(place)).toEqual([
    'marketplace=MKT_US/category=1/date=2026-01-01/item.parquet',
    'marketplace=MKT_US/category=1/date=2026-01-02/item.parquet',
    'marketplace=__HIVE_DEFAULT_PARTITION__/category=a%2Fb/date=2026-01-01/item.parquet',
  ])
  const rows = await query(
    `SELECT marketplace, category, date::VARCHAR AS date, id
     FROM read_parquet('${place}/**/*.parquet', hive_partitioning = true) ORDER BY ALL`,
  )
  expect(rows).toEqual([
    { marketplace: 'MKT_US', category: '1', date: '2026-01-01', id: 'three' },
    { marketplace: 'MKT_US', category: '1', date: '2026-01-02', id: 'one' },
    { marketplace: 'MKT_US', category: '1', date: '2026-01-02', id: 'two' },
    { marketplace: null, category: 'a/b', date: '2026-01-01', id: 'one' },
    { marketplace: null, category: 'a/b', date: '2026-01-01', id: 'two' },
  ])
})

test('a column that a folder has the name of is another column', async () => {
  const place = join(folder, 'lake')
  const named = [
    ['category', 'category#2', 'id', 'Date'],
    ['shoes', 'boots', 'a', 'x'],
  ]
  const file = pipeline([Buffer.from(tsv(named))]).to(
    new TsvColumnParser({ schema, file: fileOf('MKT_US', '1', '20260101') }),
  )
  await file.run(parquetSink(place, PARTS))
  const readers = { partitioned: true, plain: false }
  const found = Object.values(readers).map(isPartitioned =>
    query(`FROM read_parquet('${place}/**/*.parquet', hive_partitioning = ${isPartitioned})`),
  )
  const [partitioned, plain] = await Promise.all(found)
  const own = { 'category#3': 'shoes', 'category#2': 'boots', id: 'a', 'Date#2': 'x' }
  expect(plain).toMatchObject([own])
  expect(partitioned).toMatchObject([
    { ...own, marketplace: 'MKT_US', category: '1', date: '2026-01-01' },
  ])
})

test('the file says which files its rows come from', async () => {
  const files = [fileOf('MKT_US', '1', '20260101'), fileOf(undefined, '2', '20260102')]
  await concat(files.map(file => columnsOf(tsvOf(ROWS), file))).run(parquetSink(path))
  const { key_value_metadata } = await parquetMetadataAsync(await asyncBufferFromFile(path))
  const [pair] = key_value_metadata!
  expect([pair!.key, JSON.parse(pair!.value!)]).toEqual(['feedmill.files', files])
})

test('a failure leaves no partition', async () => {
  const place = join(folder, 'lake')
  const bad = tsvOf([{ price: 'twelve' }])
  const good = columnsOf(tsvOf(ROWS), fileOf('MKT_US', '1', '20260101'))
  const run = concat([good, columnsOf(bad, fileOf('MKT_US', '2', '20260101'))])
  await expect(run.run(parquetSink(place, PARTS))).rejects.toMatchObject({ code: 'CELL_INVALID' })
  expect(await readdir(folder)).toEqual([])
})

test('rows come in turns for a hundred partitions', async () => {
  const place = join(folder, 'lake')
  const days = Array.from({ length: 100 }, (_, n) =>
    `2026${String(101 + (n % 30))}${n}`.slice(0, 8),
  )
  const turns = [1, 2, 3].flatMap(turn =>
    days.map((day, n) => columnsOf(tsvOf([{ id: `${turn}-${n}` }]), fileOf('M', `c${n}`, day))),
  )
  await concat(turns).run(parquetSink(place, PARTS))
  expect(await filesIn(place)).toHaveLength(100)
  const [count] = await query<{ n: number; ids: number }>(
    `SELECT count(*)::INT AS n, count(DISTINCT id)::INT AS ids FROM read_parquet('${place}/**/*.parquet')`,
  )
  expect(count).toEqual({ n: 300, ids: 300 })
})

test('row groups of many partitions end early where they take much memory', async () => {
  const place = join(folder, 'lake')
  const rows = Array.from({ length: 40 }, (_, n) => ({
    id: randomBytes(50_000).toString('hex') + n,
  }))
  const turns = Array.from({ length: 24 }, (_, n) =>
    columnsOf(tsvOf(rows), fileOf('M', '1', `202601${10 + (n % 2)}`)),
  )
  await concat(turns).run(parquetSink(place, PARTS))
  const groups = await Promise.all(
    (await filesIn(place)).map(async name => {
      const file = await asyncBufferFromFile(join(place, name))
      return (await parquetMetadataAsync(file)).row_groups.map(group => Number(group.num_rows))
    }),
  )
  expect(groups.map(counts => counts.reduce((sum, count) => sum + count, 0))).toEqual([480, 480])
  expect(groups.some(counts => counts.length > 1)).toBe(true)
}, 60_000)

test('plain objects are written by their schema, as the rows of a parser are', async () => {
  const bytes = tsvOf(ROWS)
  await columnsOf(bytes).run(parquetSink(path))
  const first = await readFile(path)
  const objects = await rowsOf(bytes)
    .map(row => row.toObject())
    .toArray()
  await pipeline(objects).run(parquetSink(path, { schema }))
  expect(await readFile(path)).toEqual(first)
  await pipeline([objects.slice(0, 5), objects.slice(5)]).run(parquetSink(path, { schema }))
  expect(await readFile(path)).toEqual(first)
})

test('plain objects are checked against their schema', async () => {
  const stock = defineSchema({
    name: 'stock',
    columns: { sku: text({ notNull: true }), count: int32(), tags: list('|') },
  })
  const run = (rows: readonly object[]) =>
    pipeline(rows as never[]).run(parquetSink(path, { schema: stock }) as never)
  await run([
    { sku: 'a', count: 1, tags: ['x'] },
    { sku: 'b', tags: null },
    { sku: 'c', tags: [] },
  ])
  expect(await query(`FROM '${path}'`)).toEqual([
    { sku: 'a', count: 1, tags: ['x'] },
    { sku: 'b', count: null, tags: null },
    { sku: 'c', count: null, tags: [] },
  ])
  const before = await readFile(path)
  for (const [row, code] of [
    [{ sku: 'a', count: 'many' }, 'CELL_INVALID'],
    [{ count: 1 }, 'CELL_INVALID'],
    [{ sku: 'a', colour: 'red' }, 'COLUMN_UNKNOWN'],
    [new Map(), 'SINK_VALUE_INVALID'],
  ] as const)
    await expect(run([{ sku: 'ok' }, row])).rejects.toMatchObject({ code })
  expect(await readFile(path)).toEqual(before)
  await run([])
  expect(await query(`SELECT count(*)::INT AS n FROM '${path}'`)).toEqual([{ n: 0 }])
})
