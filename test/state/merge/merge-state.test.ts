// Long: a naive merge is the oracle of each property.

import { describe, expect, test } from 'vitest'
import type { ChangeKind } from '../../../src/engine/codec/merge/register'
import {
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
} from '../../../src/engine/schema/feed-schemas'
import type { KeyedStore, ReadOptions, StoreOp } from '../../../src/state/keyed-store'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { type MergeChange, MergeState } from '../../../src/state/merge/merge-state'
import type { ChangeOptions } from '../../../src/state/merge/register-change'
import { batchesOf, collect } from '../../rows-from-text'
import { STORES } from '../any-store'

const at = (hour: number) => new Date(Date.UTC(2024, 4, 1, hour))
const bootstrap = (hour: number, ...rows: string[][]) =>
  batchesOf(itemSchema, { feed: 'item', scope: 'ALL_ACTIVE', lastModified: at(hour) }, [
    ['itemId', 'title'],
    ...rows,
  ])[0]!
const snapshot = (hour: number, ...rows: string[][]) =>
  batchesOf(itemSnapshotSchema, { feed: 'item_snapshot', hour: at(hour) }, [
    ['itemId', 'availability', 'title'],
    ...rows,
  ])[0]!
const priority = (date: string, ...rows: string[][]) =>
  batchesOf(itemPrioritySchema, { feed: 'item_priority', date }, [
    ['itemId', 'priorityListingPayload'],
    ...rows,
  ])[0]!

const stateOn = (store: KeyedStore, changes: ChangeOptions = {}) =>
  new MergeState({ store, schema: itemSnapshotSchema, changes })
type State = ReturnType<typeof stateOn>
type AnyChange = MergeChange<typeof itemSnapshotSchema.columns>

async function titles(state: State): Promise<string[]> {
  return (await collect(state.entries()))
    .flat()
    .map(({ itemId, row }) => `${itemId} ${row.text('title')}`)
}

const told = (
  changes: readonly {
    kind: ChangeKind
    itemId: string
    row: { text(name: string): string } | null
  }[],
) => changes.map(({ kind, itemId, row }) => `${itemId} ${kind} ${row?.text('title') ?? null}`)

const textOf = (change: AnyChange | undefined) =>
  change?.before && (change.before as { text(name: string): string }).text('title')

async function allOf(changes: AsyncIterable<readonly AnyChange[]>): Promise<AnyChange[]> {
  return (await collect(changes)).flat()
}

/** The calls of a store. */
class WatchedStore extends MemoryStore {
  readonly reads: (number | undefined)[] = []
  readonly writes: StoreOp[][] = []

  override getMany(keys: readonly string[], options: ReadOptions = {}) {
    this.reads.push(options.firstBytes)
    return super.getMany(keys, options)
  }

  override write(ops: readonly StoreOp[]) {
    this.writes.push([...ops])
    super.write(ops)
  }
}

describe.each(Object.entries(STORES))('a bootstrap of all items, on the store: %s', (_, open) => {
  test('removes the older items that it lacks, once', async () => {
    const { store, dispose } = await open()
    const state = stateOn(store, { before: true })
    await state.merge(
      bootstrap(
        0,
        ['gone', 'G0'],
        ['kept', 'K0'],
        ['same', 'S'],
        ['later', 'L0'],
        ['removed', 'R'],
      ),
    )
    await state.merge(snapshot(2, ['removed', 'UNAVAILABLE', ''], ['gone', 'AVAILABLE', 'G2']))
    await state.merge(snapshot(8, ['later', 'AVAILABLE', 'L8'], ['after', 'AVAILABLE', 'A8']))
    await state.merge(bootstrap(6, ['kept', 'K6'], ['same', 'S'], ['new', 'N6']))
    const swept = await allOf(state.sweep(at(6)))
    expect(told(swept as never)).toEqual(['gone deleted null'])
    expect(swept[0]).toMatchObject({
      part: 'item',
      source: null,
      version: { timeMs: at(6).getTime(), removed: true },
    })
    expect(textOf(swept[0])).toBe('G2')
    const expected = ['after A8', 'kept K6', 'later L8', 'new N6', 'same S']
    expect(await titles(state)).toEqual(expected)
    expect(await allOf(state.sweep(at(6)))).toEqual([])
    // An older row does not bring the item back; a newer one does.
    await state.merge(snapshot(3, ['gone', 'AVAILABLE', 'G3']))
    expect(await titles(state)).toEqual(expected)
    await state.merge(snapshot(9, ['gone', 'AVAILABLE', 'G9']))
    expect(await titles(state)).toEqual(['after A8', 'gone G9', ...expected.slice(1)])
    await dispose()
  })

  test('forgets removals that are old enough, and only these', async () => {
    const { store, dispose } = await open()
    const state = stateOn(store)
    await state.merge(bootstrap(0, ['a', 'A'], ['b', 'B'], ['c', 'C']))
    await state.merge(snapshot(1, ['a', 'UNAVAILABLE', ''], ['never seen', 'UNAVAILABLE', '']))
    await state.merge(snapshot(5, ['b', 'UNAVAILABLE', '']))
    expect(await state.compact(at(4).getTime())).toBe(2)
    expect(await state.compact(at(4).getTime())).toBe(0)
    expect(await titles(state)).toEqual(['c C'])
    await state.merge(snapshot(0, ['b', 'AVAILABLE', 'B0'], ['a', 'AVAILABLE', 'A0']))
    expect(await titles(state)).toEqual(['a A0', 'c C'])
    await dispose()
  })

  test('removes and compacts thousands of items in one pass each', async () => {
    const { store, dispose } = await open()
    const state = stateOn(store)
    const rows = Array.from({ length: 6000 }, (_, n) => [`i${String(n).padStart(5, '0')}`, `T${n}`])
    const half = rows.filter((_, n) => n % 2 === 0)
    for (const batch of batchesOf(itemSchema, { feed: 'item', lastModified: at(0) }, [
      ['itemId', 'title'],
      ...rows,
    ]))
      await state.merge(batch)
    for (const batch of batchesOf(itemSchema, { feed: 'item', lastModified: at(1) }, [
      ['itemId', 'title'],
      ...half,
    ]))
      await state.merge(batch)
    expect(await allOf(state.sweep(at(1)))).toHaveLength(3000)
    expect(await titles(state)).toEqual(half.map(cells => cells.join(' ')))
    expect(await state.compact(at(2).getTime())).toBe(3000)
    expect(await titles(state)).toEqual(half.map(cells => cells.join(' ')))
    await dispose()
  })
})

