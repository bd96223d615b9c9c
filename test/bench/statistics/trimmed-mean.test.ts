// Long: it simulates many runs of a benchmark.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../../src/bench/statistics/side-orders'
import {
  differenceOfMeans,
  studentQuantile,
  trimmedMean,
} from '../../../src/bench/statistics/trimmed-mean'
import { normal } from './synthetic-runs'

const values = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), {
  minLength: 2,
  maxLength: 30,
})

test('is the mean without the lowest and the highest fifth', () => {
  expect(trimmedMean([9, 1, 2, 1000, 3], 0.9).mean).toBe((9 + 2 + 3) / 3)
  expect(trimmedMean([4, 1], 0.9).mean).toBe(2.5)
})

test('the interval holds the mean, and is wider at a higher level', () => {
  const property = fc.property(values, sample => {
    const narrow = trimmedMean(sample, 0.8)
    const wide = trimmedMean(sample, 0.99)
    const ends = [wide.low, narrow.low, narrow.mean, narrow.high, wide.high]
    expect(ends.toSorted((a, b) => a - b)).toEqual(ends)
  })
  fc.assert(property)
})

test('does not depend on the order of the sample', () => {
  const sample = [5, 1, 4, 2, 3, 9]
  expect(trimmedMean(sample.toReversed(), 0.9)).toEqual(trimmedMean(sample, 0.9))
})

test('values moved by a constant move the interval by it', () => {
  const property = fc.property(values, sample => {
    const { low, high } = trimmedMean(sample, 0.95)
    const moved = trimmedMean(
      sample.map(value => value + 100),
      0.95,
    )
    expect([moved.low, moved.high]).toEqual([expect.closeTo(low + 100), expect.closeTo(high + 100)])
  })
  fc.assert(property)
})

test('how wild the wild values are does not matter', () => {
  const sample = Array.from({ length: 18 }, (_, n) => n / 100)
  const wild = [...sample.slice(0, 15), 7, 1e9, 1e12]
  const wilder = [...sample.slice(0, 15), 8, 1e12, 1e15]
  expect(trimmedMean(wild, 0.996)).toEqual(trimmedMean(wilder, 0.996))
  expect(trimmedMean(wild, 0.996).high).toBeLessThan(0.3)
})

test('a difference is wider than either of its sides, and turns its sign with them', () => {
  const before = [1, 2, 3, 4, 5, 6]
  const after = [12, 14, 11, 15, 16, 18]
  const difference = differenceOfMeans(before, after, 0.95)
  const [from, to] = [trimmedMean(before, 0.95), trimmedMean(after, 0.95)]
  expect(difference.mean).toBeCloseTo(to.mean - from.mean)
  const width = ({ low, high }: { low: number; high: number }) => high - low
  expect(width(difference)).toBeGreaterThan(Math.max(width(from), width(to)))
  const back = differenceOfMeans(after, before, 0.95)
  expect([-back.high, -back.low]).toEqual([difference.low, difference.high])
})

describe('the true mean lies inside about as often as the level says', () => {
  const SAMPLES = 1_000
  const spreads: Readonly<Record<string, (random: Random) => number>> = {
    normal,
    'the difference of two long tails': random => Math.log((1 - random()) / (1 - random())),
    'mostly still, sometimes far off': random => normal(random) * (random() < 0.15 ? 20 : 1),
  }

  test.each(Object.keys(spreads))('%s', name => {
    const random = seededRandom(5)
    const inside = { wide: 0, narrow: 0 }
    for (let n = 0; n < SAMPLES; n++) {
      const sample = Array.from({ length: 18 }, () => spreads[name]!(random))
      const narrow = trimmedMean(sample, 0.95)
      const wide = trimmedMean(sample, 0.99)
      if (narrow.low <= 0 && narrow.high >= 0) inside.narrow++
      if (wide.low <= 0 && wide.high >= 0) inside.wide++
    }
    expect(inside.narrow / SAMPLES).toBeGreaterThan(0.935)
    expect(inside.narrow / SAMPLES).toBeLessThan(0.99)
    expect(inside.wide / SAMPLES).toBeGreaterThan(0.98)
  })
})

test.each([
  // From the tables of the distribution.
  [0.95, 1, 12.706],
  [0.95, 3, 3.182],
  [0.99, 3, 5.841],
  [0.8, 7, 1.415],
  [0.95, 11, 2.201],
  [0.99, 29, 2.756],
  [0.999, 60, 3.46],
])('%d of the distribution with %i degrees of freedom', (level, freedom, quantile) => {
  expect(studentQuantile(level, freedom) / quantile).toBeCloseTo(1, 3)
})
