// Long: its properties draw many samples for each verdict.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ROUNDS } from '../../../src/bench/bench-plan'
import { correctedLevel } from '../../../src/bench/bench-report'
import { judge } from '../../../src/bench/statistics/judge'
import { MEASURES } from '../../../src/bench/statistics/measures'
import { seededRandom } from '../../../src/bench/statistics/side-orders'
import {
  CLOCK_NOISE,
  CPU_NOISE,
  DRIFTING,
  type Noise,
  normal,
  syntheticRuns,
} from './synthetic-runs'

/** Four benchmarks with three measures each. */
const BENCHES = 4
const LEVEL = correctedLevel({
  benches: BENCHES,
  measures: MEASURES.map(({ name }) => name),
})
const OPTIONS = { level: LEVEL, floor: 0 }

/** A machine that does nothing else. */
const QUIET: Noise = { sigma: 0.005, disturbed: 0 }

function quietRuns(headFactor: number, seed = 1): ReturnType<typeof syntheticRuns> {
  return syntheticRuns(DEFAULT_ROUNDS, headFactor, QUIET, seededRandom(seed))
}

describe('the rule', () => {
  test('worse and better, with the figures that say so', () => {
    const worse = judge(quietRuns(1.1), OPTIONS)
    expect(worse.verdict).toBe('worse')
    expect(worse.change.mean).toBeCloseTo(0.1, 1)
    expect(worse.change.low).toBeGreaterThan(worse.noise)
    expect(judge(quietRuns(0.9), OPTIONS).verdict).toBe('better')
    expect(judge(quietRuns(1), OPTIONS).verdict).toBe('same')
  })

  test('a change that its interval shows, but that the base shows against itself too, is none', () => {
    const runs = quietRuns(1.1)
    const unsteady = runs.again.map((value, round) => (round % 2 === 0 ? value * 1.4 : value / 1.4))
    const steadyBase = {
      ...runs,
      head: runs.head.map(
        (value, round) => value * Math.sqrt(unsteady[round]! / runs.base[round]!),
      ),
    }
    const { change, noise, verdict } = judge({ ...steadyBase, again: unsteady }, OPTIONS)
    expect(change.low).toBeGreaterThan(0)
    expect(noise).toBeGreaterThan(change.mean)
    expect(verdict).toBe('same')
  })

  test('a change below the floor is none, in the unit of the measure', () => {
    const runs = quietRuns(1.1)
    expect(judge(runs, { ...OPTIONS, floor: 0.05 }).verdict).toBe('worse')
    expect(judge(runs, { ...OPTIONS, floor: 5 }).verdict).toBe('same')
  })

  test('a stated base is judged by its own runs, and by the noise of the base', () => {
    const { base, again, head } = quietRuns(1.1)
    const stated = head.map(value => value / 1.3)
    const since = judge({ base, again, head, stated }, OPTIONS)
    expect(since.verdict).toBe('worse')
    expect(since.change.mean).toBeCloseTo(0.3, 9)
    expect(since.base).toBeCloseTo(since.head / 1.3, 9)
    expect(since.noise).toBe(judge({ base, again, head }, OPTIONS).noise)
  })

  test('the same rounds once more prove what they proved before', () => {
    // Of a multiple of five rounds twice as many lose exactly twice as many at each end.
    const counts = fc.constantFrom(10, 15, 20, 25)
    const factors = fc.double({ min: 0.9, max: 1.1, noNaN: true })
    let proved = 0
    fc.assert(
      fc.property(counts, factors, fc.integer(), (rounds, factor, seed) => {
        const runs = syntheticRuns(rounds, factor, QUIET, seededRandom(seed))
        const twice = {
          base: [...runs.base, ...runs.base],
          again: [...runs.again, ...runs.again],
          head: [...runs.head, ...runs.head],
        }
        const [before, after] = [judge(runs, OPTIONS), judge(twice, OPTIONS)]
        expect(after.change.mean).toBeCloseTo(before.change.mean, 9)
        expect(after.change.low).toBeGreaterThanOrEqual(before.change.low)
        expect(after.change.high).toBeLessThanOrEqual(before.change.high)
        expect(after.noise).toBeLessThanOrEqual(before.noise)
        if (before.verdict !== 'same') expect(after.verdict).toBe(before.verdict)
        proved += before.verdict === 'same' ? 0 : 1
      }),
    )
    expect(proved).toBeGreaterThan(10)
  })

  test('equal values, all of them', () => {
    const still = { base: [2, 2, 2, 2, 2, 2], again: [2, 2, 2, 2, 2, 2], head: [2, 2, 2, 2, 2, 2] }
    expect(judge(still, OPTIONS)).toMatchObject({
      base: 2,
      head: 2,
      noise: 0,
      change: { mean: 0, low: 0, high: 0 },
      verdict: 'same',
    })
  })

  test('sides exchanged turn worse into better, and units do not matter', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(0.8, 1, 1.25),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        (seed, factor, unit) => {
          const runs = quietRuns(factor, seed)
          const scaled = {
            base: runs.base.map(v => v * unit),
            again: runs.again.map(v => v * unit),
            head: runs.head.map(v => v * unit),
          }
          const inverse = {
            base: runs.base.map(v => 1 / v),
            again: runs.again.map(v => 1 / v),
            head: runs.head.map(v => 1 / v),
          }
          const { verdict } = judge(runs, OPTIONS)
          expect(judge(scaled, OPTIONS).verdict).toBe(verdict)
          expect(judge(inverse, OPTIONS).verdict).toBe(
            verdict === 'worse' ? 'better' : verdict === 'better' ? 'worse' : 'same',
          )
        },
      ),
      { numRuns: 20 },
    )
  })
})

