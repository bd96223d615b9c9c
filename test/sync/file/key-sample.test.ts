import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeySample } from '../../../src/sync/file/key-sample'

const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `v1|${from + n}|0`)

test('a sample holds every key up to its limit', () => {
  const sample = new KeySample(100)
  for (const key of [...keys(100), ...keys(100)]) sample.add(key)
  expect([sample.scale, keys(100).every(key => sample.has(key)), sample.has('v1|100|0')]).toEqual([
    1,
    true,
    false,
  ])
})

test('a larger number of keys is estimated by the share in the sample', () => {
  const sample = new KeySample(1_000)
  for (const key of keys(20_000)) sample.add(key)
  expect(sample.scale).toBeGreaterThan(16)
  const asked = [...keys(20_000), ...keys(5_000, 50_000)].filter(key => sample.covers(key))
  const missing = asked.filter(key => !sample.has(key)).length * sample.scale
  expect(Math.abs(missing - 5_000)).toBeLessThan(1_500)
})

test('an added key that the sample covers is in it, in any order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { maxLength: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (added, mostKeys) => {
        const sample = new KeySample(mostKeys)
        for (const key of added) sample.add(key)
        const other = new KeySample(mostKeys)
        for (const key of added.toReversed()) other.add(key)
        for (const key of added)
          expect([sample.has(key), other.has(key)]).toEqual([
            sample.covers(key),
            sample.covers(key),
          ])
      },
    ),
  )
})
