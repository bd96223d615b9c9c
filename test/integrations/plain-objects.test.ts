// Plain objects as rows, in every sink: unknown properties, and values that no sink can write.
//
// Long: it loads DuckDB, and asks a server of PostgreSQL.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cell,
  csvSink,
  defineSchema,
  type FeedError,
  int32,
  json,
  ndjsonSink,
  pipeline,
  type Sink,
  TsvColumnParser,
  TsvRowParser,
  text,
} from '../../src/index'
import { PLACES } from './table-places'

const schema = defineSchema({
  name: 'stock',
  columns: { sku: text(), price: text(), count: int32(), constructor: text(), extra: json() },
})
const NAMES = Object.keys(schema.columns)

/** A sink of plain objects, with what it has written. */
interface Writer {
  readonly isTable: boolean
  sink(): Sink<unknown>
  /** Returns the cells of the columns sku and price; undefined where there is nothing. */
  read(): Promise<unknown[] | undefined>
  clear(): Promise<unknown>
  drop(): Promise<unknown>
}

const [ndjson, csv] = [
  [
    ndjsonSink,
    (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
  ] as const,
  [
    (path: string) => csvSink<unknown>(path, { columns: NAMES }),
    (text: string) => parse(text, { columns: true }),
  ] as const,
].map(([newSink, readText]) => async (): Promise<Writer> => {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-objects-'))
  const path = join(folder, 'out')
  return {
    isTable: false,
    sink: () => newSink(path) as Sink<unknown>,
    read: async () =>
      (await readdir(folder)).length === 0
        ? undefined
        : (readText(await readFile(path, 'utf8')) as Record<string, unknown>[]).map(row => [
            row.sku || null,
            row.price || null,
          ]),
    clear: () => rm(path, { force: true }),
    drop: () => rm(folder, { recursive: true }),
  }
})

const WRITERS: [string, boolean, () => Promise<Writer>][] = [
  ['CSV', true, csv!],
  ['NDJSON', true, ndjson!],
  ...PLACES.map(([name, isHere, open]): [string, boolean, () => Promise<Writer>] => [
    name,
    isHere,
    async () => {
      const place = await open()
      const run = async () =>
        (await place.read('SELECT sku, price FROM t')).map(({ sku, price }) => [sku, price])
      return {
        isTable: true,
        sink: () => place.sink({ table: 't', schema }),
        read: () => run().catch(() => undefined),
        clear: () => place.run('DROP TABLE IF EXISTS t'),
        drop: () => place.drop(),
      }
    },
  ]),
]

class Priced {
  readonly sku = 'a'
  get price() {
    return '1'
  }
}
class Owned {
  readonly sku = 'a'
  readonly price = '1'
  describe() {
    return this.sku
  }
}
class Hidden {
  readonly #sku = 'a'
  describe() {
    return this.#sku
  }
}
const cyclic: Record<string, unknown> = { a: 1 }
cyclic.list = [{ cyclic }]
const deep = () => {
  let value: unknown = new Map()
  for (let n = 0; n < 2_000; n++) value = [value]
  return value
}

const FULL = { sku: 'f', price: '0', count: 1, constructor: 'c', extra: 0 }

const ROWS: [string, object][] = [
  ['an object', { sku: 'a', price: '1' }],
  ['an object without prototype', Object.assign(Object.create(null), { sku: 'a', price: '1' })],
  ['an instance of a class', new Owned()],
  [
    'getters of its own',
    {
      sku: 'a',
      get price() {
        return '1'
      },
    },
  ],
  [
    'a symbol that is not enumerable',
    Object.defineProperty({ sku: 'a', price: '1' }, Symbol('s'), { value: 1 }),
  ],
  [
    'a property without a value',
    { sku: 'a', price: '1', count: undefined, constructor: undefined },
  ],
]

const LOSSES: [string, unknown, RegExp][] = [
  ['a property under a symbol', { sku: 'a', [Symbol('s')]: 1 }, /Symbol\(s\)/],
  ['a getter of its class', new Priced(), /price/],
  ['an inherited cell', Object.assign(Object.create({ price: '1' }), { sku: 'a' }), /price/],
  ['a class that hides all', new Hidden(), /class/],
  ['a list', ['a', '1'], /Array/],
  ['an empty list', [], /Array/],
  ['a Map', new Map([['sku', 'a']]), /Map/],
  ['an Error', Object.assign(new Error('x')), /./],
]

const VALUES: [string, () => unknown, RegExp][] = [
  ['a Map', () => new Map([[1, 2]]), /Map/],
  ['a Set', () => new Set([1]), /Set/],
  ['bytes', () => new Uint8Array(2), /Uint8Array/],
  ['a buffer', () => Buffer.from('a'), /Uint8Array/],
  ['a promise', () => Promise.resolve(1), /Promise/],
  ['a function', () => () => 1, /function/],
  ['a symbol', () => Symbol('s'), /symbol/],
  ['itself', () => cyclic, /circular/],
  ['an error', () => new TypeError('x'), /class/],
  ['an expression', () => /x/, /class/],
  ['private fields', () => new Hidden(), /class/],
  ['a Map in a list', () => [1, { a: new Map() }], /Map as (\w+\.)?1\.a/],
  ['bytes far down', deep, /Map as (\w+\.)?0\.0/],
  ['a function in an object', () => ({ a: 1, b: () => 1 }), /function as (\w+\.)?b/],
]

describe.each(WRITERS)('plain objects into %s', (name, isHere, open) => {
  describe.runIf(isHere)('are written or refused:', () => {
    let writer: Writer
    beforeAll(async () => {
      writer = await open()
    })
    afterAll(() => writer.drop())
    const load = async (rows: readonly unknown[]) => {
      await writer.clear()
      await pipeline([rows]).run(writer.sink())
    }
    const refusal = async (rows: readonly unknown[]): Promise<FeedError> => {
      const error = await load(rows).then(
        () => undefined,
        reason => reason,
      )
      expect(error).toMatchObject({ name: 'FeedError' })
      expect(await writer.read()).toBeUndefined()
      return error
    }

    test.each(ROWS)('fault 145: a row is %s', async (_, row) => {
      await load([row, { ...FULL, sku: 'b', price: '2' }])
      expect(await writer.read()).toEqual([
        ['a', '1'],
        ['b', '2'],
      ])
    })

    test.runIf(name !== 'NDJSON').each(LOSSES)(
      'fault 145: a row with %s is refused',
      async (_, row, reason) => {
        const error = await refusal([FULL, row])
        expect(error.message).toMatch(reason)
        expect(error).toMatchObject({ code: 'SINK_VALUE_INVALID', context: { row: 2 } })
      },
    )

    test.runIf(name !== 'NDJSON')(
      'fault 145: a getter that throws is refused with its row',
      async () => {
        const row = {
          sku: 'b',
          get price(): string {
            throw new RangeError('no price')
          },
        }
        const error = await refusal([FULL, row])
        expect(error).toMatchObject({
          code: 'SINK_VALUE_INVALID',
          message: expect.stringContaining('no price'),
        })
      },
    )

    describe.each(['price', 'extra'])('in the column %s', column => {
      test.each(VALUES)(
        'fault 164: %s is refused with row and column',
        async (_, makeValue, kind) => {
          const error = await refusal([FULL, { sku: 'b', [column]: makeValue() }])
          expect(error.message).toMatch(kind)
          expect(error.message).toContain(column)
          expect(error.context).toMatchObject({ row: 2 })
          expect(error.code).toBe(writer.isTable ? 'CELL_INVALID' : 'SINK_VALUE_INVALID')
        },
      )
    })

    test.runIf(name !== 'NDJSON')(
      'fault 145: an unknown property is refused by name, with the nearest',
      async () => {
        const error = await refusal([FULL, { sku: 'b', prise: '2' }])
        expect(error).toMatchObject({ code: 'COLUMN_UNKNOWN', context: { column: 'prise' } })
        expect(error.message).toMatch(/^row 2 has a property prise, .*: did you mean price\?$/)
      },
    )

    test.runIf(name !== 'NDJSON')(
      'fault 145: what is misspelt anywhere is refused, and all else is written',
      async () => {
        const known = fc.subarray(NAMES.slice(0, 4), { minLength: 1 })
        const odd = fc.constantFrom(
          'prise',
          'Price',
          'PRICE',
          'pric',
          'sk',
          'cuont',
          '__proto__',
          'other',
        )
        const world = fc.array(fc.tuple(known, fc.option(odd, { freq: 3 })), {
          minLength: 1,
          maxLength: 4,
        })
        await fc.assert(
          fc.asyncProperty(world, async shapes => {
            const rows = shapes.map(([names, other], n) => {
              const row = Object.fromEntries(
                names.map(one => [one, one === 'count' ? n : `${one}${n}`]),
              )
              // CSV has a choice of columns: a slip is a property in place of one that is missing.
              const isSlip =
                other !== null && (writer.isTable || (other !== '__proto__' && other !== 'other'))
              if (isSlip && !writer.isTable)
                for (const one of NAMES) if (one !== 'extra') delete row[one]
              if (isSlip) Object.defineProperty(row, other, { value: 'lost', enumerable: true })
              return { row, isSlip }
            })
            const all = [FULL, ...rows.map(({ row }) => row)]
            if (rows.some(({ isSlip }) => isSlip)) {
              const at = rows.findIndex(({ isSlip }) => isSlip) + 2
              const error = await refusal(all)
              expect(error).toMatchObject({
                code: 'COLUMN_UNKNOWN',
                context: { column: shapes[at - 2]![1] },
              })
              expect(error.message).toContain(`row ${at} `)
            } else {
              await load(all)
              const cells = all.map(row => [row.sku ?? null, row.price ?? null])
              expect((await writer.read())!.sort()).toEqual(cells.sort())
            }
          }),
          { numRuns: 25 },
        )
      },
      60_000,
    )

    test('fault 164: what a decoder of the caller returns is checked too', async () => {
      const own = defineSchema({
        name: 'own',
        columns: { sku: text(), extra: cell(() => new Map()) },
      })
      await writer.clear()
      const run = pipeline([Buffer.from('sku\textra\tprice\tcount\tconstructor\na\tx\t\t\t\n')])
        .to(new TsvRowParser({ schema: own }))
        .run(writer.sink())
      await expect(run).rejects.toMatchObject({ message: expect.stringContaining('Map') })
      expect(await writer.read()).toBeUndefined()
    })

    test.runIf(name !== 'NDJSON' && name !== 'CSV')(
      'fault 145: a batch of columns is read by the schema of the sink as its rows are',
      async () => {
        await writer.clear()
        const file = 'SKU\tPrice\tcount\tconstructor\textra\tmore\na\t1\t\t\t\tx\n'
        await pipeline([Buffer.from(file)])
          .to(new TsvColumnParser())
          .run(writer.sink() as never)
        expect(await writer.read()).toEqual([['a', '1']])
        await writer.clear()
        const run = pipeline([Buffer.from('SKU\tcount\na\t\n')])
          .to(new TsvColumnParser())
          .run(writer.sink() as never)
        await expect(run).rejects.toMatchObject({
          code: 'COLUMN_UNKNOWN',
          context: { column: 'price' },
        })
      },
    )
  })
})
