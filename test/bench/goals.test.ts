// The goals: judged from the rounds, as far as both sides were measured.

import { expect, test } from 'vitest'
import type { Rounds } from '../../bench/figures'
import {
  judgedGoals as goalsOf,
  goalText,
  type Judged,
  MEMORY_GOALS,
  SPEED_GOALS,
} from '../../bench/goals'
import { TABLE_CASES } from '../../bench/macro/cases'
import type { ShapeName } from '../../bench/shapes/shape'
import { runsOf } from './made-report'

const judgedGoals = (rounds: Rounds, on: Partial<Judged> = {}) =>
  goalsOf(rounds, { shape: 'repeating', cores: 2, ...on })
const judgedSpeeds = (rounds: Rounds, on: Partial<Judged> = {}) =>
  judgedGoals(rounds, on).filter(({ goal }) => goal.includes('×'))
const withPeak = (mb: number) => runsOf(1, 1, 1).map(run => ({ ...run, peakRssMb: mb }))

test('a ratio of speeds: held at the goal, missed below it', () => {
  expect(judgedSpeeds({ http: runsOf(1, 10, 1), 'rows-5': runsOf(0.9, 9, 0.9) })).toMatchObject([
    { case: 'http', goal: '≥ 0.9 × rows-5', value: 0.9, measured: '0.90 ×', held: true },
  ])
  expect(judgedSpeeds({ http: runsOf(1, 1, 10), 'rows-5': runsOf(0.89, 0.89, 9) })).toMatchObject([
    { measured: '0.89 ×', held: false },
  ])
})

test('peak memory: each file, and how far the two are apart, either way', () => {
  expect(judgedGoals({ 'rss-small': withPeak(120), 'rss-large': withPeak(129) })).toMatchObject([
    { case: 'rss', goal: 'smaller file ≤ 128 MB', value: 120, measured: '120.0 MB', held: true },
    { case: 'rss', goal: 'larger file ≤ 128 MB', value: 129, measured: '129.0 MB', held: false },
    { case: 'rss', goal: 'difference ≤ 8 MB', value: 9, measured: '9.0 MB', held: false },
  ])
  expect(
    judgedGoals({ 'rss-small': withPeak(120), 'rss-large': withPeak(112) }).map(({ held }) => held),
  ).toEqual([true, true, true])
})

test('what was not measured is not judged; everything measured is', () => {
  expect(judgedGoals({ zlib: runsOf(1), scan: runsOf(1) })).toHaveLength(1)
  expect(judgedGoals({ scan: runsOf(1) })).toEqual([])
  const all = Object.fromEntries(
    Object.values(TABLE_CASES)
      .flat()
      .map(name => [name, runsOf(1)]),
  )
  const count = (shape: ShapeName, cores: number) => judgedGoals(all, { shape, cores }).length
  const speeds = SPEED_GOALS.filter(({ shapes = ['repeating'] }) => shapes.includes('repeating'))
  const oneCore = speeds.filter(({ isOnOneCore }) => isOnOneCore)
  expect(count('repeating', 2) + count('repeating', 1)).toBe(
    speeds.length + 2 * MEMORY_GOALS.length,
  )
  expect(count('repeating', 1)).toBe(oneCore.length + MEMORY_GOALS.length)
})

test('a goal is for a shape and for a number of cores', () => {
  const rounds = { typed: runsOf(2), zlib: runsOf(1) }
  expect(judgedGoals(rounds)).toEqual([])
  expect(judgedGoals(rounds, { shape: 'varied', cores: 1 })).toEqual([])
  expect(judgedGoals(rounds, { shape: 'varied' })).toMatchObject([{ case: 'typed', held: true }])
})

test('a spread above a fifth on either side stands beside the verdict', () => {
  const textOf = (...times: number[]) =>
    judgedSpeeds({ http: runsOf(1, 1, 1), 'rows-5': runsOf(...times) }).map(goal => goalText(goal))
  expect(textOf(1, 1.1, 1)).toEqual(['held'])
  expect(textOf(1, 1.3, 1)).toEqual(['held, unsteady: spread 30%'])
  expect(textOf(0.1, 0.1, 0.2)).toEqual(['MISSED, unsteady: spread 100%'])
})

test('a contender with fewer rounds is compared in the rounds that both ran', () => {
  const [goal] = judgedSpeeds({ http: runsOf(1, 1, 1, 50, 50), 'rows-5': runsOf(2, 2, 2) })
  expect(goal).toMatchObject({ value: 2, held: true })
})
