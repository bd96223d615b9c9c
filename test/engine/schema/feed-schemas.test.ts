import { expect, expectTypeOf, test } from 'vitest'
import { decoderOf } from '../../../src/engine/codec/kinds/all-kinds'
import {
  type CellOf,
  type Columns,
  defineSchema,
  type FeedName,
  type FeedSchema,
  type TextColumns,
} from '../../../src/engine/schema/feed-schema'
import {
  itemGroupColumns,
  itemGroupSchema,
  itemPriorityColumns,
  itemPrioritySchema,
  itemSchema,
  itemSnapshotColumns,
  itemSnapshotSchema,
  schemaOf,
} from '../../../src/engine/schema/feed-schemas'
import { itemColumns } from '../../../src/engine/schema/item-columns'
import type {
  Aspect,
  ConditionDescriptor,
  Decimal,
  Regions,
} from '../../../src/engine/schema/values'

const schemas: FeedSchema<Columns>[] = [
  itemSchema,
  itemGroupSchema,
  itemSnapshotSchema,
  itemPrioritySchema,
]

test.each(schemas)('the schema of $name passes the check of schemas', schema => {
  expect(defineSchema({ ...schema })).toEqual(schema)
})

test('each feed has its schema', () => {
  expect(schemas.map(({ name }) => name)).toEqual([
    'item',
    'item_group',
    'item_snapshot',
    'item_priority',
  ])
  for (const schema of schemas) expect(schemaOf(schema.name as FeedName)).toBe(schema)
})

test('only the key is required', () => {
  const required = schemas.map(({ columns }) =>
    Object.keys(columns).filter(name => columns[name]?.required),
  )
  expect(required).toEqual([['itemId'], ['itemGroupId'], ['itemId'], ['itemId']])
})

test('no two columns of a feed share a spelling, and each has a decoder and a source', () => {
  for (const { columns } of schemas) {
    const spellings = Object.entries(columns).flatMap(([name, { aliases = [] }]) =>
      [name, ...aliases].map(spelling => spelling.toLowerCase()),
    )
    expect(new Set(spellings).size).toBe(spellings.length)
    for (const spec of Object.values(columns)) {
      expect(decoderOf(spec)).toHaveProperty('decode')
      expect(spec.source).toMatch(/^(item-feeds|service-notes)\.md, section \d\.\d$/)
    }
  }
})

test('the literal types of the columns reach the caller', () => {
  type Item = (typeof itemSchema)['columns']
  expectTypeOf<CellOf<Item, 'priceValue'>>().toEqualTypeOf<Decimal | null>()
  expectTypeOf<CellOf<Item, 'localizedAspects'>>().toEqualTypeOf<readonly Aspect[]>()
  expectTypeOf<CellOf<Item, 'conditionDescriptors'>>().toEqualTypeOf<
    readonly ConditionDescriptor[]
  >()
  expectTypeOf<CellOf<Item, 'shipToIncludedRegions'>>().toEqualTypeOf<Regions | null>()
  expectTypeOf<CellOf<Item, 'notAColumn'>>().toEqualTypeOf<never>()
  expectTypeOf<CellOf<Item, string>>().toEqualTypeOf<unknown>()
  expectTypeOf<CellOf<TextColumns, string>>().toEqualTypeOf<string | null>()
  const snapshot = schemaOf('item_snapshot')
  expectTypeOf<
    CellOf<(typeof snapshot)['columns'], 'itemSnapshotDate'>
  >().toEqualTypeOf<Date | null>()
})

test('a group has the columns of service-notes.md, section 6.4, in their order', () => {
  expect(Object.entries(itemGroupColumns).map(([name, { type }]) => [name, type])).toEqual([
    ['itemGroupId', 'text'],
    ['itemGroupType', 'text'],
    ['title', 'text'],
    ['variesByLocalizedAspects', 'aspects'],
    ['imageUrl', 'text'],
    ['additionalImageUrls', 'text'],
    ['imageAlteringProhibited', 'boolean'],
  ])
})

test('a snapshot begins as service-notes.md, section 6.5 says, has every column of an item and two of its own', () => {
  const names = Object.keys(itemSnapshotColumns)
  expect(names.slice(0, 4)).toEqual(['itemId', 'availability', 'title', 'imageUrl'])
  expect(names.filter(name => !(name in itemColumns))).toEqual([
    'itemSnapshotDate',
    'changeMetadata',
  ])
  expect(names).toEqual(expect.arrayContaining(Object.keys(itemColumns)))
})

test('both dates of a snapshot are instants, the changes are a list', () => {
  const { itemSnapshotDate, itemCreationDate, changeMetadata } = itemSnapshotColumns
  expect([itemSnapshotDate.type, itemCreationDate.type, changeMetadata.type]).toEqual([
    'timestamp',
    'timestamp',
    'list',
  ])
})

test('a priority item has the columns of service-notes.md, section 6.6, in their order', () => {
  expect(Object.entries(itemPriorityColumns).map(([name, { type }]) => [name, type])).toEqual([
    ['itemId', 'text'],
    ['priorityListingPayload', 'text'],
    ['changeMetadata', 'list'],
  ])
})
