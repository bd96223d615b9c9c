import { expect, test } from 'vitest'
import { median } from '../../../src/bench/statistics/median'

test('the median is the middle value, or the mean of the middle two', () => {
  expect([[3, 1, 2], [4, 1, 3, 2], [7]].map(median)).toEqual([2, 2.5, 7])
})
