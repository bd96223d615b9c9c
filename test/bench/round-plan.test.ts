import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LEAST_ROUNDS, plannedRounds } from '../../bench/round-plan'

test('slow contenders run fewer rounds, fast ones run all', () => {
  expect(plannedRounds([1, 1, 20], 7, 80)).toEqual([7, 7, 3])
  expect(plannedRounds([1, 1, 20], 7, 115)).toEqual([7, 7, 5])
  expect(plannedRounds([1, 1, 20], 7, 1000)).toEqual([7, 7, 7])
})

test('without time every contender runs the least number, or the wanted one if that is less', () => {
  expect(plannedRounds([5, 9], 7, 0)).toEqual([LEAST_ROUNDS, LEAST_ROUNDS])
  expect(plannedRounds([5, 9], 2, 0)).toEqual([2, 2])
})

test('the time is kept, nobody who is faster runs fewer rounds, and no round that fits is left', () => {
  const times = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(times, fc.integer({ min: 3, max: 9 }), fc.nat(5_000), (seconds, most, budget) => {
      const rounds = plannedRounds(seconds, most, budget)
      const used = seconds.reduce((sum, time, at) => sum + time * rounds[at]!, 0)
      const leastUsed = seconds.reduce((sum, time) => sum + time * LEAST_ROUNDS, 0)
      expect(used).toBeLessThanOrEqual(Math.max(budget, leastUsed) + 1e-6)
      for (const [at, count] of rounds.entries()) {
        expect(count).toBeGreaterThanOrEqual(LEAST_ROUNDS)
        expect(count).toBeLessThanOrEqual(most)
        if (count < most) expect(seconds[at]!).toBeGreaterThan(budget - used - 1e-6)
      }
    }),
  )
})
