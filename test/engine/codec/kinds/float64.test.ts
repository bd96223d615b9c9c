import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeFloat64 } from '../../../../src/engine/codec/kinds/float64'

test('every double reads back from each of its texts', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(double, value => {
      expect(decodeFloat64(String(value))).toBe(Number(String(value)))
      expect(decodeFloat64(value.toExponential())).toBe(Number(value.toExponential()))
      expect(decodeFloat64(value.toExponential().toUpperCase())).toBe(Number(value.toExponential()))
    }),
  )
})

test('a number below the smallest double is zero', () => {
  expect(decodeFloat64('1e-999')).toBe(0)
})

test.each([
  ['', 'not a number'],
  ['NaN', 'not a number'],
  ['Infinity', 'not a number'],
  ['-Infinity', 'not a number'],
  ['.5', 'not a number'],
  ['5.', 'not a number'],
  ['+5', 'not a number'],
  ['1,5', 'not a number'],
  ['1e', 'not a number'],
  ['1e1.5', 'not a number'],
  ['0x1', 'not a number'],
  ['1 ', 'not a number'],
  ['1e309', 'beyond the largest double'],
  ['-1e309', 'beyond the largest double'],
])('%j is no double', (text, reason) => {
  expect(() => decodeFloat64(text)).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ type: 'float64', reason }),
    }),
  )
})
