import { expect, test } from 'vitest'
import { itemGroupSchema, itemPrioritySchema, itemSchema } from '../../../src/schema/feed-schemas'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { CategoryState } from '../../../src/sync/folder/category-state'
import { stateItemObject, stateItems } from '../../../src/sync/read/state-items'
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
