// Long: its properties draw many samples.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judge } from '../../../src/bench/statistics/judge'
import { seededRandom } from '../../../src/bench/statistics/side-orders'
import { smallestChange } from '../../../src/bench/statistics/smallest-change'
import { CLOCK_NOISE, CPU_NOISE, type Noise, syntheticRuns } from './synthetic-runs'

const FIRST = 6
const LEVEL = 0.95
const OPTIONS = { level: LEVEL, floor: 0 }
const noises = fc.record({
  sigma: fc.double({ min: 0, max: 0.2, noNaN: true }),
  disturbed: fc.double({ min: 0, max: 0.3, noNaN: true }),
})

function fromFirst(noise: Noise, seed: number, planned: number, factor = 1): number {
  const runs = syntheticRuns(FIRST, factor, noise, seededRandom(seed))
  return smallestChange(judge(runs, OPTIONS), { ...OPTIONS, rounds: FIRST, planned })
}

test('more rounds never find less, and a change of the head does not count as noise', () => {
  fc.assert(
    fc.property(
      noises,
      fc.integer(),
      fc.integer({ min: 6, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (noise, seed, planned, more) => {
        const found = fromFirst(noise, seed, planned)
        expect(found).toBeGreaterThanOrEqual(0)
        expect(fromFirst(noise, seed, planned + more)).toBeLessThanOrEqual(found)
        expect(fromFirst(noise, seed, planned, 1.3)).toBeCloseTo(found, 9)
      },
    ),
  )
})

test('runs without noise find every change, down to the floor of the measure', () => {
  const still = Array(FIRST).fill(100)
  const judged = judge({ base: still, again: still, head: still }, OPTIONS)
  const rounds = { rounds: FIRST, planned: FIRST, level: LEVEL }
  expect(smallestChange(judged, { ...rounds, floor: 0 })).toBe(0)
  expect(smallestChange(judged, { ...rounds, floor: 4 })).toBe(0.04)
})

test.each([
  ['CPU seconds', CPU_NOISE, 0.85],
  // Six rounds often lack the disturbed runs that later ones have.
  ['the clock', CLOCK_NOISE, 0.7],
])(
  'what it states is found in most comparisons, and a third of it hardly: %s',
  (_, noise, most) => {
    const COMPARISONS = 300
    const found = (part: number) => {
      const random = seededRandom(5)
      let count = 0
      for (let n = 0; n < COMPARISONS; n++) {
        const change = fromFirst(noise, n, 18) * part
        if (judge(syntheticRuns(18, 1 + change, noise, random), OPTIONS).verdict === 'worse')
          count++
      }
      return count / COMPARISONS
    }
    expect(found(1)).toBeGreaterThan(most)
    expect(found(1 / 3)).toBeLessThan(0.3)
  },
)
