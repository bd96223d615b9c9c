// The contract of keyed stores, for every store.
// Long: its properties run over stores on disk.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareKeys, type KeyRange, type StoreOp } from '../../src/state/keyed-store'
import { type OpenStore, STORES } from './any-store'

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text))

async function listed({ store }: OpenStore, range?: KeyRange): Promise<[string, string][]> {
  const all: [string, string][] = []
  for await (const block of store.entries(range))
    for (const { key, value } of block) {
      all.push([key, Buffer.from(value).toString()])
      // The values are the reader's own copies, so this changes nothing in the store.
      value.fill(0)
    }
  return all
}

const key = fc.string({
  unit: fc.constantFrom('\0', 'a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀'),
  maxLength: 3,
})
/** A store on disk keeps short values in its index and long ones in its log. */
const value = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc
    .tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 55, max: 70 }))
    .map(([text, length]) => text.padEnd(length, 'x')),
  fc
    .tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 1, max: 9000 }))
    .map(([text, length]) => text.padEnd(length, 'y')),
)
const op = fc.record({ key, value: fc.option(value, { freq: 3 }) })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      ops: fc.array(op, { maxLength: 8 }),
      sync: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      keys: fc.array(key, { maxLength: 8 }),
      firstBytes: fc.option(fc.nat(80)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      from: fc.option(key),
      to: fc.option(key),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'settle' as const }) },
)

describe.each(Object.entries(STORES))('%s', (_, open) => {
  test('agrees with a map after any operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
        const opened = await open()
        const model = new Map<string, string>()
        try {
          for (const next of steps) {
            if (next.kind === 'settle') await opened.settle()
            else if (next.kind === 'write') {
              const ops = next.ops.map(
                ({ key, value }): StoreOp => ({
                  key,
                  value: value === null ? null : bytesOf(value),
                }),
              )
              await opened.store.write(ops, { sync: next.sync })
              for (const { value } of ops) value?.fill(0)
              for (const { key, value } of next.ops)
                value === null ? model.delete(key) : model.set(key, value)
            } else if (next.kind === 'read') {
              const { keys, firstBytes } = next
              const values = await opened.store.getMany(
                keys,
                firstBytes === null ? {} : { firstBytes },
              )
              const wanted = firstBytes ?? Number.POSITIVE_INFINITY
              expect(
                values.map(
                  value => value && Buffer.from(value.subarray(0, wanted)).toString('latin1'),
                ),
              ).toEqual(
                keys.map(key => {
                  const text = model.get(key)
                  return text === undefined
                    ? undefined
                    : Buffer.from(bytesOf(text).subarray(0, wanted)).toString('latin1')
                }),
              )
              for (const value of values) value?.fill(0)
            } else {
              const range = {
                ...(next.from !== null && { from: next.from }),
                ...(next.to !== null && { to: next.to }),
              }
              expect(await listed(opened, range)).toEqual(
                [...model]
                  .filter(
                    ([key]) =>
                      (range.from === undefined || compareKeys(key, range.from) >= 0) &&
                      (range.to === undefined || compareKeys(key, range.to) < 0),
                  )
                  .sort(([a], [b]) => compareKeys(a, b)),
              )
            }
          }
          expect(await listed(opened)).toEqual([...model].sort(([a], [b]) => compareKeys(a, b)))
        } finally {
          await opened.dispose()
        }
      }),
      { numRuns: 40 },
    )
  })

  test('lists thousands of entries in blocks, in order', async () => {
    const opened = await open()
    const keys = Array.from({ length: 3000 }, (_, n) => String((n * 7919) % 3000).padStart(4, '0'))
    for (let at = 0; at < keys.length; at += 100)
      await opened.store.write(
        keys.slice(at, at + 100).map(key => ({ key, value: bytesOf(key.repeat(50)) })),
      )
    let blocks = 0
    const all: string[] = []
    for await (const block of opened.store.entries()) {
      blocks++
      expect(block.length).toBeLessThanOrEqual(1000)
      for (const { key, value } of block) {
        expect(Buffer.from(value).toString()).toBe(key.repeat(50))
        all.push(key)
      }
    }
    expect(all).toEqual([...keys].sort())
    expect(blocks).toBeGreaterThan(3)
    await opened.dispose()
  })

  test('continues a listing while more is written', async () => {
    const opened = await open()
    const write = (from: number, to: number, text: string) =>
      opened.store.write(
        Array.from({ length: to - from }, (_, n) => ({
          key: String(from + n).padStart(4, '0'),
          value: bytesOf(text.repeat(100)),
        })),
      )
    await write(0, 1000, 'a')
    const seen: string[] = []
    for await (const block of opened.store.entries()) {
      seen.push(...block.map(({ key }) => key))
      await write(0, 2000, 'b')
    }
    expect(seen.slice(0, 1000)).toEqual(
      Array.from({ length: 1000 }, (_, n) => String(n).padStart(4, '0')),
    )
    expect(await listed(opened)).toHaveLength(2000)
    await opened.dispose()
  })

  test('makes one write of many megabytes as a whole', async () => {
    const opened = await open()
    const ops = Array.from({ length: 12 }, (_, n) => ({
      key: `k${n}`,
      value: Buffer.alloc(1 << 20, n),
    }))
    await opened.store.write(ops)
    await opened.store.write([{ key: 'k3', value: bytesOf('short') }, ...ops.slice(10)])
    const values = await opened.store.getMany(ops.map(({ key }) => key))
    expect(values.map(value => [value?.length, value?.[0]])).toEqual(
      ops.map((_, n) => (n === 3 ? [5, 115] : [1 << 20, n])),
    )
    await opened.dispose()
  })
})
