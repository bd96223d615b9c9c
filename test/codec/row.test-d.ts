import { expectTypeOf, test } from 'vitest'
import type { Row } from '../../src/codec/row'
import type { Columns, RowObject } from '../../src/schema/feed-schema'
import type { ItemColumns } from '../../src/schema/feed-schemas'
import type { Aspect, Decimal } from '../../src/schema/values'

declare const row: Row<ItemColumns>
declare const anyRow: Row<Columns>
declare const names: readonly string[]

test('some columns as an object: the schema’s types, text for columns that only the file has', () => {
  const some = row.toObject(['itemId', 'priceValue', 'localizedAspects', 'unheardOf'])
  expectTypeOf(some).toEqualTypeOf<{
    itemId: string | null
    priceValue: Decimal | null
    localizedAspects: readonly Aspect[]
    unheardOf: string | null
  }>()
  expectTypeOf(some.priceValue).toEqualTypeOf<RowObject<ItemColumns>['priceValue']>()
  // @ts-expect-error a column that was not asked for
  some.title
  expectTypeOf(row.toObject()).toEqualTypeOf<RowObject<ItemColumns>>()
})

test('some columns as strings', () => {
  expectTypeOf(row.toStrings(['itemId', 'priceValue'])).toEqualTypeOf<Record<'itemId' | 'priceValue', string>>()
  expectTypeOf(row.toStrings()).toEqualTypeOf<Record<string, string>>()
})

test('names that only run time knows', () => {
  expectTypeOf(anyRow.toStrings(names)).toEqualTypeOf<Record<string, string>>()
  expectTypeOf(row.toObject(names)[names[0]!]).toExtend<unknown>()
  // @ts-expect-error a name is text
  row.toObject([1])
})
