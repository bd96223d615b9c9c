// Long: it loads DuckDB.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  aspects,
  boolean,
  conditionDescriptors,
  decimal,
  defineSchema,
  int32,
  int64,
  itemSchema,
  list,
  pipeline,
  regions,
  TsvRowParser,
  text,
  timestamp,
} from '../../../src/index'
import { duckdbSink } from '../../../src/integrations/duckdb'
import { duckdbRows } from '../../duckdb-rows'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-duckdb-'))
  path = join(folder, 'sink.duckdb')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const query = (sql: string) => duckdbRows(path, sql, { access_mode: 'READ_ONLY' })

const schema = defineSchema({
  name: 'cells',
  columns: {
    t: text(),
    n: int32(),
    big: int64(),
    price: decimal(),
    flag: boolean(),
    at: timestamp(),
    tags: list('|', text()),
    sizes: list('|', int32()),
    aspects: aspects(),
    described: conditionDescriptors(),
    regions: regions(),
  },
})

const cellText = fc.string({ unit: 'binary', maxLength: 30 }).filter(one => !one.includes('\0'))
/** A row, and how DuckDB writes it as JSON. */
const rowOf = fc.record({
  t: fc.option(cellText.filter(one => one !== '')),
  n: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  big: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  price: fc.option(
    fc
      .bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n })
      .map(units => ({ text: decimalText(units), toNumber: () => Number(units) / 1e10 })),
  ),
  flag: fc.option(fc.boolean()),
  at: fc.option(
    fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-01-01') }),
  ),
  tags: fc.array(fc.option(cellText), { maxLength: 4 }),
  sizes: fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 3 }),
  aspects: fc.array(
    fc.record({ label: fc.option(cellText), name: cellText, value: fc.option(cellText) }),
    { maxLength: 3 },
  ),
  described: fc.array(fc.record({ name: cellText, values: fc.array(cellText, { maxLength: 3 }) }), {
    maxLength: 2,
  }),
  regions: fc.option(
    fc.record({
      countries: fc.array(cellText, { maxLength: 3 }),
      regions: fc.array(cellText, { maxLength: 3 }),
    }),
  ),
})

