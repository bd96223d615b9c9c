import { expect, test } from 'vitest'
import { itemGroupSchema, itemSnapshotSchema } from '../../../src/engine/schema/feed-schemas'
import { prefixRange } from '../../../src/state/keyed-store'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { CategoryState } from '../../../src/sync/folder/category-state'
import { batchesOf, collect } from '../../rows-from-text'
import { ledgerEntry } from '../ledger-entry'

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
const hour = new Date('2026-03-01T07:00:00Z')
const entry = ledgerEntry({ ...CATEGORY, feed: 'item_snapshot', hour: hour.toISOString() })

const snapshot = batchesOf(itemSnapshotSchema, { feed: 'item_snapshot', hour }, [
  ['itemId', 'availability', 'title', 'itemSnapshotDate'],
  ['a', 'AVAILABLE', 'here', '2026-03-01T07:10:00.000Z'],
  ['b', 'UNAVAILABLE', '', ''],
])
const groups = batchesOf(itemGroupSchema, { feed: 'item_group', lastModified: hour }, [
  ['itemGroupId', 'title'],
  ['g', 'a group'],
])

async function merged(): Promise<{ store: MemoryStore; state: CategoryState }> {
  const store = new MemoryStore()
  const state = await CategoryState.open(CATEGORY, store)
  for (const batch of [...snapshot, ...groups]) await state.merge(batch as never)
  await state.commit(entry)
  return { store, state }
}

const keys = (store: MemoryStore, prefix: string) =>
  [...store.entries(prefixRange(prefix))].flat().map(({ key }) => key)

test('rows and their entry are in the store after one commit', async () => {
  const store = new MemoryStore()
  const state = await CategoryState.open(CATEGORY, store)
  for (const batch of snapshot) await state.merge(batch as never)
  expect([store.size, state.gatheredBytes > 0]).toEqual([0, true])
  await state.commit(entry)
  expect([keys(store, 'i'), keys(store, 'f/').length, state.gatheredBytes]).toEqual([
    ['ia', 'ib'],
    1,
    0,
  ])
})

test('items and groups are separate, each under its own key', async () => {
  const { state } = await merged()
  expect((await collect(state.items.entries())).flat().map(({ itemId }) => itemId)).toEqual(['a'])
  expect((await state.groups.rows(['g', 'a'])).map(row => row?.text('title'))).toEqual([
    'a group',
    undefined,
  ])
})

test('old removals, and only these, are forgotten once for a time', async () => {
  const { store, state } = await merged()
  expect(await state.compacted()).toBeUndefined()
  await state.compact(hour)
  expect([keys(store, 'i'), await state.compacted()]).toEqual([['ia', 'ib'], hour])
  const later = new Date(+hour + 2 * 3_600_000)
  await state.compact(later)
  expect([keys(store, 'i'), keys(store, 'g'), await state.compacted()]).toEqual([
    ['ia'],
    ['gg'],
    later,
  ])
})