describe('changes', () => {
  test('have the row before them where it is requested', async () => {
    const batches = [
      bootstrap(0, ['a', 'A0'], ['a', 'A00']),
      snapshot(1, ['a', 'AVAILABLE', 'A1'], ['b', 'AVAILABLE', 'B1']),
      snapshot(2, ['a', 'UNAVAILABLE', '']),
      snapshot(3, ['a', 'AVAILABLE', 'A3']),
      snapshot(1, ['a', 'AVAILABLE', 'A1']),
    ]
    const [asked, unasked] = [
      stateOn(new MemoryStore(), { before: true }),
      stateOn(new MemoryStore()),
    ]
    const befores: unknown[] = []
    for (const batch of batches)
      for (const change of await asked.merge(batch))
        befores.push([change.kind, textOf(change as AnyChange)])
    expect(befores).toEqual([
      ['inserted', null],
      ['updated', 'A0'],
      ['updated', 'A00'],
      ['inserted', null],
      ['deleted', 'A1'],
      ['inserted', null],
      ['stale', 'A3'],
    ])
    for (const batch of batches)
      for (const change of await unasked.merge(batch)) expect(change.before).toBeUndefined()
  })

  test('have the row that is kept, which is not a late row', async () => {
    const state = stateOn(new MemoryStore())
    await state.merge(snapshot(5, ['a', 'AVAILABLE', 'A5'], ['b', 'UNAVAILABLE', '']))
    const late = snapshot(1, ['a', 'AVAILABLE', 'A1'], ['b', 'AVAILABLE', 'B1'])
    expect(told((await state.merge(late)) as never)).toEqual(['a stale A5', 'b stale null'])
    const effective = stateOn(new MemoryStore(), { effectiveOnly: true })
    await effective.merge(snapshot(5, ['a', 'AVAILABLE', 'A5']))
    expect(told((await effective.merge(late)) as never)).toEqual(['a stale null', 'b inserted B1'])
  })
})

describe('the store', () => {
  test('gives whole rows only where their beginnings do not decide', async () => {
    const store = new WatchedStore()
    const state = stateOn(store, { effectiveOnly: true })
    const whole = () => store.reads.splice(0).filter(firstBytes => firstBytes === undefined).length
    await state.merge(bootstrap(0, ['a', 'A0'], ['b', 'B0']))
    await state.merge(snapshot(3, ['a', 'AVAILABLE', 'A3'], ['b', 'UNAVAILABLE', '']))
    await state.merge(snapshot(1, ['a', 'AVAILABLE', 'A1'], ['b', 'AVAILABLE', 'B1']))
    expect(whole()).toBe(0)
    await state.merge(snapshot(3, ['a', 'AVAILABLE', 'A3']))
    expect(whole()).toBe(1)
  })

  test('gets the data of a batch in the write of that batch', async () => {
    const store = new WatchedStore()
    const state = stateOn(store)
    const position = (text: string) => ({ also: [{ key: 'k', value: Buffer.from(text) }] })
    await state.merge(bootstrap(0, ['a', 'A0']), position('1'))
    await state.merge(bootstrap(0, ['a', 'A0']), position('2'))
    await state.merge(priority('20240501', ['a', 'p']), position('3'))
    expect(store.writes.map(ops => ops.map(({ key }) => key))).toEqual([
      ['oi0', 'ia', 'k'],
      ['k'],
      ['op0', 'pa', 'k'],
    ])
    await expect(
      state.merge(bootstrap(0, ['b', 'B'], ['', 'no key']), position('4')),
    ).rejects.toMatchObject({ code: 'KEY_MISSING' })
    expect(store.writes).toHaveLength(3)
  })
})
