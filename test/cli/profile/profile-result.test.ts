import { expect, test } from 'vitest'
import { thisMachine } from '../../../src/bench/machine'
import { profileResult } from '../../../src/cli/profile/profile-result'
import { machine, resultOf, round, subject } from './profile-samples'

test('the result has the medians of the rounds and their spread', () => {
  const { totals, rawBytes, rows, columns, rounds } = resultOf(1000, 3000, 2000)
  expect({ rawBytes, rows, columns }).toEqual({ rawBytes: 100_000_000, rows: 100_000, columns: 39 })
  expect(rounds).toHaveLength(3)
  expect(totals).toEqual({
    seconds: 2,
    spread: 1,
    mbPerSecond: 50,
    fileMbPerSecond: 10,
    rowsPerSecond: 50_000,
    cpuSeconds: 3,
    peakRssMb: 100,
  })
  expect(resultOf(1000, 3000).totals).toMatchObject({ seconds: 2, spread: 1 })
  expect(resultOf(1000).totals).toMatchObject({ seconds: 1, spread: 0 })
})

test('the stages are those of the rounds, with any names', () => {
  const { stages, bottleneck } = resultOf(1000, 2000, 4000)
  expect(
    stages.map(({ stage, busyMs, waitMs, blockedMs }) => [stage, busyMs, waitMs, blockedMs]),
  ).toEqual([
    ['source', 200, 0, 1800],
    ['inflate and parse', 1200, 200, 600],
    ['reader', 600, 1400, 0],
  ])
  expect(stages.map(({ share }) => Number(share.toFixed(6)))).toEqual([0.1, 0.6, 0.3])
  expect(stages[1]!.mbPerSecond).toBeCloseTo(100 / 1.2)
  expect(stages[1]!.rowsPerSecond).toBeCloseTo(100_000 / 1.2)
  expect(bottleneck).toMatchObject({ stage: 'inflate and parse', onOtherThread: false })
})

test('a stage that was never busy has no speed', () => {
  const idle = round(1000)
  const stages = idle.stages.map(counters => ({ ...counters, busyMs: 0 }))
  expect(profileResult(subject, machine, [{ ...idle, stages }]).stages[1]).toMatchObject({
    mbPerSecond: 0,
    rowsPerSecond: 0,
  })
})

test('the result tells of bad rows and cells', () => {
  expect(resultOf(1000)).not.toHaveProperty('firstBad')
  expect(
    profileResult(subject, machine, [round(1000, { badRows: 2, firstBad: 'row 7' })]),
  ).toMatchObject({ badRows: 2, firstBad: 'row 7' })
})

test('the result says when and where it was made, and reads back as it was written', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  expect(thisMachine(now)).toMatchObject({
    date: '2026-03-01T12:00:00.000Z',
    node: process.version,
  })
  const result = resultOf(1000, 2000)
  expect(JSON.parse(JSON.stringify(result))).toEqual(result)
})
