import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareKeys, prefixRange } from '../../src/state/keyed-store'

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
