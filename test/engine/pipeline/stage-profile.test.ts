import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newCounters } from '../../../src/engine/core/counters'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { stageProfile } from '../../../src/engine/pipeline/stage-profile'

type Times = readonly [busyMs: number, waitMs: number, blockedMs: number]

const summaryOf = (elapsedMs: number, times: readonly Times[]) => ({
  elapsedMs,
  stages: times.map(([busyMs, waitMs, blockedMs], place) => ({
    ...newCounters(`stage ${place}`),
    busyMs,
    waitMs,
    blockedMs,
  })),
})

const percents = (shares: readonly number[]) => shares.map(share => Math.round(share * 100))

describe('where the time went', () => {
  test('on one thread each stage is charged with its own work, the last one too', () => {
    const run = summaryOf(1000, [
      [20, 0, 980],
      [300, 20, 680],
      [500, 320, 180],
      [180, 820, 0],
    ])
    expect(stageProfile(run)).toMatchObject({
      consumerShare: 0,
      bottleneck: 2,
      onOtherThread: false,
    })
    expect(percents(stageProfile(run).shares)).toEqual([2, 30, 50, 18])
  })

  test('a stage that works ahead, or waits for its turn, is not charged with what runs beside it', () => {
    // Most of the busy time of the first two stages was a wait for their turn, or for another
    // thread that had finished long before.
    const run = summaryOf(5291, [
      [2900, 0, 2391],
      [4017, 25, 1249],
      [550, 1052, 3673],
      [3654, 1631, 0],
    ])
    expect(stageProfile(run).bottleneck).toBe(3)
    expect(percents(stageProfile(run).shares)).toEqual([0, 19, 10, 69])
  })

  test('stages in lockstep that count only their work are each charged with their own', () => {
    const fused = (waitMs: number, blockedMs: number) =>
      summaryOf(1000, [
        [400, 0, 600],
        [300, waitMs, 0],
        [400, 0, blockedMs],
        [200, 800, 0],
      ])
    expect(percents(stageProfile(fused(0, 0)).shares)).toEqual([10, 30, 40, 20])
    expect(percents(stageProfile(fused(80, 220)).shares)).toEqual([8, 30, 40, 20])
  })

  test('a slow source is charged with all waiting for it', () => {
    const run = summaryOf(1000, [
      [950, 0, 50],
      [30, 940, 30],
      [20, 970, 0],
    ])
    expect(stageProfile(run).bottleneck).toBe(0)
    expect(percents(stageProfile(run).shares)).toEqual([94, 3, 2])
  })

  test('a slow consumer is charged with what it holds back', () => {
    const run = summaryOf(1000, [
      [100, 0, 900],
      [200, 100, 700],
    ])
    expect(stageProfile(run)).toMatchObject({ consumerShare: 0.7, bottleneck: undefined })
    expect(percents(stageProfile(run).shares)).toEqual([10, 20])
  })
})

describe('a stage on a thread of its own', () => {
  const run = summaryOf(1000, [
    [10, 0, 990],
    [370, 10, 620],
    [500, 380, 120],
    [120, 880, 0],
  ])

  test('is the bottleneck where it is never idle and this thread waits for it', () => {
    expect(stageProfile(run, { idleMs: 370, cpuMs: 1600 })).toMatchObject({
      bottleneck: 1,
      onOtherThread: true,
    })
  })

  test('is not the bottleneck where this thread is never idle, or where it is idle itself', () => {
    expect(stageProfile(run, { idleMs: 50, cpuMs: 1900 })).toMatchObject({
      bottleneck: 2,
      onOtherThread: false,
    })
    expect(stageProfile(run, { idleMs: 370, cpuMs: 1000 })).toMatchObject({
      bottleneck: 2,
      onOtherThread: false,
    })
    expect(stageProfile(run)).toMatchObject({ bottleneck: 2, onOtherThread: false })
  })
})

test('no share is negative, and together they are at most the run', () => {
  const ms = fc.double({ min: 0, max: 2000, noNaN: true })
  const times = fc.array(fc.tuple(ms, ms, ms), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 2000, noNaN: true }),
      times,
      ms,
      ms,
      (elapsedMs, stages, idleMs, cpuMs) => {
        const { shares, consumerShare, bottleneck } = stageProfile(summaryOf(elapsedMs, stages), {
          idleMs,
          cpuMs,
        })
        expect(shares).toHaveLength(stages.length)
        expect(Math.min(...shares, consumerShare)).toBeGreaterThanOrEqual(0)
        expect(shares.reduce((sum, share) => sum + share, consumerShare)).toBeLessThanOrEqual(
          1 + 1e-9,
        )
        if (bottleneck !== undefined) expect(shares[bottleneck]).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})

test('the summary of a run that has ended', async () => {
  const summary = await pipeline([1, 2, 3])
    .map(n => n * 2)
    .forEach(() => {})
  expect(stageProfile(summary).shares).toHaveLength(2)
})