describe('on a busy machine', () => {
  test.each([
    ['CPU seconds', CPU_NOISE],
    ['the clock', CLOCK_NOISE],
    ['a machine whose speed drifts within seconds', DRIFTING],
  ])('equal builds fail at most in one comparison of twenty: %s', (_, noise) => {
    const COMPARISONS = 300
    const random = seededRandom(7)
    let failed = 0
    for (let n = 0; n < COMPARISONS; n++) {
      const judged = Array.from({ length: BENCHES * MEASURES.length }, () =>
        judge(syntheticRuns(DEFAULT_ROUNDS, 1, noise, random), OPTIONS),
      )
      if (judged.some(({ verdict }) => verdict === 'worse')) failed++
    }
    expect(failed / COMPARISONS).toBeLessThan(0.05)
  })

  test.each([
    ['CPU seconds', DEFAULT_ROUNDS, CPU_NOISE],
    ['a machine whose speed drifts within seconds', 36, DRIFTING],
  ])('a tenth more is found in one case alone: %s, %i rounds', (_, rounds, noise) => {
    const COMPARISONS = 300
    const random = seededRandom(8)
    let found = 0
    for (let n = 0; n < COMPARISONS; n++) {
      const { verdict } = judge(syntheticRuns(rounds, 1.1, noise, random), OPTIONS)
      if (verdict === 'worse') found++
    }
    expect(found / COMPARISONS).toBeGreaterThan(0.95)
  })
})

describe('runs of different times', () => {
  test('worse, better and the same, without rounds that belong together', () => {
    const apart = (factor: number) => {
      const steady: Noise = { sigma: 0.01, disturbed: 0 }
      const random = seededRandom(3)
      // Each side has its own rounds, so the drift of a round is no part of them.
      const values = (scale: number) =>
        Array.from({ length: DEFAULT_ROUNDS }, () => {
          const { base } = syntheticRuns(1, 1, steady, () => random() / 100)
          return base[0]! * scale * (1 + random() / 50)
        })
      return judge({ base: values(1), head: values(factor) }, OPTIONS)
    }
    expect([1.1, 1, 0.9].map(factor => apart(factor).verdict)).toEqual(['worse', 'same', 'better'])
  })

  test('a side whose neighbouring runs differ by more than the change proves nothing', () => {
    const steady = Array.from({ length: 18 }, (_, n) => 1 + (n % 3) / 1000)
    const unsteady = steady.map((value, n) => value * (n % 2 === 0 ? 1 : 1.5))
    const judged = judge({ base: unsteady, head: steady.map(v => v * 1.4) }, OPTIONS)
    expect(judged.noise).toBeGreaterThan(0.4)
    expect(judged.verdict).toBe('same')
  })

  test('equal distributions are hardly ever told apart', () => {
    const random = seededRandom(11)
    let failed = 0
    for (let n = 0; n < 90; n++) {
      const values = () =>
        Array.from(
          { length: DEFAULT_ROUNDS },
          () =>
            Math.exp(CPU_NOISE.sigma * normal(random)) * (random() < CPU_NOISE.disturbed ? 1.4 : 1),
        )
      const { verdict } = judge({ base: values(), head: values() }, OPTIONS)
      if (verdict === 'worse') failed++
    }
    expect(failed).toBeLessThanOrEqual(1)
  })
})
