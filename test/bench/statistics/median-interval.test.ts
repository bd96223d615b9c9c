// Long: its properties draw many samples for each interval.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { median } from '../../../src/bench/statistics/median'
import { medianInterval } from '../../../src/bench/statistics/median-interval'
import { type Random, seededRandom } from '../../../src/bench/statistics/random'
import { normal } from './synthetic-runs'

const values = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), {
  minLength: 1,
  maxLength: 30,
})

test('holds the median, lies within the sample, and is wider at a higher level', () => {
  const property = fc.property(values, fc.integer(), (sample, seed) => {
    const narrow = medianInterval(sample, 0.8, seededRandom(seed))
    const wide = medianInterval(sample, 0.99, seededRandom(seed))
    expect(narrow.median).toBe(median(sample))
    expect(wide.low).toBeLessThanOrEqual(narrow.low)
    expect(wide.high).toBeGreaterThanOrEqual(narrow.high)
    expect(narrow.low).toBeLessThanOrEqual(narrow.median)
    expect(narrow.high).toBeGreaterThanOrEqual(narrow.median)
    expect(wide.low).toBeGreaterThanOrEqual(Math.min(...sample))
    expect(wide.high).toBeLessThanOrEqual(Math.max(...sample))
  })
  fc.assert(property, { numRuns: 25 })
})

test('does not depend on the order of the sample', () => {
  const sample = [5, 1, 4, 2, 3, 9]
  expect(medianInterval(sample.toReversed(), 0.9, seededRandom(1))).toEqual(
    medianInterval(sample, 0.9, seededRandom(1)),
  )
})

test('values moved by a constant move the interval by it', () => {
  const property = fc.property(
    fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 3, maxLength: 20 }),
    fc.integer(),
    (sample, seed) => {
      const { low, high } = medianInterval(sample, 0.95, seededRandom(seed))
      const moved = medianInterval(
        sample.map(value => value + 100),
        0.95,
        seededRandom(seed),
      )
      expect([moved.low, moved.high]).toEqual([low + 100, high + 100])
    },
  )
  fc.assert(property, { numRuns: 15 })
})

test('one wild value moves no end beyond the values around it', () => {
  const sample = Array.from({ length: 18 }, (_, n) => n / 100)
  const { low, high } = medianInterval([...sample.slice(1), 1e9], 0.996, seededRandom(4))
  expect(low).toBeGreaterThanOrEqual(0.01)
  expect(high).toBeLessThanOrEqual(0.17)
})

describe('the true median lies inside about as often as the level says', () => {
  const SAMPLES = 200
  const spreads: Readonly<Record<string, (random: Random) => number>> = {
    normal,
    'one-sided, with a long tail': random => -Math.log(1 - random()) - Math.LN2,
    'mostly still, sometimes far off': random => normal(random) * (random() < 0.15 ? 20 : 1),
  }

  test.each(Object.keys(spreads))('%s', name => {
    const random = seededRandom(5)
    const inside = { wide: 0, narrow: 0 }
    for (let n = 0; n < SAMPLES; n++) {
      const sample = Array.from({ length: 18 }, () => spreads[name]!(random))
      const narrow = medianInterval(sample, 0.95, random)
      const wide = medianInterval(sample, 0.996, random)
      if (narrow.low <= 0 && narrow.high >= 0) inside.narrow++
      if (wide.low <= 0 && wide.high >= 0) inside.wide++
    }
    expect(inside.narrow / SAMPLES).toBeGreaterThan(0.915)
    expect(inside.narrow / SAMPLES).toBeLessThan(0.98)
    expect(inside.wide / SAMPLES).toBeGreaterThan(0.98)
  })
})
