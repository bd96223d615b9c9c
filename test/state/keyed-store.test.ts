import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { compareKeys, prefixedStore, prefixRange } from '../../src/state/keyed-store'
import { MemoryStore } from '../../src/state/memory/memory-store'
import { collect } from '../rows-from-text'

const key = fc.string({
  unit: fc.constantFrom('\0', 'a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '𐀀'),
  maxLength: 5,
})

describe('the order of keys', () => {
  test('is that of their UTF-8 bytes, also past U+FFFF', () => {
    expect('\uffff' < '😀').toBe(false)
    expect(compareKeys('\uffff', '😀')).toBeLessThan(0)
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
  })

  test('a prefix range holds the keys that begin with the prefix and no others', () => {
    const range = prefixRange('oi')
    const isInside = (k: string) =>
      compareKeys(k, range.from!) >= 0 && compareKeys(k, range.to!) < 0
    for (const inside of ['oi', 'oi\0', 'oi9', 'oi\uffff', 'oi😀😀'])
      expect(isInside(inside), inside).toBe(true)
    for (const outside of ['', 'o', 'oh😀', 'oj', 'p', 'i'])
      expect(isInside(outside), outside).toBe(false)
  })
})

describe('a view of the keys with a prefix', () => {
  const value = (text: string) => Uint8Array.from(Buffer.from(text))

  test('views of one store do not see each other, and leave it open', async () => {
    const store = new MemoryStore()
    const [a, b] = [prefixedStore(store, 'a/'), prefixedStore(store, 'b/')]
    await a.write([
      { key: '', value: value('1') },
      { key: 'k', value: value('22') },
    ])
    await b.write([{ key: 'k', value: value('333') }], { sync: true })
    expect(await a.getMany(['k', 'x'])).toEqual([value('22'), undefined])
    expect(await b.getMany(['k'], { firstBytes: 1 })).toEqual([value('3')])
    const listed = async (range?: { from?: string; to?: string }) =>
      (await collect(a.entries(range) as AsyncIterable<{ key: string }[]>))
        .flat()
        .map(({ key }) => key)
    expect(await listed()).toEqual(['', 'k'])
    expect(await listed({ from: 'a' })).toEqual(['k'])
    expect(await listed({ to: 'k' })).toEqual([''])
    await a.close()
    expect(store.getMany(['a/k', 'b/k'])).toEqual([value('22'), value('333')])
  })

  test('a view passes on the checksums of values', async () => {
    const store = new MemoryStore()
    const write = vi.spyOn(store, 'write')
    await prefixedStore(store, 'a/').write([{ key: 'k', value: value('1'), checksum: 7 }])
    expect(write.mock.calls[0]![0]).toEqual([{ key: 'a/k', value: value('1'), checksum: 7 }])
  })
})
