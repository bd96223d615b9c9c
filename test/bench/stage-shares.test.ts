import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stageShares } from '../../src/bench/stage-shares'
import { newCounters } from '../../src/engine/core/counters'

type Times = readonly [busyMs: number, waitMs: number, blockedMs: number]

const stagesOf = (times: readonly Times[]) =>
  times.map(([busyMs, waitMs, blockedMs], place) => ({
    ...newCounters(`stage ${place}`),
    busyMs,
    waitMs,
    blockedMs,
  }))

const percents = (elapsedMs: number, times: readonly Times[]) =>
  stageShares(stagesOf(times), elapsedMs).map(share => Math.round(share * 100))

describe('where the time went', () => {
  test('on one thread each stage is charged with its own work, the last one too', () => {
    const run: Times[] = [
      [20, 0, 980],
      [300, 20, 680],
      [500, 320, 180],
      [180, 820, 0],
    ]
    expect(percents(1000, run)).toEqual([2, 30, 50, 18])
  })

  test('a stage that works ahead, or waits for its turn, is not charged with what runs beside it', () => {
    // Most of the busy time of the first two stages was a wait for their turn, or for another
    // thread that had finished long before.
    const run: Times[] = [
      [2900, 0, 2391],
      [4017, 25, 1249],
      [550, 1052, 3673],
      [3654, 1631, 0],
    ]
    expect(percents(5291, run)).toEqual([0, 19, 10, 69])
  })

  test('stages in lockstep that count only their work are each charged with their own', () => {
    const fused = (waitMs: number, blockedMs: number): Times[] => [
      [400, 0, 600],
      [300, waitMs, 0],
      [400, 0, blockedMs],
      [200, 800, 0],
    ]
    expect(percents(1000, fused(0, 0))).toEqual([10, 30, 40, 20])
    expect(percents(1000, fused(80, 220))).toEqual([8, 30, 40, 20])
  })

  test('a slow source is charged with all waiting for it', () => {
    const run: Times[] = [
      [950, 0, 50],
      [30, 940, 30],
      [20, 970, 0],
    ]
    expect(percents(1000, run)).toEqual([94, 3, 2])
  })

  test('a slow consumer is charged with what it holds back', () => {
    const run: Times[] = [
      [100, 0, 900],
      [200, 100, 700],
    ]
    expect(percents(1000, run)).toEqual([10, 20])
  })
})

test('no share is negative, and together they are at most the run', () => {
  const ms = fc.double({ min: 0, max: 2000, noNaN: true })
  const times = fc.array(fc.tuple(ms, ms, ms), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.double({ min: 1, max: 2000, noNaN: true }), times, (elapsedMs, stages) => {
      const shares = stageShares(stagesOf(stages), elapsedMs)
      expect(shares).toHaveLength(stages.length)
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0)
      const consumer = Math.min(stages.at(-1)![2], elapsedMs) / elapsedMs
      expect(shares.reduce((sum, share) => sum + share, consumer)).toBeLessThanOrEqual(1 + 1e-9)
    }),
  )
})

test('a function has no stages', () => {
  expect(stageShares([], 10)).toEqual([])
})
