import { expectTypeOf, test } from 'vitest'
import type { Row } from '../../../src/engine/codec/row-batch'
import { type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import {
  boolean,
  cell,
  date,
  decimal,
  float64,
  int32,
  int64,
  json,
  list,
  oneOf,
  text,
  timestamp,
} from '../../../src/engine/schema/column-kinds'
import { defineSchema, type RowObject } from '../../../src/engine/schema/feed-schema'
import type { Decimal } from '../../../src/engine/schema/values'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'

const schema = defineSchema({
  name: 'stock',
  columns: {
    sku: text({ required: true, notNull: true }),
    name: text(),
    count: int32({ required: true }),
    views: int64(),
    price: decimal({ aliases: ['amount'], notNull: true }),
    weight: float64({ notNull: true }),
    used: boolean(),
    day: date(),
    at: timestamp({ notNull: true }),
    extra: json(),
    extras: json({ notNull: true }),
    colour: oneOf('red', 'green'),
    size: oneOf(['s', 'm'], { notNull: true }),
    shape: oneOf(['round'], { required: true }),
    tags: list('|'),
    counts: list('|', int64(), { notNull: true }),
    colours: list(',', oneOf('red', 'green')),
    own: cell(text => text.length),
    zero: cell(text => text.length, { empty: 'none' }),
    day2: cell(text => new Date(text), { notNull: true }),
    always: cell(text => text.length, { empty: 0, notNull: true }),
  },
})
type Stock = typeof schema.columns
declare const row: Row<Stock>
declare const bytes: AsyncIterable<Uint8Array>

interface Expected {
  sku: string
  name: string | null
  count: number | null
  views: bigint | null
  price: Decimal
  weight: number
  used: boolean | null
  day: string | null
  at: Date
  extra: unknown
  extras: unknown
  colour: 'red' | 'green' | null
  size: 's' | 'm'
  shape: 'round' | null
  tags: readonly string[]
  counts: readonly bigint[]
  colours: readonly ('red' | 'green')[]
  own: number | null
  zero: number | 'none'
  day2: Date
  always: number
}

test('every kind gives its type, with null unless the column is notNull', () => {
  expectTypeOf(row.toObject()).toEqualTypeOf<Expected>()
  expectTypeOf<RowObject<Stock>>().toEqualTypeOf<Expected>()
  expectTypeOf(row.get('colour')).toEqualTypeOf<'red' | 'green' | null>()
  expectTypeOf(row.get('size')).toEqualTypeOf<'s' | 'm'>()
  expectTypeOf(row.get('counts')).toEqualTypeOf<readonly bigint[]>()
  expectTypeOf(row.get('own')).toEqualTypeOf<number | null>()
  expectTypeOf(row.toObject(['price', 'zero'])).toEqualTypeOf<{
    price: Decimal
    zero: number | 'none'
  }>()
  // @ts-expect-error no column of the schema
  row.get('amount')
})

test('chosen columns are the only ones', () => {
  const rows = pipeline(bytes).to(new TsvRowParser({ schema, columns: ['sku', 'price'] }))
  rows.map(chosen => {
    expectTypeOf(chosen.get('price')).toEqualTypeOf<Decimal>()
    expectTypeOf(chosen.toObject()).toEqualTypeOf<{ sku: string; price: Decimal }>()
    // @ts-expect-error a column that was left out
    chosen.get('count')
  })
  const objects = pipeline(bytes).to(new TsvObjectParser({ schema, columns: ['sku', 'at'] }))
  expectTypeOf(objects).toEqualTypeOf<Pipeline<{ sku: string; at: Date }[]>>()
  // @ts-expect-error no column of the schema
  new TsvRowParser({ schema, columns: ['skew'] })
})

test('rows of more columns, or without nulls, stand where fewer or nulls are taken', () => {
  expectTypeOf<Row<Stock>>().toExtend<Row>()
  expectTypeOf<Row<Stock>>().toExtend<Row<Pick<Stock, 'sku'>>>()
  const nullable = { sku: text() }
  expectTypeOf<Row<Stock>>().toExtend<Row<typeof nullable>>()
  expectTypeOf<Row<typeof nullable>>().not.toExtend<Row<Pick<Stock, 'sku'>>>()
})

test('wrong definitions do not compile', () => {
  // @ts-expect-error an option is misspelt
  text({ requird: true })
  // @ts-expect-error the same beside notNull
  int32({ notNull: true, requird: true })
  // @ts-expect-error only cell has an empty value
  int32({ empty: 0 })
  // @ts-expect-error a function takes text
  cell((value: number) => value)
  // @ts-expect-error a separator is text
  list(7)
  // @ts-expect-error plain data has no type of cells
  defineSchema({ name: 'own', columns: { sku: { type: 'text' } } })
  // @ts-expect-error a schema has a name
  defineSchema({ columns: { sku: text() } })
  // @ts-expect-error the form with the feed in front is gone
  defineSchema('own', { sku: text() })
})