function decimalText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(11, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -10)}.${digits.slice(-10)}`
}

describe('duckdbSink', () => {
  test('Every value that its column can hold reads back as it was.', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { minLength: 1, maxLength: 40 }), async rows => {
        await pipeline([rows]).run(duckdbSink(path, { table: 'cells', schema, mode: 'replace' }))
        const read = await query('SELECT *, epoch_ms("at") AS ms FROM cells ORDER BY rowid')
        expect(read.map(({ at: _, ms, ...row }) => ({ ...row, at: ms }))).toEqual(
          rows.map(({ big, price, at, ...row }) => ({
            ...row,
            big: big === null ? null : big.toString(),
            price: price === null ? null : price.text,
            at: at === null ? null : String(at.getTime()),
          })),
        )
      }),
      { numRuns: 10 },
    )
  }, 60_000)

  test('Rows over many chunks keep their order, and texts of each length.', async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => ({
      t: 'é'.repeat(n % 8) + 'x'.repeat(n % 29) || null,
      n,
      tags: Array.from({ length: n % 5 }, (_, k) => `tag ${k} of ${n}`),
    }))
    await pipeline([rows]).run(
      duckdbSink(path, { table: 'cells', schema, columns: ['n', 't', 'tags'] }),
    )
    expect(await query('SELECT t, n, tags FROM cells ORDER BY n')).toEqual(rows)
  })

  test('Batches of a parser, whose ends are not those of chunks, give what their objects give.', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const cells = (n: number) => [
      n % 3 === 0 ? '' : `${'ü'.repeat(n % 9)} \\" ${'x'.repeat(n % 31)}`,
      n % 4 === 0 ? '' : String(n - 5_000),
      n % 5 === 0 ? '' : String(BigInt(n) << 40n),
      n % 6 === 0 ? '' : `-${n}.25`,
      n % 7 === 0 ? '' : String(n % 2 === 0),
      n % 8 === 0 ? '' : new Date(n * 1e9).toISOString(),
      Array.from({ length: n % 4 }, (_, k) => 't'.repeat((n + k) % 20) || 'none').join('|'),
      Array.from({ length: n % 3 }, (_, k) => n * k).join('|'),
      n % 3 === 0 ? '' : `${base64('Brand')}|${base64(`a long name ${n}`)}`,
    ]
    const names = ['t', 'n', 'big', 'price', 'flag', 'at', 'tags', 'sizes', 'colour']
    const lines = Array.from({ length: 20_000 }, (_, n) => {
      const [t = '', ...others] = cells(n)
      return [t === '' ? '' : `"${t}"`, ...others].join('\t')
    })
    const file = Buffer.from(`${names.join('\t')}\n${lines.join('\n')}\n`)
    const rows = () => pipeline([file]).to(new TsvRowParser({ schema }))
    await rows().run(duckdbSink(path, { table: 'batches', columns: names }))
    await rows()
      .map(row => row.toObject())
      .run(duckdbSink(path, { table: 'objects', columns: names, schema }))
    for (const sql of [
      'SELECT * FROM objects EXCEPT ALL SELECT * FROM batches',
      'SELECT * FROM batches EXCEPT ALL SELECT * FROM objects',
    ])
      expect(await query(sql)).toEqual([])
    expect(await query('SELECT count(*) AS n, count(t) AS t, sum(n) AS sum FROM batches')).toEqual([
      { n: '20000', t: '13333', sum: expect.any(String) },
    ])
  })

  test('Rows of a parser bring their own schema, and other columns of the file are text.', async () => {
    const file = 'itemId\tpriceValue\tcolour\nv1|1|0\t19.90125\tred\n'
    await pipeline([Buffer.from(file)])
      .to(new TsvRowParser({ schema: itemSchema }))
      .run(
        duckdbSink(path, { table: 'items', columns: ['itemId', 'priceValue', 'colour' as string] }),
      )
    expect(await query('SELECT *, typeof(priceValue) AS type FROM items')).toEqual([
      { itemId: 'v1|1|0', priceValue: '19.9012500000', colour: 'red', type: 'DECIMAL(38,10)' },
    ])
  })

  test.each(['1.00000000001', '12345678901234567890123456789', '-12345678901234567890123456789.5'])(
    'A decimal that would be rounded or lost is refused (%s).',
    async price => {
      const file = `t\tprice\nx\t${price}\n`
      const run = pipeline([Buffer.from(file)])
        .to(new TsvRowParser({ schema }))
        .run(duckdbSink(path, { table: 'cells' }))
      await expect(run).rejects.toMatchObject({
        code: 'CELL_INVALID',
        context: { row: 1, line: 2, column: 'price', excerpt: price },
      })
    },
  )

  test.each([{}, { memoryBytes: 64 * 2 ** 20 }])(
    'A table of items holds the rows of several row groups within %o.',
    async limit => {
      const sink = duckdbSink<object>(path, { table: 'items', schema: itemSchema, ...limit })
      const rows = Array.from({ length: 500 }, (_, n) => ({
        itemId: `v1|${n}|0`,
        title: `Item ${n} with a title of the usual length`,
        priceValue: { text: `${n}.95`, toNumber: () => n },
        additionalImageUrls: [`https://img.example/${n}/1.jpg`, `https://img.example/${n}/2.jpg`],
      }))
      await pipeline(Array.from({ length: 150 }, () => rows)).run(sink)
      expect(
        await query('SELECT count(*) AS n, count(DISTINCT title) AS titles FROM items'),
      ).toEqual([{ n: '75000', titles: '500' }])
    },
  )

  test('Objects without a schema are refused, and so is a second writer.', async () => {
    await expect(
      pipeline<unknown>([{ t: 'one' }]).run(duckdbSink(path, { table: 'cells' })),
    ).rejects.toMatchObject({ code: 'OPTION_INVALID', context: { option: 'schema' } })
    const first = duckdbSink<object>(path, { table: 'cells', schema })
    await first.open?.()
    await expect(
      pipeline([{ t: 'one' }]).run(duckdbSink<object>(path, { table: 'more', schema })),
    ).rejects.toMatchObject({ code: 'STATE_LOCKED', context: { path } })
    await first.commit()
  })
})
