import { describe, expect, test } from 'vitest'
import { correctedLevel, regressionsIn } from '../../src/bench/bench-report'
import { compared, type Factors, madeRuns, measuredOnly } from './made-bench-report'

test('the level is corrected for every measure of every benchmark', () => {
  const judging = { measures: ['time', 'cpu', 'memory'] } as const
  expect(correctedLevel({ ...judging, benches: 4 })).toBeCloseTo(1 - 0.1 / 12, 10)
  expect(correctedLevel({ ...judging, measures: ['cpu'], benches: 1 })).toBeCloseTo(0.9, 10)
  expect(correctedLevel({ ...judging, benches: 4, stated: 'v1' })).toBeCloseTo(1 - 0.1 / 24, 10)
})

test('the figures are medians, and the shares are those of the stages', () => {
  const [bench] = measuredOnly().benches
  expect(bench).toMatchObject({ name: 'objects', count: 1000, bytes: 60e6, peakRssMb: 100 })
  expect(bench!.seconds).toBeCloseTo(0.5, 2)
  expect(bench!.mbPerSecond).toBeCloseTo(120, 0)
  expect(bench!.countPerSecond).toBeCloseTo(2000, -1)
  expect(bench!.spread).toBeCloseTo(0.002, 4)
  expect(bench!.stages.map(({ stage, share }) => [stage, Number(share.toFixed(3))])).toEqual([
    ['read', 0.25],
    ['parse', 0.75],
  ])
})

test('a function has no stages, and no MB/s without bytes', () => {
  const runs = madeRuns().map(({ bytes: _, ...run }) => ({ ...run, stages: [] }))
  const [bench] = measuredOnly('work', runs).benches
  expect(bench!.stages).toEqual([])
  expect(bench).not.toHaveProperty('mbPerSecond')
  expect(bench).not.toHaveProperty('measures')
})

describe('what fails', () => {
  const worse = (factors: Factors) =>
    regressionsIn(compared(factors)).map(({ bench, measure }) => `${bench} ${measure}`)

  test('each measure by itself', () => {
    expect(worse({})).toEqual([])
    expect(worse({ time: 1.2 })).toEqual(['objects time'])
    expect(worse({ cpu: 1.2 })).toEqual(['objects cpu'])
    expect(worse({ memory: 1.2 })).toEqual(['objects memory'])
    expect(regressionsIn(measuredOnly())).toEqual([])
  })

  test('what got better does not, nor does memory below its floor', () => {
    expect(worse({ time: 0.8, cpu: 0.8, memory: 0.8 })).toEqual([])
    expect(worse({ memory: 1.03 })).toEqual([])
    expect(worse({ memory: 1.05 })).toEqual(['objects memory'])
  })
})
