import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BloomFilter } from '../../../src/state/level/bloom-filter'

test('a Bloom filter has every key that was added', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), keys => {
      const filter = new BloomFilter()
      for (const key of keys) filter.add(key)
      expect(keys.every(key => filter.mayHave(key))).toBe(true)
    }),
    { numRuns: 20 },
  )
})

test('a Bloom filter has few false positives', () => {
  const filter = new BloomFilter()
  const key = (n: number) => `iv1|${110_000_000_000 + n}|0`
  for (let n = 0; n < 200_000; n++) filter.add(key(2 * n))
  let mistaken = 0
  for (let n = 0; n < 100_000; n++) mistaken += Number(filter.mayHave(key(2 * n + 1)))
  expect(mistaken).toBeLessThan(100)
})

test('a Bloom filter is useful until almost all keys that are asked for were added', () => {
  const filter = new BloomFilter()
  const ask = (keys: number, share: number) => {
    for (let n = 0; n < keys; n++) filter.mayHave(n % 100 < share * 100 ? 'there' : `not ${n}`)
  }
  filter.add('there')
  ask(300_000, 0.8)
  expect(filter.isUseful).toBe(true)
  ask(130_000, 1)
  ask(130_000, 1)
  expect(filter.isUseful).toBe(false)
})
