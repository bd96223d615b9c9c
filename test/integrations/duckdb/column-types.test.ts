import { expect, test } from 'vitest'
import { UNFIT } from '../../../src/engine/sinks/table-plan'
import { scaledDecimal } from '../../../src/integrations/duckdb/column-types'

test('a decimal has its trailing zeros for nothing, however many they are', () => {
  const zeros = '0'.repeat(1e6)
  expect(scaledDecimal(`12.5${zeros}`, 18, 4)).toBe(125_000)
  expect(scaledDecimal(`12.5${zeros}1`, 18, 4)).toBe(UNFIT)
})
