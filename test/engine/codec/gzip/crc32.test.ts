import * as zlib from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32, tableCrc32 } from '../../../../src/engine/codec/gzip/crc32'

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
