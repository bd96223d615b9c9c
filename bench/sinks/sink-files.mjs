// The files of the benchmarks of databases: a bootstrap and an hourly file of rows with a usual
// length, as `sync` gives them to a target. They use public names only, but for the keys and the
// versions of rows.

import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { FileSource, itemSchema, itemSnapshotSchema, pipeline, TsvRowParser } from 'feedmill'

/** The items of the table, and of the hourly file. */
export const ITEMS = Number(process.env.FEEDMILL_BENCH_ITEMS ?? 2_000_000)
export const HOURLY = Math.min(50_000, Math.floor(ITEMS / 40))
/** The items of the file that is loaded into an empty database. */
export const LOADED = Math.min(ITEMS, 200_000)
/** The shape of the rows that are loaded; by default they are the rows below, without nested cells. */
export const SHAPE = process.env.FEEDMILL_BENCH_SHAPE
/** The file that is loaded into an empty database. */
export const LOAD = SHAPE === undefined ? 'loaded.tsv' : `loaded-${SHAPE}.tsv`
export const DATA = join('.tmp/bench-data', `sinks-${ITEMS}`)
export const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
export const ORIGIN = { marketplace: 'MKT_US', service: 'https://service.test' }
export const START = new Date('2026-03-01T00:00:00Z')
export const HOUR = new Date('2026-03-01T05:00:00Z')
/** The size of the file whose load shows the peak memory, in 10^6 bytes. */
const RAW_MB = Number(process.env.FEEDMILL_BENCH_RAW_MB ?? 300)
export const RAW = `raw-${RAW_MB}.tsv`
export const pathOf = name => join(DATA, name)

/** Lines that are gathered before a write. */
const BLOCK_LINES = 5_000

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

/**
 * Writes a file in blocks.
 * @param isWhole says with the rows and bytes so far whether the file is complete
 */
async function writeLines(name, schema, line, isWhole) {
  const columns = Object.keys(schema.columns)
  const file = createWriteStream(pathOf(name))
  const closed = once(file, 'close')
  let lines = [columns.join('\t')]
  let rows = 0
  let bytes = 0
  while (!isWhole(rows, bytes)) {
    const text = line(columns, rows++)
    bytes += text.length + 1
    lines.push(text)
    if (lines.length < BLOCK_LINES) continue
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain')
    lines = []
  }
  file.end(lines.length === 0 ? '' : `${lines.join('\n')}\n`)
  await closed
  return rows
}

function writeFeed(name, schema, count, step, hour) {
  return writeLines(
    name,
    schema,
    (columns, n) => lineOf(columns, n * step, hour),
    rows => rows === count,
  )
}

/** What `npm run bench:sinks` has built of shaped-rows.ts. */
export const shapedRows = () => import('../../.tmp/bench/sinks/shaped-rows.js')

/** The columns of a file, in their order. */
export async function columnsOf(name) {
  for await (const line of createInterface({ input: createReadStream(pathOf(name)) }))
    return line.split('\t')
}

/** Writes the files of the table, of the load and of the hour, unless they are there. */
export async function prepareFeeds() {
  await mkdir(DATA, { recursive: true })
  if (SHAPE !== undefined && !existsSync(pathOf(LOAD))) {
    const { writeShapedRows } = await shapedRows()
    await writeShapedRows(SHAPE, LOADED, pathOf(LOAD))
  }
  if (existsSync(pathOf('feeds'))) return
  await writeFeed('loaded.tsv', itemSchema, LOADED, 1, '')
  await writeFeed('hour.tsv', itemSnapshotSchema, HOURLY, 20, ' now')
  await writeFeed('table.tsv', itemSchema, ITEMS, 1, '')
  await writeFile(pathOf('feeds'), '')
}

/** Writes the bootstrap whose load shows the peak memory, unless it is there. */
export async function prepareRaw() {
  if (existsSync(pathOf(`${RAW}.rows`))) return
  await mkdir(DATA, { recursive: true })
  const rows = await writeLines(
    RAW,
    itemSchema,
    (columns, n) => lineOf(columns, n, ''),
    (_, bytes) => bytes >= RAW_MB * 1e6,
  )
  await writeFile(pathOf(`${RAW}.rows`), String(rows))
}

export const rowsOfRaw = async () => Number(await readFile(pathOf(`${RAW}.rows`), 'utf8'))

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
      const { keyedRows } = await import('../../.tmp/bench/sinks/keyed-rows.js')
      const leaveOut = (_row, error) => {
        throw error
      }
      const rows = pipeline(new FileSource(pathOf(name))).to(new TsvRowParser({ schema, file }))
      for await (const batch of rows.batches()) yield keyedRows(batch, { key: 'itemId' }, leaveOut)
    },
  }
}

export const bootstrap = name =>
  targetFile({ feed: 'item', scope: 'ALL_ACTIVE' }, name, itemSchema, START)
export const hourly = () =>
  targetFile(
    { feed: 'item_snapshot', hour: HOUR.toISOString() },
    'hour.tsv',
    itemSnapshotSchema,
    HOUR,
  )
