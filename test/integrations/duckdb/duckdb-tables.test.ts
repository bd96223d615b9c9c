// What the tables of the DuckDB target hold beside the rows that the laws compare.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { versionOfRow } from '../../../src/engine/codec/merge/version-order'
import {
  type FeedName,
  type FeedSchema,
  pipeline,
  schemaOf,
  TsvRowParser,
} from '../../../src/index'
import { duckdbTarget } from '../../../src/integrations/duckdb'
import type { FileId } from '../../../src/sync'
import { targetStatus } from '../../../src/sync'
import { keyColumnOf } from '../../../src/sync/file-id'
import type { OpenTarget, TargetFile } from '../../../src/sync/target/target'
import { duckdbRows } from '../../duckdb-rows'
import { headOf, keyedRowsOf } from '../../state/keyed-rows-of'

const CATEGORY = { marketplace: 'MKT_US', categoryId: "22'0" }
const signal = new AbortController().signal
const options = {
  origin: { marketplace: 'MKT_US', service: "https://o'service.test" },
  memoryBytes: 2 ** 26,
  signal,
}
const HOUR = '2026-03-01T05:00:00.000Z'
const SNAPSHOT: FileId = { ...CATEGORY, feed: 'item_snapshot', hour: HOUR }

let folder: string
let path: string
let open: OpenTarget[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-duckdb-'))
  path = join(folder, 'items.duckdb')
  open = []
})
afterEach(async () => {
  for (const target of open) await target.close()
  await rm(folder, { recursive: true, force: true })
})

async function opened() {
  const target = await duckdbTarget(path).open(options)
  open.push(target)
  return target
}

async function closed(): Promise<void> {
  for (const target of open.splice(0)) await target.close()
}

/** A file of these lines, the first of which is its header. */
function fileOf(id: FileId, lines: readonly string[], generated?: Date): TargetFile {
  const lastModified = 'Sun, 01 Mar 2026 07:00:00 GMT'
  return {
    id,
    identity: { totalBytes: 100, lastModified, etag: '"a\'b"' },
    rawBytes: 1_000,
    generated,
    signal,
    badRows: 3,
    counts: {},
    checkRemoval() {},
    async accept() {},
    async *rows() {
      const file = {
        feed: id.feed,
        ...CATEGORY,
        lastModified: new Date(lastModified),
        ...('hour' in id && { hour: new Date(id.hour) }),
      }
      const parser = new TsvRowParser({ schema: schemaOf(id.feed as FeedName) as FeedSchema, file })
      const text = `${lines.join('\n')}\n`
      for await (const batch of pipeline([Buffer.from(text)])
        .to(parser)
        .batches()) {
        const rows = [...batch]
        const keys = rows.map(row => row.text(keyColumnOf(id) as never))
        const heads = rows.map((row, n) => headOf(row, versionOfRow(row, keys[n]!)))
        yield keyedRowsOf(batch as never, keys, heads)
      }
    },
  }
}

const query = (sql: string) => duckdbRows(path, sql)

