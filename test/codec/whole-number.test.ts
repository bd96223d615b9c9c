import { expect, test } from 'vitest'
import { wholeNumber } from '../../src/codec/whole-number'

test('whole numbers of at least the least', () => {
  expect(wholeNumber('windowBytes', 1)).toBe(1)
  expect(wholeNumber('backoffBaseMs', 0, 0)).toBe(0)
  expect(wholeNumber('idleMs', 9, 1, 9)).toBe(9)
  expect(() => wholeNumber('idleMs', 10, 1, 9)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    expect(() => wholeNumber('windowBytes', value)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: { option: 'windowBytes', expected: 'a whole number from 1 to 9007199254740991', received: String(value) },
      }),
    )
})
