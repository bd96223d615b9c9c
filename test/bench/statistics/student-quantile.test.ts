import { expect, test } from 'vitest'
import { studentQuantile } from '../../../src/bench/statistics/student-quantile'

test.each([
  // From the tables of the distribution.
  [0.95, 1, 12.706],
  [0.95, 3, 3.182],
  [0.99, 3, 5.841],
  [0.8, 7, 1.415],
  [0.95, 11, 2.201],
  [0.99, 29, 2.756],
  [0.999, 60, 3.46],
])('%d of the distribution with %i degrees of freedom', (level, freedom, quantile) => {
  expect(studentQuantile(level, freedom) / quantile).toBeCloseTo(1, 3)
})
