import * as zlib from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32, crcOf, joinedCrc32, tableCrc32 } from '../../../../src/engine/codec/gzip/crc32'

describe.each([
  ['crc32', crc32],
  ['tableCrc32', tableCrc32],
] as const)('%s', (_, checksum) => {
  test('gives the check value of the CRC-32 catalogue', () => {
    expect(checksum(Buffer.from('123456789'))).toBe(0xcbf43926)
  })

  test('the CRC-32 of no bytes is the seed', () => {
    expect(checksum(new Uint8Array(0))).toBe(0)
    expect(checksum(new Uint8Array(0), 0xcbf43926)).toBe(0xcbf43926)
  })

  test('the CRC-32 is an unsigned number', () => {
    expect(checksum(Buffer.from('a'))).toBe(0xe8b7be43)
  })
})

test('the table agrees with node:zlib at every length and in pieces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      const whole = zlib.crc32(bytes)
      expect(tableCrc32(bytes)).toBe(whole)
      expect(tableCrc32(bytes.subarray(cut), tableCrc32(bytes.subarray(0, cut)))).toBe(whole)
    }),
  )
})

test('the CRC-32 is native where Node has one', () => {
  expect(crc32).toBe(zlib.crc32)
})

test('the table leaves out the bytes from the end on', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      const end = Math.min(cut, bytes.length)
      expect(tableCrc32(bytes, 0, end)).toBe(zlib.crc32(bytes.subarray(0, end)))
    }),
  )
})

test('two checksums are joined at every length', () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, n) => (n * n) % 251)
  for (let length = 0; length < bytes.length; length += length < 300 ? 1 : 397) {
    const [first, second] = [bytes.subarray(0, bytes.length - length), bytes.subarray(-length)]
    const known = length === 0 ? 0 : zlib.crc32(second)
    expect(joinedCrc32(zlib.crc32(first), known, length)).toBe(zlib.crc32(bytes))
  }
  expect(joinedCrc32(0, zlib.crc32(bytes), bytes.length)).toBe(zlib.crc32(bytes))
})

test('checksums of random bytes are joined', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (first, second) => {
      const joined = joinedCrc32(zlib.crc32(first), zlib.crc32(second), second.length)
      expect(joined).toBe(zlib.crc32(Buffer.concat([first, second])))
    }),
  )
})

test.each([
  ['CRC-32', 0xedb88320, 0xcbf43926],
  ['CRC-32C', 0x82f63b78, 0xe3069283],
  ['CRC-32D', 0xd419cc15, 0x87315576],
])(
  'gives the check value of the CRC catalogue for %s, whole and in pieces',
  (_, polynomial, check) => {
    const crc = crcOf(polynomial)
    const bytes = Buffer.from('123456789')
    expect(crc(bytes)).toBe(check)
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(crc(bytes.subarray(cut), crc(bytes.subarray(0, cut)))).toBe(check)
  },
)
