// The goals: judged from the rounds, as far as both sides were measured.

import { expect, test } from 'vitest'
import { judgedGoals, MEMORY_GOALS, SPEED_GOALS } from '../../bench/goals'
import { TABLE_CASES } from '../../bench/macro/cases'
import { runsOf } from './made-report'

const withPeak = (mb: number) => runsOf(1, 1, 1).map(run => ({ ...run, peakRssMb: mb }))

test('a ratio of speeds: held at the goal, missed below it', () => {
  expect(judgedGoals({ http: runsOf(1, 10, 1), 'rows-5': runsOf(0.8, 8, 0.8) })).toEqual([
    { case: 'http', goal: '≥ 0.8 × rows-5', value: 0.8, measured: '0.80 ×', held: true },
  ])
  expect(judgedGoals({ http: runsOf(1, 1, 10), 'rows-5': runsOf(0.79, 0.79, 8) })).toMatchObject([
    { measured: '0.79 ×', held: false },
  ])
})

test('peak memory: each file, and how far the two are apart, either way', () => {
  expect(judgedGoals({ 'rss-small': withPeak(120), 'rss-large': withPeak(129) })).toEqual([
    { case: 'rss', goal: 'smaller file ≤ 128 MB', value: 120, measured: '120.0 MB', held: true },
    { case: 'rss', goal: 'larger file ≤ 128 MB', value: 129, measured: '129.0 MB', held: false },
    { case: 'rss', goal: 'difference ≤ 8 MB', value: 9, measured: '9.0 MB', held: false },
  ])
  expect(
    judgedGoals({ 'rss-small': withPeak(120), 'rss-large': withPeak(112) }).map(({ held }) => held),
  ).toEqual([true, true, true])
})

test('what was not measured is not judged; everything measured is', () => {
  expect(judgedGoals({ zlib: runsOf(1), objects: runsOf(1) })).toEqual([])
  const all = Object.fromEntries(
    Object.values(TABLE_CASES)
      .flat()
      .map(name => [name, runsOf(1)]),
  )
  expect(judgedGoals(all)).toHaveLength(SPEED_GOALS.length + MEMORY_GOALS.length)
})
