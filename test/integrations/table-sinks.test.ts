// The laws of the sinks of tables, over every database that this machine has: what each mode does to
// a table, the key, NOT NULL, decimals of a scale, plain objects, and cells that do not fit.
//
// Long: it loads DuckDB, and asks a server of PostgreSQL.
// Newer Node: node:sqlite, for which a program stands in.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type BadCell,
  boolean,
  date,
  decimal,
  defineSchema,
  float64,
  int32,
  int64,
  json,
  list,
  oneOf,
  type PipelineSummary,
  pipeline,
  quarantine,
  type SqliteSinkOptions,
  TsvColumnParser,
  TsvRowParser,
  text,
  timestamp,
} from '../../src/index'
import { PLACES, type Place } from './table-places'

const stock = defineSchema({
  name: 'stock',
  columns: { sku: text({ notNull: true }), title: text(), price: decimal({ scale: 2 }) },
})
const TABLE = { table: 't', schema: stock }
const ALL = 'SELECT sku, title, CAST(price AS VARCHAR(99)) AS price FROM t ORDER BY sku, title'

const file = (...lines: string[]) => Buffer.from(`${lines.join('\n')}\n`)
const HEADING = 'sku\ttitle\tprice'
const FILE = file(HEADING, 'a\tone\t1.50', 'b\t\t')
const WRITTEN = [
  { sku: 'a', title: 'one', price: '1.50' },
  { sku: 'b', title: null, price: null },
]
const OTHER = file(HEADING, 'c\tthree\t3.25')
const ADDED = { sku: 'c', title: 'three', price: '3.25' }

