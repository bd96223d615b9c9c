import { expectTypeOf, test } from 'vitest'
import type { Row, RowBatch } from '../../../src/engine/codec/row-batch'
import type { Columns, RowObject, TextColumns } from '../../../src/engine/schema/feed-schema'
import type { ItemColumns } from '../../../src/engine/schema/feed-schemas'
import type { Aspect, Decimal } from '../../../src/engine/schema/values'

declare const row: Row<ItemColumns>
declare const anyRow: Row<Columns>
declare const names: readonly string[]

test('an object of some columns has the types of the schema', () => {
  const some = row.toObject(['itemId', 'priceValue', 'localizedAspects'])
  expectTypeOf(some).toEqualTypeOf<{
    itemId: string | null
    priceValue: Decimal | null
    localizedAspects: readonly Aspect[]
  }>()
  expectTypeOf(some.priceValue).toEqualTypeOf<RowObject<ItemColumns>['priceValue']>()
  // @ts-expect-error a column that was not asked for
  some.title
  expectTypeOf(row.toObject()).toEqualTypeOf<RowObject<ItemColumns>>()
})

test('an object of some columns may have strings', () => {
  expectTypeOf(row.toStrings(['itemId', 'priceValue'])).toEqualTypeOf<
    Record<'itemId' | 'priceValue', string>
  >()
  expectTypeOf(row.toStrings()).toEqualTypeOf<Record<string, string>>()
})

test('names that are known only at run time are accepted', () => {
  expectTypeOf(anyRow.toStrings(names)).toEqualTypeOf<Record<string, string>>()
  expectTypeOf(anyRow.get(names[0]!)).toEqualTypeOf<unknown>()
  expectTypeOf(row.get(names[0]!)).toEqualTypeOf<unknown>()
  expectTypeOf(row.text(names[0]!)).toEqualTypeOf<string>()
  expectTypeOf(row.toObject(names)).toEqualTypeOf<{ [name: string]: unknown }>()
  expectTypeOf(row.toObject(['itemId', 'of the file' as string])).toEqualTypeOf<{
    [name: string]: unknown
  }>()
  expectTypeOf(row.toStrings(['itemId', 'of the file' as string])).toEqualTypeOf<
    Record<string, string>
  >()
  // @ts-expect-error a name is text
  row.toObject([1])
})

test('a literal that is no column of the schema does not compile', () => {
  // @ts-expect-error itemid is itemId
  row.get('itemid')
  // @ts-expect-error the same as text
  row.text('itemid')
  // @ts-expect-error beside one that is right
  row.toObject(['title', 'itemid'])
  // @ts-expect-error the same as strings
  row.toStrings(['title', 'itemid'])
  // @ts-expect-error the same as a property
  row.toObject().itemid
  const all: Record<string, unknown> = row.toObject()
  expectTypeOf(all['of the file']).toEqualTypeOf<unknown>()
})

test('rows of some columns are accepted where any rows, or rows of fewer columns, are expected', () => {
  expectTypeOf<Row<ItemColumns>>().toExtend<Row>()
  expectTypeOf<Row<TextColumns>>().toExtend<Row>()
  expectTypeOf<RowBatch<ItemColumns>>().toExtend<RowBatch<Pick<ItemColumns, 'itemId'>>>()
  expectTypeOf<RowBatch<Pick<ItemColumns, 'itemId'>>>().not.toExtend<RowBatch<ItemColumns>>()
  expectTypeOf<RowBatch>().not.toExtend<RowBatch<ItemColumns>>()
})
