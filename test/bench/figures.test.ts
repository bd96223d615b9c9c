// Medians, and ratios that are taken round by round.

import { expect, test } from 'vitest'
import { figuresOf, peakGrowth, speedRatio } from '../../bench/figures'
import { median } from '../../src/bench/statistics/median'
import { runsOf } from './made-report'

test('median', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

test('ratios are taken round by round', () => {
  expect(speedRatio(runsOf(3, 30, 3), runsOf(1, 10, 1))).toBeCloseTo(1 / 3)
  expect(speedRatio(runsOf(1, 2, 3), runsOf(2, 8, 9))).toBe(3)
})

test('growth of the peak, round by round', () => {
  const large = runsOf(1, 1, 1).map((run, n) => ({ ...run, peakRssMb: [100, 90, 101][n]! }))
  expect(peakGrowth(large, runsOf(1, 1, 1))).toBe(20)
})

test('the figures of a case', () => {
  expect(figuresOf(runsOf(3, 30, 3), runsOf(1, 10, 1), { rawBytes: 30e6 })).toEqual({
    mbPerSecond: 10,
    rowsPerSecond: 1000 / 3,
    spread: 9,
    cpuSeconds: 1.5,
    peakRssMb: 80,
    timesZlib: 1 / 3,
    timesZlibCpu: 1 / 3,
  })
  expect(figuresOf(runsOf(3), undefined, { rawBytes: 30e6 }).timesZlib).toBeUndefined()
})
