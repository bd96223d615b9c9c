import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDecimal } from '../../../../src/engine/codec/decode/decimal'

const decimals = fc.stringMatching(/^-?[0-9]{1,30}(\.[0-9]{1,30})?$/)

test('the text stays as sent, in text, in strings and in JSON; the number is the nearest double', () => {
  fc.assert(
    fc.property(decimals, text => {
      const decimal = decodeDecimal(text)
      expect(decimal.text).toBe(text)
      expect(`${decimal}`).toBe(text)
      expect(JSON.stringify({ decimal })).toBe(JSON.stringify({ decimal: text }))
      expect(decimal.toNumber()).toBe(Number(text))
      expect(decodeDecimal(decimal.text)).toEqual(decimal)
    }),
  )
})

test('keeps what a double cannot: digits past the 16th and zeros at the end', () => {
  expect(decodeDecimal('1234567890123456.10').text).toBe('1234567890123456.10')
})

test.each([
  '',
  '-',
  '.5',
  '5.',
  '+1',
  '1e3',
  '1,50',
  '1 000',
  ' 1',
  '1\n',
  'NaN',
  'Infinity',
  '0x10',
  '--1',
  '1.2.3',
  '٣',
])('refuses %j', text => {
  expect(() => decodeDecimal(text)).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: { type: 'decimal', reason: 'not a decimal number', excerpt: text },
    }),
  )
})
