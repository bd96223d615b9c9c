import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDigits } from '../../../../src/engine/codec/kinds/digits'

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
