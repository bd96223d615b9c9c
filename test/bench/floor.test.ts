// What fails a run.

import { expect, test } from 'vitest'
import { failuresOf } from '../../bench/floor'
import { madeReport, rightVerdict, wrongVerdict } from './made-report'

const results = madeReport.cases.flatMap(({ contenders }) => contenders)
const wrong = (ours: boolean) => [{ name: 'objects' as const, ours, verdict: wrongVerdict }]

test('a missed goal, unless goals do not count; another contender that is wrong does not', () => {
  expect(failuresOf(results, madeReport.goals, true)).toEqual([
    'rows-5: 0.50 ×, where the goal is ≥ 1.2 × zlib',
  ])
  expect(failuresOf(results, madeReport.goals, false)).toEqual([])
  expect(failuresOf(wrong(false), [], true)).toEqual([])
})

test('a wrong result of this package, whether goals count or not', () => {
  expect(failuresOf(wrong(true), [], false)).toEqual([
    'objects is WRONG: 920 of 1000 rows, 899 of them right',
  ])
  expect(failuresOf([{ name: 'objects', ours: true, verdict: rightVerdict }], [], true)).toEqual([])
})
