import { expect, test } from 'vitest'
import { float64, list, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import {
  itemGroupSchema,
  itemPrioritySchema,
  itemSchema,
} from '../../../src/engine/schema/feed-schemas'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { CategoryState } from '../../../src/sync/folder/category-state'
import { stateItemLines } from '../../../src/sync/read/state-item-lines'
import { stateItemObject, stateItemReader, stateItems } from '../../../src/sync/read/state-items'
import { batchesOf, collect } from '../../rows-from-text'
import { ledgerEntry } from '../ledger-entry'

const category = { marketplace: 'MKT_US', categoryId: '220' }
const lastModified = new Date('2026-03-01T00:00:00Z')
const entry = ledgerEntry({
  feed: 'item',
  ...category,
  scope: 'ALL_ACTIVE',
  generation: lastModified.toISOString(),
})

async function stateOf(
  items: string[][],
  groups: string[][],
  priorities: string[][],
): Promise<CategoryState> {
  const state = await CategoryState.open(category, new MemoryStore())
  const batches = [
    ...batchesOf(itemSchema, { feed: 'item', lastModified }, [
      ['itemId', 'title', 'primaryItemGroupId'],
      ...items,
    ]),
    ...batchesOf(itemGroupSchema, { feed: 'item_group', lastModified }, [
      ['itemGroupId', 'title'],
      ...groups,
    ]),
    ...batchesOf(itemPrioritySchema, { feed: 'item_priority', lastModified }, [
      ['itemId', 'priorityListingPayload', 'changeMetadata'],
      ...priorities,
    ]),
  ]
  for (const batch of batches) await state.merge(batch)
  await state.commit(entry)
  return state
}

test('lines are the JSON of the objects, of items with bad cells and odd columns too', async () => {
  const state = await CategoryState.open(category, new MemoryStore())
  const files = [
    [
      ['itemId', 'title', 'primaryItemGroupId', 'estimatedAvailableQuantity', '7'],
      ['v1|1|0', 'one "1"\u0001\\', 'g1', '3', 'ü'],
      ['v1|2|0', '', 'g1', '', ''],
    ],
    [
      ['itemId', 'estimatedAvailableQuantity', 'primaryItemGroupId'],
      ['v1|3|0', 'many', ''],
      ['v1|4|0', '4', 'g9'],
    ],
    [
      ['itemId', 'group', 'invalid'],
      ['v1|5|0', 'own', 'own'],
    ],
  ]
  const batches = files.flatMap(rows => batchesOf(itemSchema, { feed: 'item', lastModified }, rows))
  const groups = [
    ['itemGroupId', 'title'],
    ['g1', 'group "one"'],
  ]
  const priorities = [
    ['itemId', 'priorityListingPayload', 'changeMetadata'],
    ['v1|2|0', 'payload', 'ADDED_TO_CAMPAIGN'],
  ]
  for (const batch of [
    ...batches,
    ...batchesOf(itemGroupSchema, { feed: 'item_group', lastModified }, groups),
    ...batchesOf(itemPrioritySchema, { feed: 'item_priority', lastModified }, priorities),
  ])
    await state.merge(batch)
  await state.commit(entry)
  const items = (await collect(stateItems(state))).flat()
  expect(items).toHaveLength(5)
  const lines = items.map(item => `${JSON.stringify(stateItemObject(item))}\n`).join('')
  expect(Buffer.from(stateItemLines(items)).toString()).toBe(lines)
  expect(lines).toContain('"invalid":{"estimatedAvailableQuantity":"many"}')
  expect(stateItemLines([])).toHaveLength(0)
})

test('each item has its priority and its group, in key order', async () => {
  const state = await stateOf(
    [
      ['v1|3|0', 'three', 'g9'],
      ['v1|1|0', 'one', 'g1'],
      ['v1|2|0', 'two', ''],
      ['v1|4|0', 'four', 'g1'],
    ],
    [
      ['g1', 'group one'],
      ['g2', 'group of nobody'],
    ],
    [['v1|2|0', 'payload', 'ADDED_TO_CAMPAIGN']],
  )
  const items = (await collect(stateItems(state))).flat()
  const told = items.map(({ itemId, row, priority, group }) => [
    itemId,
    row.text('title'),
    priority?.text('priorityListingPayload'),
    group?.text('title'),
  ])
  expect(told).toEqual([
    ['v1|1|0', 'one', undefined, 'group one'],
    ['v1|2|0', 'two', 'payload', undefined],
    ['v1|3|0', 'three', undefined, undefined],
    ['v1|4|0', 'four', undefined, 'group one'],
  ])
  const [one, two] = items.map(stateItemObject)
  expect(one).toMatchObject({
    itemId: 'v1|1|0',
    title: 'one',
    priceValue: null,
    priority: null,
    group: { itemGroupId: 'g1', title: 'group one' },
  })
  expect(two).toMatchObject({
    priority: { itemId: 'v1|2|0', changeMetadata: ['ADDED_TO_CAMPAIGN'] },
    group: null,
  })
})

test('the listing may be longer than one block', async () => {
  const count = 1_500
  const ids = Array.from({ length: count }, (_, n) => [`v1|${n}|0`, 't', `g${n % 7}`])
  const state = await stateOf(
    ids,
    [0, 1, 2, 3, 4, 5].map(n => [`g${n}`, `group ${n}`]),
    [],
  )
  const items = (await collect(stateItems(state))).flat()
  expect(items).toHaveLength(count)
  expect(items.filter(({ group }) => group === null)).toHaveLength(Math.floor(count / 7))
  for (const { row, group } of items)
    expect(group?.text('itemGroupId') ?? 'g6').toBe(row.text('primaryItemGroupId'))
})

test('an empty state has no items', async () => {
  expect(await collect(stateItems(await stateOf([], [], [])))).toEqual([])
})

test('a reader by a schema of the caller gives its columns alone, also where a file lacks them', async () => {
  const state = await CategoryState.open(category, new MemoryStore())
  const files = [
    [
      ['ItemId', 'priceValue', 'size'],
      ['v1|1|0', '1.50', 'S,M'],
    ],
    [
      ['size', 'itemId', 'PRICEVALUE', 'colour'],
      ['', 'v1|2|0', '2.5e1', 'red'],
    ],
    [['itemId'], ['v1|3|0']],
  ]
  for (const [header, ...rows] of files)
    for (const batch of batchesOf(itemSchema, { feed: 'item', lastModified }, [header!, ...rows]))
      await state.merge(batch)
  await state.commit(entry)
  const schema = defineSchema({
    name: 'own',
    columns: {
      id: text({ aliases: ['itemId'] }),
      price: float64({ aliases: ['priceValue'] }),
      size: list(','),
    },
  })
  const items = (await collect(stateItems(state))).flat()
  expect(items.map(stateItemReader(schema))).toEqual([
    { id: 'v1|1|0', price: 1.5, size: ['S', 'M'] },
    { id: 'v1|2|0', price: 25, size: [] },
    { id: 'v1|3|0', price: null, size: [] },
  ])
  const needed = stateItemReader(
    defineSchema({ name: 'own', columns: { size: text({ required: true }) } }),
  )
  expect(needed(items[0]!)).toEqual({ size: 'S,M' })
  expect(() => needed(items[2]!)).toThrow(
    expect.objectContaining({
      code: 'TSV_COLUMN_MISSING',
      context: { row: 0, line: 1, byteOffset: 0, column: 'size' },
    }),
  )
})

test('a reader refuses a schema and an item that are none', async () => {
  expect(() => stateItemReader({ name: 'own' } as never)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
  const read = stateItemReader(itemSchema)
  for (const item of [null, {}, { row: { toObject() {} } }])
    expect(() => read(item as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
})
