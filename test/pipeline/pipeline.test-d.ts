import { expectTypeOf, test } from 'vitest'
import type { Row } from '../../src/codec/row'
import type { RowBatch } from '../../src/codec/row-batch'
import { type Pipeline, pipeline } from '../../src/pipeline/pipeline'
import { decimal, int32, text } from '../../src/schema/column-kinds'
import type { ColumnSpec } from '../../src/schema/column-spec'
import { defineSchema, type RowObject } from '../../src/schema/feed-schema'
import type { Decimal } from '../../src/schema/values'
import type { FeedDownload } from '../../src/service/clients/feed-download'
import type { Stage } from '../../src/stages/stage'
import { TsvObjectParser } from '../../src/stages/tsv-object-parser'
import { TsvRowParser } from '../../src/stages/tsv-row-parser'

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
