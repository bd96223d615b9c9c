import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoreEntry, StoreOp } from '../../../src/state/keyed-store'
import { MemoryStore } from '../../../src/state/memory/memory-store'

const bytes = (text: string) => Uint8Array.from(Buffer.from(text))
const put = (key: string, value: string): StoreOp => ({ key, value: bytes(value) })
const textsOf = (blocks: Iterable<readonly StoreEntry[]>) =>
  [...blocks].flat().map(({ key, value }) => [key, Buffer.from(value).toString()])

describe('MemoryStore', () => {
  test('copies values on the way in and on the way out', () => {
    const store = new MemoryStore()
    const value = bytes('one')
    store.write([{ key: 'k', value }])
    value.fill(0)
    store.getMany(['k'])[0]!.fill(0)
    for (const block of store.entries()) block[0]!.value.fill(0)
    expect(store.getMany(['k', 'none'])).toEqual([bytes('one'), undefined])
  })

  test('lists in the order of UTF-8 bytes, within a range, in blocks', () => {
    const store = new MemoryStore()
    store.write(['b', '😀', '\uff5e', 'a', ''].map(key => put(key, `v${key}`)))
    expect(textsOf(store.entries()).map(([key]) => key)).toEqual(['', 'a', 'b', '\uff5e', '😀'])
    expect(textsOf(store.entries({ from: 'a', to: '\uff5e' })).map(([key]) => key)).toEqual([
      'a',
      'b',
    ])
    store.write(Array.from({ length: 5000 }, (_, n) => put(`n${n}`, '')))
    const blocks = [...store.entries({ from: 'n', to: 'o' })]
    expect(blocks.length).toBeGreaterThan(1)
    expect(blocks.flat()).toHaveLength(5000)
  })

  test('leaves keys out of a listing that are removed while it is read', () => {
    const store = new MemoryStore()
    store.write(Array.from({ length: 3000 }, (_, n) => put(String(n).padStart(4, '0'), 'v')))
    const seen: string[] = []
    for (const block of store.entries()) {
      seen.push(...block.map(({ key }) => key))
      store.write(
        Array.from({ length: 1500 }, (_, n) => ({
          key: String(n + 1500).padStart(4, '0'),
          value: null,
        })),
      )
    }
    expect(seen).toEqual([...new Set(seen)])
    expect(seen.length).toBeLessThan(3000)
    expect(store.size).toBe(1500)
  })

  test.each([
    ['maxEntries', { maxEntries: 2 }],
    ['maxBytes', { maxBytes: 7 }],
  ])('refuses %s with a typed error, and writes nothing of the call', (option, options) => {
    const store = new MemoryStore(options)
    store.write([put('a', '12'), put('b', '34')])
    const overfull = [put('a', 'x'), put('c', '5678')]
    expect(() => store.write(overfull)).toThrow(
      expect.objectContaining({
        code: 'STATE_LIMIT',
        context: { option, limit: Object.values(options)[0] },
      }),
    )
    expect(textsOf(store.entries())).toEqual([
      ['a', '12'],
      ['b', '34'],
    ])
    store.write([put('a', '7'), put('a', '89'), { key: 'b', value: null }, put('d', '0')])
    expect(store.size).toBe(2)
    expect(store.byteLength).toBe(5)
  })

  test.each([
    { maxEntries: -1 },
    { maxEntries: 2 ** 24 },
    { maxBytes: 1.5 },
    { maxBytes: Number.NaN },
  ])('refuses %o', options => {
    expect(() => new MemoryStore(options)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  })

  test('is empty once closed', () => {
    const store = new MemoryStore()
    store.write([put('a', '1')])
    store.close()
    expect([store.size, store.byteLength, [...store.entries()]]).toEqual([0, 0, []])
  })

  test('agrees with a sorted array after any writes', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '\ue000', '😀'), maxLength: 3 })
    const op = fc.record({ key, value: fc.option(fc.string({ maxLength: 6 }), { freq: 3 }) })
    fc.assert(
      fc.property(
        fc.array(fc.array(op, { maxLength: 8 }), { maxLength: 8 }),
        key,
        key,
        (writes, from, to) => {
          const store = new MemoryStore()
          let model: [string, string][] = []
          for (const ops of writes) {
            store.write(
              ops.map(({ key, value }) => ({ key, value: value === null ? null : bytes(value) })),
            )
            for (const { key, value } of ops) {
              model = model.filter(([other]) => other !== key)
              if (value !== null) model.push([key, value])
            }
          }
          model.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
          expect(textsOf(store.entries())).toEqual(model)
          const inRange = model.filter(
            ([k]) =>
              Buffer.compare(Buffer.from(k), Buffer.from(from)) >= 0 &&
              Buffer.compare(Buffer.from(k), Buffer.from(to)) < 0,
          )
          expect(textsOf(store.entries({ from, to }))).toEqual(inRange)
          expect(store.size).toBe(model.length)
          expect(store.byteLength).toBe(
            model.reduce((sum, [k, v]) => sum + k.length + Buffer.byteLength(v), 0),
          )
        },
      ),
    )
  })
})

test.each([
  [7, 'ops'],
  [[null], 'ops[]'],
  [[{ key: 7, value: Uint8Array.of(1) }], 'ops[].key'],
  [[{ key: 'b', value: [1] }], 'ops[].value'],
  [[{ key: 'b' }], 'ops[].value'],
])('fault 102: write(%j) is refused at the call, and nothing is written', (ops, option) => {
  const store = new MemoryStore()
  const good = { key: 'a', value: Uint8Array.of(1) }
  const given = Array.isArray(ops) ? [good, ...ops] : ops
  expect(() => store.write(given as never)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
  expect([store.size, store.byteLength]).toEqual([0, 0])
})

test.each([
  [[null], 'range'],
  [[{ from: 7 }], 'range.from'],
  [[{ to: 7 }], 'range.to'],
  [[{}, { firstBytes: -1 }], 'firstBytes'],
])('fault 102: entries of %j are refused at the call', (given, option) => {
  const store = new MemoryStore()
  expect(() => (store.entries as (...args: unknown[]) => unknown).apply(store, given)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
