import { expect, test } from 'vitest'
import { comparisonTable } from '../../../bench/compare/comparison-table'
import { syntheticComparison } from './synthetic-comparison'

test('a line for each measure, with its unit and its verdict', () => {
  const [heading, time, cpu, rss, ...rest] = comparisonTable(
    [syntheticComparison({ time: 1.2, cpu: 1, rss: 0.8 })],
    0.99,
  ).split('\n')
  expect(heading).toMatch(/^case +base +head +change +99\.0% interval +A\/A noise +verdict$/)
  expect(time).toMatch(
    /^objects time +0\.50\d s +0\.601 s +\+20\.0% +\+19\.\d% to \+20\.\d% +0\.\d% +WORSE$/,
  )
  expect(cpu).toMatch(/^objects cpu +0\.601 s +0\.601 s .*%$/)
  expect(rss).toMatch(/^objects rss +100 MB +80 MB +−20\.0% .* better$/)
  expect(rest).toEqual([])
})
