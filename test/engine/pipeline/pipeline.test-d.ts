import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Row, RowBatch } from '../../../src/engine/codec/row-batch'
import { type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import type { Sink } from '../../../src/engine/pipeline/sink'
import { tee } from '../../../src/engine/pipeline/tee'
import { quarantine } from '../../../src/engine/quarantine/quarantine'
import { decimal, int32, text } from '../../../src/engine/schema/column-kinds'
import type { ColumnSpec } from '../../../src/engine/schema/column-spec'
import { defineSchema, type RowObject } from '../../../src/engine/schema/feed-schema'
import type { Decimal } from '../../../src/engine/schema/values'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import type { Stage } from '../../../src/engine/stages/stage'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import type { FeedDownload } from '../../../src/service/clients/feed-download'

const schema = defineSchema({
  name: 'item',
  columns: {
    itemId: text({ required: true }),
    quantity: int32(),
    price: decimal(),
  },
})
type Columns = typeof schema.columns
type AnyColumns = Readonly<Record<string, ColumnSpec>>

declare const bytes: AsyncIterable<Uint8Array>
declare const pieces: AsyncIterable<{ offset: number; bytes: Uint8Array }>
declare const needsPrice: Stage<RowBatch<Pick<Columns, 'price'>>, string>
declare const takesAnyRows: Stage<RowBatch<AnyColumns>, string>
declare const download: FeedDownload<Columns>
declare const needsTwo: Stage<{ a: number; b: number }, string>
declare const needsOne: Stage<{ a: number }, { a: number }>

const rowsOfSchema = () => pipeline(bytes).to(new TsvRowParser({ schema }))

test('a chain that fits compiles and carries its types', () => {
  const rows = pipeline(bytes).to(new TsvRowParser({ schema }))
  expectTypeOf(rows).toEqualTypeOf<Pipeline<RowBatch<Columns>>>()
  rows.filter(row => {
    expectTypeOf(row).toEqualTypeOf<Row<Columns>>()
    expectTypeOf(row.get('quantity')).toEqualTypeOf<number | null>()
    expectTypeOf(row.get('price')).toEqualTypeOf<Decimal | null>()
    expectTypeOf(row.get('unheard of' as string)).toEqualTypeOf<unknown>()
    // @ts-expect-error a literal that is no column of the schema
    row.get('unheard of')
    expectTypeOf(row.toObject().quantity).toEqualTypeOf<number | null>()
    return true
  })
  expectTypeOf(rows.map(row => row.get('quantity'))).toEqualTypeOf<Pipeline<(number | null)[]>>()
  expectTypeOf(rows.map(row => row.get('quantity')).map(n => String(n))).toEqualTypeOf<
    Pipeline<string[]>
  >()
  expectTypeOf(rows.take(1).toArray()).resolves.toEqualTypeOf<Row<Columns>[]>()
})

test('chosen columns are the only ones', () => {
  const chosen = pipeline(bytes).to(new TsvRowParser({ schema, columns: ['quantity'] }))
  expectTypeOf(chosen).toEqualTypeOf<Pipeline<RowBatch<Pick<Columns, 'quantity'>>>>()
  chosen.map(row => {
    expectTypeOf(row.get('quantity')).toEqualTypeOf<number | null>()
    expectTypeOf(row.get('price' as string)).toEqualTypeOf<unknown>()
    expectTypeOf(row.toObject()).toEqualTypeOf<{ quantity: number | null }>()
    // @ts-expect-error the price was left out
    row.get('price')
    // @ts-expect-error the same as text
    row.text('price')
    // @ts-expect-error the same in an object
    row.toObject(['quantity', 'price'])
    // @ts-expect-error the same in an object of strings
    row.toStrings(['quantity', 'price'])
    // @ts-expect-error the same as a property
    row.toObject().price
  })
  chosen.filter(row => row.get('quantity') !== null).to(takesAnyRows)
  rowsOfSchema().to(takesAnyRows)
  rowsOfSchema().to(() => takesAnyRows)
  pipeline(bytes).to(new TsvRowParser()).to(takesAnyRows)
  // @ts-expect-error a stage that needs the price cannot follow
  chosen.to(needsPrice)
  // @ts-expect-error a misspelt column, beside one that is right
  new TsvRowParser({ schema, columns: ['quantity', 'itemid'] })
  // @ts-expect-error the same for objects
  new TsvObjectParser({ schema, columns: ['itemid'] })
  // @ts-expect-error the same of a download
  download.rows({ parser: { columns: ['itemid'] } })
  expectTypeOf(download.rows({ parser: { columns: ['price'] } })).toEqualTypeOf<
    Pipeline<RowBatch<Pick<Columns, 'price'>>>
  >()
  expectTypeOf(download.rows()).toEqualTypeOf<Pipeline<RowBatch<Columns>>>()
  const ofTheFile = new TsvRowParser({ schema, columns: ['quantity', 'of the file' as string] })
  expectTypeOf(pipeline(bytes).to(ofTheFile)).toEqualTypeOf<Pipeline<RowBatch<AnyColumns>>>()
  const names: string[] = ['quantity']
  // The compiler knows nothing of names that exist only at run time.
  expectTypeOf(pipeline(bytes).to(new TsvRowParser({ schema, columns: names }))).toEqualTypeOf<
    Pipeline<RowBatch<AnyColumns>>
  >()
  pipeline(bytes)
    .to(new TsvRowParser({ schema, columns: ['price'] }))
    .to(needsPrice)
})

test('without a schema any name is a column, and every cell is text', () => {
  const rows = pipeline(bytes).to(new TsvRowParser())
  rows.map(row => {
    expectTypeOf(row.get('any')).toEqualTypeOf<string | null>()
    expectTypeOf(row.get('any' as string)).toEqualTypeOf<string | null>()
    expectTypeOf(row.text('any')).toEqualTypeOf<string>()
    expectTypeOf(row.toObject(['any'])).toEqualTypeOf<{ any: string | null }>()
    expectTypeOf(row.toObject().any).toEqualTypeOf<string | null | undefined>()
  })
  pipeline(bytes)
    .to(new TsvRowParser({ columns: ['a', 'b'] }))
    .map(row => {
      expectTypeOf(row.get('a')).toEqualTypeOf<string | null>()
      // @ts-expect-error c was left out
      row.get('c')
    })
})

test('objects in place of rows', () => {
  const objects = pipeline(bytes).to(new TsvObjectParser({ schema }))
  expectTypeOf(objects.toArray()).resolves.toEqualTypeOf<RowObject<Columns>[]>()
  const chosen = pipeline(bytes).to(new TsvObjectParser({ schema, columns: ['price'] }))
  expectTypeOf(chosen.toArray()).resolves.toEqualTypeOf<RowObject<Pick<Columns, 'price'>>[]>()
  // @ts-expect-error the quantity was left out
  chosen.map(object => object.quantity)
  // @ts-expect-error a misspelt property
  objects.map(object => object.quantiti)
  objects.map((object: Record<string, unknown>) => object['of the file'])
  const texts = pipeline(bytes).to(new TsvObjectParser({ schema, values: 'text' }))
  expectTypeOf(texts.toArray()).resolves.toEqualTypeOf<Record<string, string>[]>()
})

test('every kind of step carries its types', () => {
  const ones = pipeline([{ a: 1 }])
  const generated = ones.to(async function* (items, signal) {
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
    for await (const item of items) {
      expectTypeOf(item).toEqualTypeOf<{ a: number }>()
      yield item.a
    }
  })
  expectTypeOf(generated).toEqualTypeOf<Pipeline<number>>()
  expectTypeOf(ones.to(items => pipeline(items).map(({ a }) => `${a}`))).toEqualTypeOf<
    Pipeline<string>
  >()
  const web = () => new TransformStream<{ a: number }, string>()
  expectTypeOf(ones.to(web())).toEqualTypeOf<Pipeline<string>>()
  expectTypeOf(ones.to(web)).toEqualTypeOf<Pipeline<string>>()
  // The types of Node streams do not say what they give.
  expectTypeOf(pipeline(bytes).to(createGunzip())).toEqualTypeOf<Pipeline<unknown>>()
  expectTypeOf(pipeline(bytes).to(() => createGunzip())).toEqualTypeOf<Pipeline<unknown>>()
  expectTypeOf(pipeline(bytes).to<Buffer>(createGunzip())).toEqualTypeOf<Pipeline<Buffer>>()
  expectTypeOf(pipeline(bytes).to<Buffer>(() => createGunzip())).toEqualTypeOf<Pipeline<Buffer>>()
})

test('a wrong step of any kind does not compile', () => {
  const ones = pipeline([{ a: 1 }])
  async function* takesTwo(items: AsyncIterable<{ a: number; b: number }>) {
    for await (const { b } of items) yield b
  }
  const web = () => new TransformStream<{ a: number; b: number }, string>()
  // @ts-expect-error a generator that needs {a, b}
  ones.to(takesTwo)
  // @ts-expect-error a web stream that needs {a, b}
  ones.to(web())
  // @ts-expect-error the same through a function that makes it
  ones.to(web)
  // @ts-expect-error a generator that is not async cannot wait for its items
  ones.to(function* () {
    yield 1
  })
  // @ts-expect-error a promise of a stage
  ones.to(async () => needsOne)
  // @ts-expect-error a Readable takes no items
  ones.to(Readable.from([]))
  // @ts-expect-error what a Node stream gives is unknown
  pipeline(bytes).to(createGunzip()).to(new TsvRowParser())
  pipeline(bytes).to<Buffer>(createGunzip()).to(new TsvRowParser())
})

test('filter narrows by a type predicate', () => {
  const mixed = pipeline([[1, 'a', null]])
  const isText = (value: unknown): value is string => typeof value === 'string'
  expectTypeOf(mixed.filter(isText).toArray()).resolves.toEqualTypeOf<string[]>()
  expectTypeOf(mixed.filter(value => value !== null).toArray()).resolves.toEqualTypeOf<
    (string | number)[]
  >()
  expectTypeOf(mixed.filter(value => Boolean(value))).toEqualTypeOf(mixed)
  const items = pipeline([1, 'a'] as (string | number)[])
  expectTypeOf(items.filter(isText)).toEqualTypeOf<Pipeline<string>>()
  const rows = pipeline(bytes).to(new TsvRowParser({ schema }))
  const isRow = (row: Row<Columns>): row is Row<Columns> => row.get('price') !== null
  expectTypeOf(rows.filter(isRow)).toEqualTypeOf<Pipeline<RowBatch<Columns>>>()
  expectTypeOf(rows.filter(row => row.get('price') !== null)).toEqualTypeOf(rows)
})

test('mapAsync, batch and tee carry their types', () => {
  const rows = pipeline(bytes).to(new TsvRowParser({ schema }))
  const mapped = rows.mapAsync(async (row, signal) => {
    expectTypeOf(row).toEqualTypeOf<Row<Columns>>()
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
    return row.get('quantity')
  })
  expectTypeOf(mapped).toEqualTypeOf<Pipeline<(number | null)[]>>()
  expectTypeOf(rows.batch(10)).toEqualTypeOf<Pipeline<Row<Columns>[]>>()
  const ofNumbers: Sink<number> = { name: 'numbers', write() {}, commit() {}, abort() {} }
  const ofTexts: Sink<string> = { name: 'texts', write() {}, commit() {}, abort() {} }
  pipeline([1]).run(tee([ofNumbers, ndjsonSink('out')]))
  rows.run(tee([csvSink('out.csv', { columns: ['price'] }), ndjsonSink('out.ndjson')]))
  // @ts-expect-error a sink of other items
  pipeline([1]).run(tee([ofNumbers, ofTexts]))
})

test('a wrong chain does not compile, at the call that joins it', () => {
  // @ts-expect-error pieces are not bytes
  pipeline(pieces).to(new TsvRowParser({ schema }))
  const ones = pipeline([{ a: 1 }]).to(needsOne)
  // @ts-expect-error a stage that needs {a, b} cannot follow one that gives {a}
  ones.to(needsTwo)
  // @ts-expect-error the same through a function that makes the stage
  pipeline([{ a: 1 }]).to(() => needsTwo)
  pipeline([{ a: 1, b: 2 }]).to(needsTwo)
  pipeline([{ a: 1, b: 2 }]).to(needsOne)
  // @ts-expect-error rows are not bytes
  pipeline(bytes).to(new TsvRowParser({ schema })).to(new TsvRowParser({ schema }))
  // @ts-expect-error a byte block is not a source of byte blocks
  pipeline(new Uint8Array()).to(new TsvRowParser({ schema }))
})

test('validate gives what the schema gives, and takes a quarantine for rows alone', () => {
  const stock = z.object({ itemId: z.string(), quantity: z.coerce.number() })
  const made = {
    '~standard': {
      version: 1 as const,
      vendor: 'made',
      validate: async (value: unknown) =>
        typeof value === 'object' ? { value: 7n } : { issues: [{ message: 'no object' }] },
    },
  }
  const rows = rowsOfSchema()
  const objects = pipeline(bytes).to(new TsvObjectParser({ schema }))
  expectTypeOf(rows.validate(stock)).toEqualTypeOf<
    Pipeline<{ itemId: string; quantity: number }[]>
  >()
  expectTypeOf(rows.validate(made)).toEqualTypeOf<Pipeline<bigint[]>>()
  rows.validate(stock).run(csvSink('out.csv', { columns: ['quantity'] }))
  // @ts-expect-error the schema gives no price
  rows.validate(stock).run(csvSink('out.csv', { columns: ['price'] }))
  // @ts-expect-error the objects of the schema have no price
  rows.validate(stock).filter(({ price }) => price)
  // @ts-expect-error rows become objects, which are no batches
  rows.validate(stock).to(needsPrice)
  // @ts-expect-error a schema of feedmill
  rows.validate(schema)

  rows.validate(stock, { onBadRow: quarantine('bad.ndjson') })
  rows.batch(2).validate(stock, { onBadRow: quarantine('bad.ndjson') })
  // @ts-expect-error objects have lost the bytes of their rows
  objects.validate(stock, { onBadRow: quarantine('bad.ndjson') })
  // @ts-expect-error a bad cell may be null, and a bad row may not
  rows.validate(stock, { onBadRow: 'null' })
  // @ts-expect-error nothing would wait for the promise
  rows.validate(stock, { onBadRow: async () => {} })
  rows.validate(stock, {
    onBadRow: ({ error, row }) => {
      expectTypeOf(error.code).toEqualTypeOf<'ROW_INVALID' | 'CELL_INVALID'>()
      expectTypeOf(row).toEqualTypeOf<Row<Columns>>()
    },
  })
  objects.validate(stock, {
    onBadRow: ({ row }) => expectTypeOf(row).toEqualTypeOf<RowObject<Columns>>(),
  })
})
