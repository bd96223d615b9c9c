import { expectTypeOf, test } from 'vitest'
import type { Row } from '../../src/codec/row'
import type { RowBatch } from '../../src/codec/row-batch'
import { type Pipeline, pipeline } from '../../src/pipeline/pipeline'
import { type ColumnSpec, defineSchema, type RowObject } from '../../src/schema/feed-schema'
import type { Decimal } from '../../src/schema/values'
import type { Stage } from '../../src/stages/stage'
import { TsvObjectParser } from '../../src/stages/tsv-object-parser'
import { TsvRowParser } from '../../src/stages/tsv-row-parser'

const schema = defineSchema('item', {
  itemId: { type: 'text', required: true, source: 'test' },
  quantity: { type: 'int32', source: 'test' },
  price: { type: 'decimal', source: 'test' },
})
type Columns = typeof schema.columns
type AnyColumns = Readonly<Record<string, ColumnSpec>>

declare const bytes: AsyncIterable<Uint8Array>
declare const pieces: AsyncIterable<{ offset: number; bytes: Uint8Array }>
declare const needsPrice: Stage<RowBatch<Pick<Columns, 'price'>>, string>
declare const needsTwo: Stage<{ a: number; b: number }, string>
declare const needsOne: Stage<{ a: number }, { a: number }>

test('a chain that fits compiles and carries its types', () => {
  const rows = pipeline(bytes).to(new TsvRowParser({ schema }))
  expectTypeOf(rows).toEqualTypeOf<Pipeline<RowBatch<Columns>>>()
  rows.filter(row => {
    expectTypeOf(row).toEqualTypeOf<Row<Columns>>()
    expectTypeOf(row.get('quantity')).toEqualTypeOf<number | null>()
    expectTypeOf(row.get('price')).toEqualTypeOf<Decimal | null>()
    expectTypeOf(row.get('unheard of')).toEqualTypeOf<string | null>()
    expectTypeOf(row.toObject().quantity).toEqualTypeOf<number | null>()
    return true
  })
  expectTypeOf(rows.map(row => row.get('quantity'))).toEqualTypeOf<Pipeline<(number | null)[]>>()
  expectTypeOf(rows.map(row => row.get('quantity')).map(n => String(n))).toEqualTypeOf<Pipeline<string[]>>()
  expectTypeOf(rows.take(1).toArray()).resolves.toEqualTypeOf<Row<Columns>[]>()
})

test('chosen columns are the only ones', () => {
  const chosen = pipeline(bytes).to(new TsvRowParser({ schema, columns: ['quantity', 'of the file'] }))
  expectTypeOf(chosen).toEqualTypeOf<Pipeline<RowBatch<Pick<Columns, 'quantity'>>>>()
  chosen.map(row => {
    expectTypeOf(row.get('quantity')).toEqualTypeOf<number | null>()
    // A column that was left out is one that only run time can know.
    expectTypeOf(row.get('price')).toEqualTypeOf<string | null>()
  })
  // @ts-expect-error a stage that needs the price cannot follow
  chosen.to(needsPrice)
  const names: string[] = ['quantity']
  // Nothing is promised of names that only run time knows.
  expectTypeOf(pipeline(bytes).to(new TsvRowParser({ schema, columns: names }))).toEqualTypeOf<Pipeline<RowBatch<AnyColumns>>>()
  pipeline(bytes)
    .to(new TsvRowParser({ schema, columns: ['price'] }))
    .to(needsPrice)
})

test('objects in place of rows', () => {
  const objects = pipeline(bytes).to(new TsvObjectParser({ schema }))
  expectTypeOf(objects.toArray()).resolves.toEqualTypeOf<RowObject<Columns>[]>()
  const chosen = pipeline(bytes).to(new TsvObjectParser({ schema, columns: ['price'] }))
  expectTypeOf(chosen.toArray()).resolves.toEqualTypeOf<RowObject<Pick<Columns, 'price'>>[]>()
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
