import { describe, expect, test } from 'vitest'
import { correctedLevel, percent, regressionsOf, signed } from '../../../bench/compare/comparison'
import { syntheticComparison } from './synthetic-comparison'

test('the level is corrected for every measure of every case', () => {
  expect(correctedLevel(0.05, 4)).toBeCloseTo(1 - 0.05 / 12, 10)
  expect(correctedLevel(0.05, 1)).toBeLessThan(correctedLevel(0.05, 2))
})

describe('what fails', () => {
  test('each measure by itself, with its figures', () => {
    expect(regressionsOf([syntheticComparison({ time: 1, cpu: 1, rss: 1 })])).toEqual([])
    const alone = (name: 'time' | 'cpu' | 'rss') =>
      regressionsOf([syntheticComparison({ time: 1, cpu: 1, rss: 1, [name]: 1.2 })])
    expect(alone('time')).toEqual([
      expect.stringMatching(
        /^objects time \+20\.0% \(between \+19\.\d% and \+20\.\d%; A\/A noise 0\.\d%\)$/,
      ),
    ])
    expect(alone('cpu')).toEqual([expect.stringMatching(/^objects cpu \+20\.0% /)])
    expect(alone('rss')).toEqual([expect.stringMatching(/^objects rss \+20\.0% /)])
  })

  test('what got better does not, nor does memory below its floor', () => {
    expect(regressionsOf([syntheticComparison({ time: 0.8, cpu: 0.8, rss: 0.8 })])).toEqual([])
    expect(regressionsOf([syntheticComparison({ time: 1, cpu: 1, rss: 1.03 })])).toEqual([])
    expect(regressionsOf([syntheticComparison({ time: 1, cpu: 1, rss: 1.05 })])).toHaveLength(1)
  })
})

test('shares as text', () => {
  expect([percent(0.0213), signed(0.1), signed(-0.1), signed(0)]).toEqual([
    '2.1%',
    '+10.0%',
    '−10.0%',
    '+0.0%',
  ])
})
