import { expect, test } from 'vitest'
import { roundsOf, VERIFY_FAULTS } from '../../../src/cli/verify/fault-rounds'

test('the rounds are the baseline, each fault alone, and all together', () => {
  const rounds = roundsOf(['401', 'quotes'])
  expect(rounds.map(({ name, rate, faults }) => [name, rate, faults.length])).toEqual([
    ['baseline', 0, 0],
    ['quotes', 1, 1],
    ['401', 1, 1],
    ['together', 0.5, 2],
  ])
})

test('one fault needs no round of all together', () => {
  expect(roundsOf(['quotes']).map(({ name }) => name)).toEqual(['baseline', 'quotes'])
})

test('every fault has one round', () => {
  const names = VERIFY_FAULTS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(roundsOf().map(({ name }) => name)).toEqual(['baseline', ...names, 'together'])
})
