import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { crc32 } from '../../../src/engine/codec/gzip/crc32'
import { itemSnapshotSchema } from '../../../src/engine/schema/feed-schemas'
import type { ReadOptions, StoreOp } from '../../../src/state/keyed-store'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { RegisterSet } from '../../../src/state/merge/register-set'
import { RegisterMemory } from '../../../src/state/merge/row-arrivals'
import { batchesOf, collect } from '../../rows-from-text'

/** A store on disk: it reads when it is asked and answers later, and each write takes its time. */
class SlowStore extends MemoryStore {
  failsNextWrite = false

  override getMany(keys: readonly string[], options?: ReadOptions): never {
    const values = super.getMany(keys, options)
    return new Promise(resolve => setImmediate(resolve, values)) as never
  }

  override write(ops: readonly StoreOp[]): never {
    const isRefused = this.failsNextWrite
    this.failsNextWrite = false
    const copies = ops.map(({ key, value }) => ({ key, value: value && Uint8Array.from(value) }))
    return new Promise((resolve, reject) =>
      setImmediate(() => {
        if (isRefused) return reject(new RangeError('refused'))
        super.write(copies)
        resolve(undefined)
      }),
    ) as never
  }
}

type Cells = readonly [itemId: string, availability: string, title: string]

const HOUR_MS = 3_600_000
const snapshot = (hour: number, rows: readonly Cells[]) =>
  batchesOf(itemSnapshotSchema, { feed: 'item_snapshot', hour: new Date(hour * HOUR_MS) }, [
    ['itemId', 'availability', 'title'],
    ...rows,
  ])[0]!

const setOn = (store: MemoryStore, before = false) =>
  new RegisterSet({
    part: 'item',
    store,
    prefix: 'i',
    schema: itemSnapshotSchema,
    changes: { effectiveOnly: true, before },
  })
type Set = ReturnType<typeof setOn>
type AnyChange = Awaited<ReturnType<Set['merge']>>[number]

const told = ({ kind, itemId, version, row, before }: AnyChange) =>
  `${itemId} ${kind} ${version.timeMs} ${row?.text('title')} ${before?.text('title')}`

async function contentOf(set: Set): Promise<string[]> {
  const kept = (await collect(set.entries())).flat()
  return kept.map(({ itemId, version, row }) => `${itemId} ${version.timeMs} ${row?.text('title')}`)
}

const row = fc.tuple(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.constantFrom('AVAILABLE', 'AVAILABLE', 'UNAVAILABLE'),
  fc.string({ unit: fc.constantFrom('x', 'y'), minLength: 1, maxLength: 2 }),
)
const batch = fc.record({
  hour: fc.nat(3),
  rows: fc.array(row, { minLength: 1, maxLength: 4 }),
})

test('batches that overlap change the same as batches one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 8 }), fc.boolean(), async (batches, before) => {
      const alone = setOn(new MemoryStore(), before)
      const expected: string[] = []
      for (const { hour, rows } of batches)
        expected.push(...(await alone.merge(snapshot(hour, rows))).map(told))

      const together = setOn(new SlowStore(), before)
      const memory = new RegisterMemory()
      const changes: string[] = []
      let merging: Promise<void> = Promise.resolve()
      await together.open()
      for (const { hour, rows } of batches) {
        const earlier = merging
        merging = together.merge(snapshot(hour, rows), { memory }).then(async merged => {
          await earlier
          changes.push(...merged.map(told))
        })
        await earlier
      }
      await merging
      expect(changes).toEqual(expected)
      expect(await contentOf(together)).toEqual(await contentOf(alone))
    }),
  )
})

test('a batch does not see the rows of an earlier one that could not be written', async () => {
  const store = new SlowStore()
  const set = setOn(store)
  await set.open()
  store.failsNextWrite = true
  const [first, second] = await Promise.allSettled([
    set.merge(snapshot(5, [['a', 'AVAILABLE', 'newer']])),
    set.merge(snapshot(1, [['a', 'AVAILABLE', 'older']])),
  ])
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'refused' } })
  expect(second.status === 'fulfilled' && second.value.map(({ kind }) => kind)).toEqual([
    'inserted',
  ])
  expect(await contentOf(set)).toEqual([`a ${2 * HOUR_MS - 1} older`])
})

test('a batch is looked up at once, and merged when the caller allows it', async () => {
  const store = new SlowStore()
  const set = setOn(store)
  await set.open()
  let allow = () => {}
  const after = new Promise<void>(resolve => {
    allow = resolve
  })
  const lookUp = vi.spyOn(store, 'getMany')
  const merging = set.merge(snapshot(1, [['a', 'AVAILABLE', 'A']]), { after })
  expect(lookUp).toHaveBeenCalledOnce()
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  expect(await contentOf(set)).toEqual([])
  allow()
  await merging
  expect(await contentOf(set)).toEqual([`a ${2 * HOUR_MS - 1} A`])
  const refused = { after: Promise.reject(new RangeError('not merged')) }
  await expect(set.merge(snapshot(2, [['a', 'AVAILABLE', 'B']]), refused)).rejects.toThrow(
    'not merged',
  )
  expect(await contentOf(set)).toEqual([`a ${2 * HOUR_MS - 1} A`])
})

test('a row without a key is left out where the caller takes it, else the batch fails', async () => {
  const rows = snapshot(1, [
    ['a', 'AVAILABLE', 'A'],
    ['', 'AVAILABLE', 'nobody'],
    ['b', 'AVAILABLE', 'B'],
  ])
  const set = setOn(new MemoryStore())
  await expect(set.merge(rows)).rejects.toMatchObject({ code: 'KEY_MISSING' })
  expect(await contentOf(set)).toEqual([])
  const leftOut: string[] = []
  const changes = await set.merge(rows, {
    leaveOut: (row, error) => leftOut.push(`${row.text('title')} ${error.code}`),
  })
  expect(changes.map(({ itemId }) => itemId)).toEqual(['a', 'b'])
  expect(leftOut).toEqual(['nobody KEY_MISSING'])
})

test('an opened set does not read a batch after the call that was given it', async () => {
  const set = setOn(new SlowStore())
  await set.open()
  const lent = snapshot(1, [['a', 'AVAILABLE', 'A']])
  const merging = set.merge(lent)
  lent.bytesOf().fill(0x20)
  await merging
  expect(await contentOf(set)).toEqual([`a ${2 * HOUR_MS - 1} A`])
})

test('each register comes with its CRC-32, also that of a removal and of a long row', async () => {
  const store = new MemoryStore()
  const write = vi.spyOn(store, 'write')
  const rows: Cells[] = Array.from({ length: 60 }, (_, n) => [
    `${n}`,
    n % 7 === 0 ? 'UNAVAILABLE' : 'AVAILABLE',
    'x'.repeat(n === 5 ? 10_000 : n),
  ])
  await setOn(store).merge(snapshot(0, rows))
  const known = write.mock.calls
    .flatMap(([ops]) => ops)
    .filter(({ checksum }) => checksum !== undefined)
  expect(known.length).toBe(rows.length)
  expect(known.map(({ checksum }) => checksum)).toEqual(known.map(({ value }) => crc32(value!)))
})