describe.each(PLACES)('the sink of %s', (_, isHere, openPlace) => {
  describe.runIf(isHere)('keeps the laws of tables:', () => {
    let place: Place
    beforeAll(async () => {
      place = await openPlace()
    })
    afterAll(() => place.drop())
    beforeEach(async () => {
      await place.run('DROP TABLE IF EXISTS t')
    })

    const load = (bytes: Buffer, options: Partial<SqliteSinkOptions> = {}, schema = stock) =>
      pipeline([bytes])
        .to(new TsvRowParser({ schema }))
        .run(place.sink({ ...options, table: 't' }))
    const loadObjects = (objects: object[], options: Partial<SqliteSinkOptions> = {}) =>
      pipeline([objects]).run(place.sink({ ...TABLE, ...options }))

    test('create makes a table with the NOT NULL of the schema, and refuses one that is there', async () => {
      await load(FILE)
      expect(await place.read(ALL)).toEqual(WRITTEN)
      expect(await place.required()).toEqual(['sku'])
      await expect(load(OTHER)).rejects.toMatchObject({
        code: 'SINK_FAILED',
        message: expect.stringContaining('the table t already exists: choose another mode'),
      })
      expect(await place.read(ALL)).toEqual(WRITTEN)
    })

    test.each([
      ['of a header line alone', file('sku\ttitle')],
      ['whose rows are all left out', file('sku\ttitle', 'a')],
      ['whose rows are all filtered out', file('sku\ttitle', 'a\tone')],
    ])('fault 108: a file %s makes an empty table, and the mode holds', async (_case, rows) => {
      const run = (mode: 'create' | 'replace' | 'append') =>
        pipeline([rows])
          .to(new TsvRowParser({ onBadRow: 'skip' }))
          .filter(() => false)
          .run(place.sink({ table: 't', mode }))
      await run('append')
      expect(await place.read('SELECT sku, title FROM t')).toEqual([])
      await expect(run('create')).rejects.toMatchObject({ code: 'SINK_FAILED' })
      await load(FILE, { mode: 'replace' })
      await run('append')
      expect(await place.read(ALL)).toEqual(WRITTEN)
      await run('replace')
      expect(await place.read('SELECT sku, title FROM t')).toEqual([])
      await expect(place.read('SELECT price FROM t')).rejects.toThrow(/price/)
    })

    test('fault 108: where nothing says the columns, the mode holds too', async () => {
      const run = (mode: 'create' | 'replace' | 'append') =>
        pipeline([]).run(place.sink({ table: 't', mode }))
      await run('create')
      await load(FILE)
      await run('append')
      await expect(run('create')).rejects.toMatchObject({ code: 'SINK_FAILED' })
      expect(await place.read(ALL)).toEqual(WRITTEN)
      await run('replace')
      await expect(place.read('SELECT sku FROM t')).rejects.toThrow(/\bt\b/)
    })

    test('fault 108: a column that a file without rows does not have is refused', async () => {
      const columns = ['sku', 'colour']
      await expect(load(file('sku\ttitle'), { columns })).rejects.toMatchObject({
        code: 'COLUMN_UNKNOWN',
        context: { column: 'colour' },
      })
    })

    test('replace leaves no old row and no old column, and makes a missing table', async () => {
      await load(OTHER, { mode: 'replace' })
      await place.run('ALTER TABLE t ADD COLUMN theirs INTEGER')
      await load(FILE, { mode: 'replace' })
      expect(await place.read(ALL)).toEqual(WRITTEN)
      await expect(place.read('SELECT theirs FROM t')).rejects.toThrow(/theirs/)
    })

    test('append adds rows by the names of the columns, and makes a missing table', async () => {
      await load(FILE, { mode: 'append' })
      await load(file('price\tsku', '3.25\tc'), { mode: 'append', columns: ['price', 'sku'] })
      expect(await place.read(ALL)).toEqual([...WRITTEN, { ...ADDED, title: null }])
    })

    test('fault 110: a table that lacks a column of the rows stays as it was', async () => {
      await place.run('CREATE TABLE t (sku TEXT)')
      await place.run("INSERT INTO t VALUES ('theirs')")
      for (const options of [{ mode: 'append' }, { mode: 'upsert', key: ['sku'] }] as const) {
        await expect(load(FILE, options)).rejects.toMatchObject({
          code: 'STATE_FOREIGN',
          message: expect.stringContaining('choose another table'),
          context: { what: 'columns', expected: 'title, price' },
        })
      }
      expect(await place.read('SELECT * FROM t')).toEqual([{ sku: 'theirs' }])
    })

    test('upsert puts rows in the place of those of their keys, and the last of a key counts', async () => {
      const options = { mode: 'upsert', key: ['sku'] } as const
      await load(FILE, options)
      await place.run('ALTER TABLE t ADD COLUMN theirs INTEGER')
      await place.run('UPDATE t SET theirs = 7')
      await load(file(HEADING, 'b\tfirst\t1', 'c\tthree\t3.25', 'b\tlast\t2.00'), options)
      const theirs = await place.read('SELECT CAST(theirs AS VARCHAR(9)) AS n FROM t ORDER BY sku')
      expect(theirs).toEqual([{ n: '7' }, { n: '7' }, { n: null }])
      expect(await place.read(ALL)).toEqual([
        WRITTEN[0],
        { sku: 'b', title: 'last', price: '2.00' },
        ADDED,
      ])
    })

    test('the result of a run says what the sink wrote, left out and replaced', async () => {
      const rows = file(HEADING, 'a\tone\t1', 'b\ttwo\t2', 'a\tthree\t3', 'a\tfour\t4')
      const settled: unknown[] = []
      const run = async (options: Partial<SqliteSinkOptions>, bytes = rows) => {
        const onSettled = ({ sink }: PipelineSummary) => settled.push(sink)
        const parser = new TsvRowParser({ schema: stock })
        const { stages, sink } = await pipeline([Buffer.from(bytes)], { onSettled })
          .to(parser)
          .run(place.sink({ ...options, table: 't' }))
        expect([settled.at(-1), stages.at(-1)!.rowsOut]).toEqual([sink, 4])
        return sink
      }
      const key = ['sku']
      const once = { written: 2, leftOut: 0, replaced: 2 }
      expect(await run({ key })).toEqual(once)
      expect(await run({ mode: 'replace', key })).toEqual(once)
      expect(await run({ mode: 'upsert', key })).toEqual(once)
      const pair = ['sku', 'title']
      expect(await run({ mode: 'replace', key: pair })).toEqual({
        ...once,
        written: 4,
        replaced: 0,
      })
      expect(await run({ mode: 'replace' })).toEqual({ written: 4, leftOut: 0, replaced: 0 })
      expect(await place.read('SELECT sku FROM t')).toHaveLength(4)
      await place.run('DROP TABLE t')
      // Rows that are there already are written too, where they are nothing but their key.
      const keys = { mode: 'upsert', key: pair, columns: pair } as const
      for (let n = 0; n < 2; n++)
        expect(await run(keys)).toEqual({ written: 4, leftOut: 0, replaced: 0 })
      await place.run('DROP TABLE t')
      const path = join(await mkdtemp(join(tmpdir(), 'feedmill-counts-')), 'bad.ndjson')
      const bad = file(HEADING, 'a\tone\t1', 'b\ttwo\tmany', 'a\tthree\t3', 'c\tfour\tfew')
      const kept = { key, onBadCell: quarantine(path) }
      expect(await run(kept, bad)).toEqual({ written: 1, leftOut: 2, replaced: 1 })
    })

    test('batches of columns and of rows put a cell of text into a column of JSON in one way', async () => {
      const texts = defineSchema({ name: 'texts', columns: { sku: text(), more: text() } })
      const schema = defineSchema({ name: 'more', columns: { sku: text(), more: json() } })
      const cells = file('sku\tmore', 'a\t{"b":[1]}', 'b\t')
      const read = async (parser: TsvRowParser | TsvColumnParser) => {
        const sink = place.sink({ table: 't', schema, mode: 'replace' })
        await pipeline([Buffer.from(cells)])
          .to(parser as TsvRowParser)
          .run(sink)
        return place.read('SELECT sku, CAST(more AS VARCHAR(99)) AS more FROM t ORDER BY sku')
      }
      const rows = await read(new TsvRowParser({ schema: texts }))
      expect(await read(new TsvColumnParser({ schema: texts }))).toEqual(rows)
      expect(rows.map(row => JSON.parse(String(row.more)))).toEqual([{ b: [1] }, null])
    })

    test('a key of several columns, and a table of nothing but its key', async () => {
      const options = { mode: 'upsert', key: ['sku', 'title'] } as const
      const rows = file('sku\ttitle', 'a\tx', 'a\ty', 'a\tx')
      for (let n = 0; n < 2; n++) await load(rows, { ...options, columns: ['sku', 'title'] })
      expect(await place.read('SELECT sku, title FROM t ORDER BY title')).toEqual([
        { sku: 'a', title: 'x' },
        { sku: 'a', title: 'y' },
      ])
      expect(await place.required()).toEqual(['sku', 'title'])
      await expect(load(file('sku\ttitle', 'a\t'), { ...options, columns: ['sku', 'title'] }))
        .rejects // an empty key
        .toMatchObject({ code: 'CELL_INVALID', context: { column: 'title', line: 2 } })
    })

    test('upsert keeps the columns and the index of a table that somebody else has made', async () => {
      await place.run(
        `CREATE TABLE t (theirs INTEGER DEFAULT 7, price NUMERIC(38, 2), title VARCHAR(99),
         sku VARCHAR(99) PRIMARY KEY)`,
      )
      await place.run("INSERT INTO t (sku, title) VALUES ('a', 'old'), ('z', 'kept')")
      await load(FILE, { mode: 'upsert', key: ['sku'] })
      const read = 'SELECT sku, title, CAST(theirs AS VARCHAR(9)) AS n FROM t ORDER BY sku'
      expect(await place.read(read)).toEqual([
        { sku: 'a', title: 'one', n: '7' },
        { sku: 'b', title: null, n: '7' },
        { sku: 'z', title: 'kept', n: '7' },
      ])
    })

    test.each(['create', 'replace'] as const)(
      '%s with a key keeps the last row of each',
      async mode => {
        await load(file(HEADING, 'b\tx\t', 'a\tone\t1.50', 'b\t\t'), { mode, key: ['sku'] })
        expect(await place.read(ALL)).toEqual(WRITTEN)
      },
    )

    test('Many rows with a key are those of a map, whatever their order.', async () => {
      const rows = Array.from({ length: 40_000 }, (_, n) => ({
        sku: `k${(n * 7919) % 9_001}`,
        title: String(n),
      }))
      const known = new Map(rows.map(({ sku, title }) => [sku, title]))
      const half = rows.length / 2
      for (const some of [rows.slice(0, half), rows.slice(half)])
        await loadObjects(some, { mode: 'upsert', key: ['sku'] })
      const read = await place.read('SELECT sku, title FROM t')
      expect(new Map(read.map(({ sku, title }) => [sku, title]))).toEqual(known)
      expect(read.length).toBe(known.size)
    })

    test('Nothing of a run that fails is visible, in any mode.', async () => {
      await load(FILE, { mode: 'upsert', key: ['sku'] })
      for (const options of [
        { mode: 'append' },
        { mode: 'replace' },
        { mode: 'upsert', key: ['sku'] },
      ] as const) {
        const first = options.mode === 'append' ? 'e' : 'a'
        const torn = file(HEADING, `${first}\tother\t9`, 'c\tthree\t3.25', 'd\t"torn')
        await expect(load(torn, options)).rejects.toMatchObject({ code: 'TSV_QUOTE_UNCLOSED' })
        expect(await place.read(ALL)).toEqual(WRITTEN)
      }
      await place.run('DROP TABLE t')
      await expect(load(file(HEADING, 'a\t"torn'))).rejects.toMatchObject({ name: 'FeedError' })
      await load(FILE)
    })

    test('Objects of a schema give what the rows of a file give.', async () => {
      await loadObjects([
        { sku: 'a', title: 'one', price: '1.50', unknown: undefined },
        { sku: 'b', title: '', price: undefined },
      ])
      expect(await place.read(ALL)).toEqual(WRITTEN)
      const price = { text: '3.25', toNumber: () => 3.25 }
      await loadObjects([{ sku: 'c', title: 'three', price }], { mode: 'append' })
      await load(file(HEADING, 'd\t\t1'), { mode: 'append' })
      expect((await place.read(ALL)).slice(2)).toMatchObject([ADDED, { sku: 'd' }])
    })

    test.each([0, 2, 10, 18])('A decimal of the scale %d keeps every digit.', async scale => {
      const schema = defineSchema({
        name: 'prices',
        columns: { n: int32(), price: decimal({ scale }) },
      })
      const units = fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n })
      await fc.assert(
        fc.asyncProperty(fc.array(units, { minLength: 1, maxLength: 30 }), async some => {
          const texts = some.map(one => decimalText(one, scale))
          const rows = texts.map((price, n) => `${n}\t${price}`)
          const options = { mode: 'replace' } as const
          const read = async () =>
            (
              await place.read(
                'SELECT CAST(price AS VARCHAR(99)) AS price FROM t ORDER BY CAST(n AS INTEGER)',
              )
            ).map(({ price }) => price)
          await load(file('n\tprice', ...rows), options, schema as never)
          expect(await read()).toEqual(texts)
          await loadObjects(
            texts.map((price, n) => ({ n, price })),
            { ...options, schema },
          )
          expect(await read()).toEqual(texts)
        }),
        { numRuns: 5 },
      )
    })

    const BAD = file(HEADING, 'a\tone\t1.505', 'b\t\t')
    const NULLED = [{ ...WRITTEN[0], price: null }, WRITTEN[1]]

    test('A value that does not fit follows onBadCell.', async () => {
      await expect(load(BAD)).rejects.toMatchObject({
        code: 'CELL_INVALID',
        context: { column: 'price', line: 2, row: 1, excerpt: '1.505' },
      })
      await load(BAD, { mode: 'replace', onBadCell: 'null' })
      expect(await place.read(ALL)).toEqual(NULLED)
      const bad: BadCell[] = []
      await load(BAD, { mode: 'replace', onBadCell: cell => void bad.push(cell) })
      expect(await place.read(ALL)).toEqual(NULLED)
      expect(bad).toMatchObject([{ column: 'price', text: '1.505', position: { line: 2 } }])
    })

    test('A value of an object that does not fit follows onBadCell too.', async () => {
      const objects = [{ sku: 'a', title: 'one', price: 1.505 }, { sku: 'b' }]
      await expect(loadObjects(objects)).rejects.toMatchObject({
        code: 'CELL_INVALID',
        context: { column: 'price', row: 1 },
      })
      const bad: BadCell[] = []
      await loadObjects(objects, { mode: 'replace', onBadCell: cell => void bad.push(cell) })
      expect(await place.read(ALL)).toEqual(NULLED)
      expect(bad).toMatchObject([{ column: 'price', text: '1.505', position: { row: 1 } }])
    })

    test('onBadCell may be a quarantine, which takes the whole row.', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'feedmill-left-out-'))
      const path = join(folder, 'bad.ndjson')
      await load(BAD, { onBadCell: quarantine(path) })
      expect(await place.read(ALL)).toEqual([WRITTEN[1]])
      expect(await readFile(path, 'utf8')).toContain('CELL_INVALID')
      await rm(folder, { recursive: true })
    })

    test('A NOT NULL column takes no empty value, whatever onBadCell says.', async () => {
      const onBadCell = 'null'
      for (const sku of ['', '""'])
        await expect(load(file(HEADING, `${sku}\tone\t1`), { onBadCell })).rejects.toMatchObject({
          code: 'CELL_INVALID',
          context: { column: 'sku', line: 2 },
        })
      for (const sku of [null, undefined, ''])
        await expect(loadObjects([{ sku, title: 'x' }], { onBadCell })).rejects.toMatchObject({
          code: 'CELL_INVALID',
          context: { column: 'sku', row: 1 },
        })
    })

    const KINDS = defineSchema({
      name: 'kinds',
      columns: {
        n: int32(),
        big: int64(),
        weight: float64(),
        used: boolean(),
        day: date(),
        at: timestamp(),
        colour: oneOf('red', 'green'),
        tags: list('|'),
        sizes: list('|', int32()),
        extra: json(),
      },
    })

    test.each<[string, unknown]>([
      ['n', 'many'],
      ['n', 1.5],
      ['n', 2 ** 31],
      ['big', 2n ** 63n],
      ['weight', Number.NaN],
      ['used', 1],
      ['day', '2026-02-30'],
      ['day', new Date()],
      ['at', new Date(Number.NaN)],
      ['at', 'soon'],
      ['colour', 'blue'],
      ['tags', [{}, 1, Symbol('x')]],
      ['sizes', ['1', 'x']],
      ['n', {}],
    ])('A value of another kind is a bad cell (%s, case %#).', async (column, value) => {
      await expect(loadObjects([{ [column]: value }], { schema: KINDS })).rejects.toMatchObject({
        code: 'CELL_INVALID',
        context: { column, row: 1 },
      })
    })

    test('Values of each kind, and the texts that stand for them, are the same cells.', async () => {
      const at = new Date('2026-03-01T10:00:00.250Z')
      const values = {
        ...{ n: -5, big: 2n ** 62n, weight: 0.5, used: true, day: '2026-03-01', at },
        ...{ colour: 'red', tags: ['x', 'y'], sizes: [1, 2], extra: { a: [1] } },
      }
      const texts = {
        ...values,
        ...{ n: '-5', big: String(2n ** 62n), weight: '5e-1', used: 'TRUE' },
        ...{ at: at.toISOString(), tags: 'x|y', sizes: '1|2' },
      }
      const names = Object.keys(values)
      await loadObjects([values, texts, {}], { schema: KINDS })
      const line = [...names.slice(0, 9).map(name => String(texts[name as 'n'])), '{"a":[1]}']
      line[5] = at.toISOString()
      await load(file(names.join('\t'), line.join('\t')), { mode: 'append' }, KINDS as never)
      const cells = names.map(name => `CAST("${name}" AS VARCHAR(99)) AS "${name}"`)
      const rows = await place.read(`SELECT ${cells.join(', ')} FROM t`)
      const whole = rows.filter(({ n }) => n !== null)
      expect(whole.length).toBe(3)
      expect(new Set(whole.map(row => JSON.stringify(row))).size).toBe(1)
      expect(whole[0]).toMatchObject({ n: '-5', big: String(2n ** 62n), day: '2026-03-01' })
    })

    test('Rows without a schema are read by the schema of the sink.', async () => {
      await pipeline([file('title\tsku\tprice\tmore', 'one\ta\t1.50\tx')])
        .to(new TsvRowParser())
        .run(place.sink(TABLE))
      expect(await place.read(ALL)).toEqual([WRITTEN[0]])
      const run = pipeline([file('title\tsku\tprice', 'one\ta\tcheap')])
        .to(new TsvRowParser())
        .run(place.sink({ ...TABLE, mode: 'append' }))
      await expect(run).rejects.toMatchObject({
        code: 'CELL_INVALID',
        context: { column: 'price', line: 2 },
      })
    })

    test('A column that only the file has is text of its own.', async () => {
      await load(file(`${HEADING}\tcolour`, 'a\tone\t1.50\tred'))
      expect(await place.read('SELECT sku, colour FROM t')).toEqual([{ sku: 'a', colour: 'red' }])
    })

    test('A second run of the same sink is refused, and does not end the first.', async () => {
      const sink = place.sink(TABLE)
      await sink.open?.()
      await expect(pipeline([[{ sku: 'b' }]]).run(sink)).rejects.toMatchObject({
        code: 'SINK_FAILED',
      })
      await sink.write([{ sku: 'a' }])
      await sink.prepare?.()
      await sink.commit()
      expect(await place.read(ALL)).toMatchObject([{ sku: 'a' }])
    })

    test.each<[string, Partial<SqliteSinkOptions>]>([
      ['key', { mode: 'upsert' }],
      ['key', { mode: 'upsert', key: [] }],
      ['key', { mode: 'upsert', key: ['sku', 'sku'] }],
      ['key', { mode: 'upsert', key: ['none'] }],
      ['key', { mode: 'upsert', key: ['price'], columns: ['sku'] }],
      ['key', { mode: 'append', key: ['sku'] as never }],
      ['mode', { mode: 'merge' as never }],
      ['columns', { columns: [] }],
      ['table', { table: '' }],
      ['onBadCell', { onBadCell: 'skip' as never }],
      ['other', { other: 1 } as never],
    ])('A wrong %s is OPTION_INVALID at the call: %o', (option, options) => {
      expect(() => place.sink({ ...TABLE, ...options })).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          context: expect.objectContaining({ option }),
        }),
      )
    })

    test('A key that the rows do not have is OPTION_INVALID with the first batch.', async () => {
      await expect(load(FILE, { mode: 'upsert', key: ['none'] })).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        context: { option: 'key' },
      })
    })
  })
})

function decimalText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const sign = units < 0n ? '-' : ''
  return sign + (scale === 0 ? whole : `${whole}.${digits.slice(-scale)}`)
}
