import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeInt64, readInt64 } from '../../../../src/engine/codec/kinds/int64'

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
