import { expect, expectTypeOf, test } from 'vitest'
import { cellDecoders } from '../../src/codec/decode/cell-decoders'
import type { CellOf, Columns, FeedSchema, TextColumns } from '../../src/schema/feed-schema'
import { itemGroupSchema, itemPrioritySchema, itemSchema, itemSnapshotSchema, schemaOf } from '../../src/schema/feed-schemas'
import type { Aspect, ConditionDescriptor, Decimal, Regions } from '../../src/schema/values'

const schemas: FeedSchema<Columns>[] = [itemSchema, itemGroupSchema, itemSnapshotSchema, itemPrioritySchema]

test('each feed has its schema', () => {
  expect(schemas.map(({ feed }) => feed)).toEqual(['item', 'item_group', 'item_snapshot', 'item_priority'])
  for (const schema of schemas) if (schema.feed !== 'other') expect(schemaOf(schema.feed)).toBe(schema)
})

test('only the key is required', () => {
  const required = schemas.map(({ columns }) => Object.keys(columns).filter(name => columns[name]?.required))
  expect(required).toEqual([['itemId'], ['itemGroupId'], ['itemId'], ['itemId']])
})

test('no two columns of a feed share a spelling, and each has a decoder and a source', () => {
  for (const { columns } of schemas) {
    const spellings = Object.entries(columns).flatMap(([name, { aliases = [] }]) =>
      [name, ...aliases].map(spelling => spelling.toLowerCase()),
    )
    expect(new Set(spellings).size).toBe(spellings.length)
    for (const { type, source } of Object.values(columns)) {
      expect(cellDecoders).toHaveProperty(type)
      expect(source).toMatch(/^(item-feeds|service-notes)\.md, section \d\.\d$/)
    }
  }
})

test('the literal types of the columns reach the caller', () => {
  type Item = (typeof itemSchema)['columns']
  expectTypeOf<CellOf<Item, 'priceValue'>>().toEqualTypeOf<Decimal | null>()
  expectTypeOf<CellOf<Item, 'localizedAspects'>>().toEqualTypeOf<readonly Aspect[]>()
  expectTypeOf<CellOf<Item, 'conditionDescriptors'>>().toEqualTypeOf<readonly ConditionDescriptor[]>()
  expectTypeOf<CellOf<Item, 'shipToIncludedRegions'>>().toEqualTypeOf<Regions | null>()
  expectTypeOf<CellOf<Item, 'notAColumn'>>().toEqualTypeOf<never>()
  expectTypeOf<CellOf<Item, string>>().toEqualTypeOf<unknown>()
  expectTypeOf<CellOf<TextColumns, string>>().toEqualTypeOf<string | null>()
  const snapshot = schemaOf('item_snapshot')
  expectTypeOf<CellOf<(typeof snapshot)['columns'], 'itemSnapshotDate'>>().toEqualTypeOf<Date | null>()
})
