import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeDecimal,
  decodeFloat64,
  decodeInt32,
  decodeInt64,
  readDigits,
  readInt64,
} from '../../../../src/engine/codec/decode/numbers'

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

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test('every number of 64 bits reads back, with zeros in front too', () => {
  fc.assert(
    fc.property(int64, fc.nat(40), (value, zeros) => {
      expect(decodeInt64(String(value))).toBe(value)
      expect(decodeInt64(String(value).replace(/\d/, digit => '0'.repeat(zeros) + digit))).toBe(
        value,
      )
    }),
  )
})

test('the bytes of a number give the number, or leave it to the text', () => {
  fc.assert(
    fc.property(fc.oneof(int64, fc.bigInt({ min: -999n, max: 999n })), value => {
      const bytes = Buffer.from(String(value))
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      expect(readInt64(view, 0, bytes.length) ?? value).toBe(value)
      if (bytes.length <= 15) expect(readInt64(view, 0, bytes.length)).toBe(value)
    }),
  )
})

test.each([
  ['', 'not a whole number'],
  ['-', 'not a whole number'],
  ['+1', 'not a whole number'],
  ['1.0', 'not a whole number'],
  ['1e3', 'not a whole number'],
  [' 1', 'not a whole number'],
  ['1\n', 'not a whole number'],
  ['0x1', 'not a whole number'],
  ['9223372036854775808', 'outside of 64 bits'],
  ['-9223372036854775809', 'outside of 64 bits'],
  [`-${'9'.repeat(100)}`, 'outside of 64 bits'],
])('%j is no number of 64 bits', (text, reason) => {
  expect(() => decodeInt64(text)).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ type: 'int64', reason }),
    }),
  )
})

test('the work grows with the length of a cell, and not faster', () => {
  const zeros = '0'.repeat(2 ** 20)
  const nines = '9'.repeat(2 ** 20)
  expect(decodeInt64(`-${zeros}7`)).toBe(-7n)
  for (const text of [`${zeros}x`, nines, `${nines}x`])
    expect(() => decodeInt64(text)).toThrow(expect.objectContaining({ code: 'CELL_INVALID' }))
})

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

const read = (text: string, start = 0, end = text.length) =>
  readDigits(new DataView(new TextEncoder().encode(text).buffer), start, end)

test('the digits of every number of nine digits or fewer read back', () => {
  fc.assert(
    fc.property(fc.nat(999_999_999), fc.nat(3), (number, zeros) => {
      const text = `${'0'.repeat(zeros)}${number}`.slice(-9)
      expect(read(text)).toBe(Number(text))
      expect(read(`x${text}x`, 1, 1 + text.length)).toBe(Number(text))
    }),
  )
})

test('no digits are 0, and every byte that is no digit gives -1', () => {
  expect(read('')).toBe(0)
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Uint8Array.of(0x31, byte, 0x32)
    const isDigit = byte >= 0x30 && byte <= 0x39
    expect(readDigits(new DataView(bytes.buffer), 0, 3)).toBe(
      isDigit ? 102 + (byte - 0x30) * 10 : -1,
    )
  }
})
