import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeInt32 } from '../../../../src/engine/codec/kinds/int32'

test('every 32-bit number comes back', () => {
  fc.assert(
    fc.property(fc.integer(), value => {
      expect(decodeInt32(String(value))).toBe(value)
    }),
  )
})

test('leading zeros and a minus before zero are read', () => {
  expect(decodeInt32('0007')).toBe(7)
  expect(decodeInt32('-0')).toBe(0)
  expect(decodeInt32('000000000000002147483647')).toBe(2147483647)
})

test('accepts exactly whole numbers of 32 bits, by the rules of Number', () => {
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom('0', '1', '9', '-', '+', '.', 'e', ' ', 'x', '٣') }),
    fc.maxSafeInteger().map(String),
  )
  fc.assert(
    fc.property(texts, text => {
      const value = Number(text)
      const isInt32 = /^-?\d+$/.test(text) && value === (value | 0)
      if (isInt32) expect(decodeInt32(text)).toBe(value + 0)
      else
        expect(() => decodeInt32(text)).toThrow(expect.objectContaining({ code: 'CELL_INVALID' }))
    }),
    { numRuns: 250 },
  )
})

test.each([
  ['2147483648', 'outside of 32 bits'],
  ['-2147483649', 'outside of 32 bits'],
  ['+1', 'not a whole number'],
  ['1.0', 'not a whole number'],
  [' 1', 'not a whole number'],
  ['1\n', 'not a whole number'],
  ['', 'not a whole number'],
  ['1e3', 'not a whole number'],
  ['0x10', 'not a whole number'],
])('refuses %j: %s', (text, reason) => {
  expect(() => decodeInt32(text)).toThrow(
    expect.objectContaining({ context: { type: 'int32', reason, excerpt: text } }),
  )
})