describe('the tables of a DuckDB target', () => {
  test('No row is lost for a cell: other and invalid keep the texts of cells without a typed value.', async () => {
    const category = await (await opened()).category(CATEGORY)
    await category.apply(
      fileOf(SNAPSHOT, [
        'itemId\tavailability\tpriceValue\testimatedAvailableQuantity\tcolour',
        'v1|1|0\tAVAILABLE\t1.23456\tmany\tdark "red"',
        'v1|2|0\tAVAILABLE\t19.90\t7\t',
      ]),
    )
    await closed()
    expect(
      await query(
        'SELECT item_id, price_value, estimated_available_quantity AS n, other, invalid FROM items ORDER BY item_id',
      ),
    ).toEqual([
      {
        item_id: 'v1|1|0',
        price_value: null,
        n: null,
        other: [{ key: 'colour', value: 'dark "red"' }],
        invalid: [
          { key: 'priceValue', value: '1.23456' },
          { key: 'estimatedAvailableQuantity', value: 'many' },
        ],
      },
      { item_id: 'v1|2|0', price_value: '19.9000', n: 7, other: [], invalid: [] },
    ])
    expect(await query('SELECT bad_rows FROM files')).toEqual([{ bad_rows: '3' }])
  })

  test('fault 143: a column that the tables of an earlier release lack is added, to the view too.', async () => {
    await (await opened()).category(CATEGORY)
    await closed()
    await query('DROP VIEW current_items')
    for (const table of ['items', 'item_groups', 'priorities']) {
      // Behind the heads of a row and its key.
      const [column] = (await query(`DESCRIBE ${table}`)).slice(8)
      await query(`ALTER TABLE ${table} DROP COLUMN "${column!.column_name}"`)
    }
    await query('ALTER TABLE items DROP COLUMN title')
    const category = await (await opened()).category(CATEGORY)
    await category.apply(fileOf(SNAPSHOT, ['itemId\ttitle', 'v1|1|0\tone']))
    await closed()
    expect(await query('SELECT title, availability FROM current_items')).toEqual([
      { title: 'one', availability: null },
    ])
  })

  test('A decimal with more digits than its column stands in invalid, in its place.', async () => {
    const category = await (await opened()).category(CATEGORY)
    const prices = ['', '99999999999999.9999', '-99999999999999.9999', '0.0001', '7.50000']
    const unfit = ['100000000000000', '-100000000000000', '922337203685477.5808', '1e3', '0.00001']
    const all = [...prices, ...unfit].map((price, n) => `v1|${n}|0\t${price}`)
    await category.apply(fileOf(SNAPSHOT, ['itemId\tpriceValue', ...all]))
    await closed()
    const rows = await query('SELECT item_id, price_value AS price, invalid FROM items')
    const byId = new Map(rows.map(({ item_id, price, invalid }) => [item_id, { price, invalid }]))
    const fitting = [null, '99999999999999.9999', '-99999999999999.9999', '0.0001', '7.5000']
    fitting.forEach((price, n) => {
      expect(byId.get(`v1|${n}|0`)).toEqual({ price, invalid: [] })
    })
    unfit.forEach((value, n) => {
      const row = { price: null, invalid: [{ key: 'priceValue', value }] }
      expect(byId.get(`v1|${prices.length + n}|0`)).toEqual(row)
    })
  })

  test('A file with an unknown name in the ledger is refused, because its rows would be taken again.', async () => {
    const category = await (await opened()).category(CATEGORY)
    await category.apply(fileOf(SNAPSHOT, ['itemId', 'v1|1|0']))
    await closed()
    await query("UPDATE files SET file = 'not a file'")
    const corrupt = {
      code: 'STATE_CORRUPT',
      context: { path, reason: "the ledger has a file of an unknown name: 'not a file'" },
    }
    await expect((await opened()).category(CATEGORY)).rejects.toMatchObject(corrupt)
    await closed()
    await expect(targetStatus(duckdbTarget(path))).rejects.toMatchObject(corrupt)
  })

  test('The tally says what each row did, and only the newest of a repeated key counts.', async () => {
    const category = await (await opened()).category(CATEGORY)
    const header = 'itemId\tavailability\ttitle\titemSnapshotDate'
    const line = (n: number, time: string, title = 'one', availability = 'AVAILABLE') =>
      `v1|${n}|0\t${availability}\t${title}\t2026-03-01T0${time}:00.000Z`
    const gone = (n: number, time: string) => line(n, time, '', 'UNAVAILABLE')
    const first = await category.apply(
      fileOf(SNAPSHOT, [
        header,
        line(1, '5:01'),
        line(2, '5:05'),
        line(3, '5:01'),
        gone(4, '5:01'),
      ]),
    )
    expect(first.rows).toEqual({ inserted: 3, updated: 0, deleted: 0, unchanged: 1, stale: 0 })
    const second = await category.apply(
      fileOf({ ...CATEGORY, feed: 'item_snapshot', hour: '2026-03-01T06:00:00.000Z' }, [
        header,
        line(1, '6:01', 'old'),
        line(1, '6:02', 'new'), // replaces both
        line(2, '5:04', 'late'), // is older
        line(3, '5:01'), // is a repeat
        line(4, '6:01', 'again'), // was removed
        gone(5, '6:01'), // was not there
        line(6, '6:01'),
        gone(6, '6:03'), // inserted and removed in one file
      ]),
    )
    expect(second.rows).toEqual({ inserted: 1, updated: 1, deleted: 0, unchanged: 3, stale: 3 })
    const third = await category.apply(
      fileOf({ ...CATEGORY, feed: 'item_snapshot', hour: '2026-03-01T07:00:00.000Z' }, [
        header,
        gone(1, '7:01'),
      ]),
    )
    expect(third.rows).toEqual({ inserted: 0, updated: 0, deleted: 1, unchanged: 0, stale: 0 })
    await closed()
    expect(await query('SELECT item_id, title FROM items ORDER BY item_id')).toEqual([
      { item_id: 'v1|2|0', title: 'one' },
      { item_id: 'v1|3|0', title: 'one' },
      { item_id: 'v1|4|0', title: 'again' },
    ])
  })

  test('The ledger reads back as it was, in a new process and by targetStatus.', async () => {
    const category = await (await opened()).category(CATEGORY)
    const applied = await category.apply(
      fileOf(SNAPSHOT, ['itemId\tavailability', 'v1|1|0\tAVAILABLE']),
    )
    await category.forgetRemovals(new Date(5))
    await closed()
    const again = await (await opened()).category(CATEGORY)
    expect(again.files).toEqual([applied])
    expect(await again.removalsForgotten()).toEqual(new Date(5))
    await closed()
    const { service, categories } = await targetStatus(duckdbTarget(path), { now: new Date(HOUR) })
    expect(service).toBe(options.origin.service)
    expect(categories).toMatchObject([
      { category: CATEGORY, files: [applied], plan: { watermark: undefined } },
    ])
  })

  test('Another process that has the file open is named.', async () => {
    await opened()
    await closed()
    const program = `
      const { DuckDBInstance } = require('@duckdb/node-api')
      DuckDBInstance.create(${JSON.stringify(path)}).then(() => console.log('open'))
      process.stdin.resume()`
    const child = spawn(process.execPath, ['-e', program])
    try {
      await once(child.stdout, 'data')
      await expect(opened()).rejects.toMatchObject({
        code: 'STATE_LOCKED',
        context: { path },
        message: expect.stringContaining(String(child.pid)),
      })
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })

  test.each([
    'CREATE TABLE items (a INTEGER)',
    'CREATE TABLE Removals (a INTEGER)',
    'CREATE VIEW current_items AS SELECT 1 AS a',
    "CREATE TABLE meta (name VARCHAR, value VARCHAR); INSERT INTO meta VALUES ('mine', 'precious')",
    'CREATE TABLE meta (a INTEGER); CREATE TABLE files (b INTEGER)',
    "CREATE TABLE meta (format INTEGER, service VARCHAR); INSERT INTO meta VALUES (4, 'x')",
  ])(
    'fault 110: tables of somebody else are refused, and their file stays as it was: %s',
    async sql => {
      await query(sql)
      const before = await readFile(path)
      const foreign = {
        code: 'STATE_FOREIGN',
        context: { path },
        message: expect.stringMatching(
          /must be those of feedmill, not another "\w+": use another file/,
        ),
      }
      await expect(opened()).rejects.toMatchObject(foreign)
      await expect(targetStatus(duckdbTarget(path))).rejects.toMatchObject(foreign)
      expect(before.equals(await readFile(path))).toBe(true)
      expect(await readdir(folder)).toEqual(['items.duckdb'])
    },
  )

  test('Tables with names of their own stay beside ours.', async () => {
    await query('CREATE TABLE orders AS SELECT 7 AS a')
    await opened()
    await closed()
    expect(await query('SELECT a FROM orders')).toEqual([{ a: 7 }])
  })

  test('fault 110: a file that is no database of DuckDB is refused, and stays as it was.', async () => {
    for (const content of ['itemId\ttitle\n'.repeat(500), `SQLite format 3\0${'x'.repeat(5000)}`]) {
      await writeFile(path, content)
      await expect(opened()).rejects.toMatchObject({ code: 'STATE_FOREIGN', context: { path } })
      expect(await readFile(path, 'utf8')).toBe(content)
      await rm(path)
    }
  })

  test('A folder that is missing is a typed error.', async () => {
    const missing = duckdbTarget(join(folder, 'missing', 'items.duckdb'))
    await expect(missing.open(options)).rejects.toMatchObject({ code: 'STATE_IO' })
  })
})
