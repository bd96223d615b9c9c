import { expect, test } from 'vitest'
import { GzipTrailer } from '../../../../src/engine/codec/gzip/trailer'
import { byteByByte, gzipTrailer } from './build-gzip'

const NOTHING = new Uint8Array(0)

function trailerOf(crc: number, size: number): GzipTrailer {
  const trailer = new GzipTrailer(1000)
  trailer.read(gzipTrailer(NOTHING, { crc, size }))
  return trailer
}

test('the trailer takes eight bytes and no more, however they are cut', () => {
  const bytes = Buffer.concat([
    gzipTrailer(NOTHING, { crc: 0xfedcba98, size: 5 }),
    Buffer.from('next'),
  ])
  const whole = new GzipTrailer(0)
  expect(whole.read(bytes)).toBe(8)
  const cut = new GzipTrailer(0)
  expect(byteByByte(bytes).map(byte => [cut.read(byte), cut.done])).toEqual([
    ...Array(7).fill([1, false]),
    [1, true],
    ...Array(4).fill([0, true]),
  ])
  for (const trailer of [whole, cut]) expect(() => trailer.verify(0xfedcba98, 5)).not.toThrow()
})

test('fault 39: a wrong CRC32 is a typed error at the position of the trailer', () => {
  const error = expect.objectContaining({
    code: 'GZIP_CRC_MISMATCH',
    context: { byteOffset: 1000, expected: 0xfedcba98, actual: 1 },
  })
  expect(() => trailerOf(0xfedcba98, 5).verify(1, 5)).toThrow(error)
})

test('fault 39: a wrong ISIZE is a typed error at the position of its field', () => {
  const error = expect.objectContaining({
    code: 'GZIP_SIZE_MISMATCH',
    context: { byteOffset: 1004, expected: 5, actual: 6 },
  })
  expect(() => trailerOf(1, 5).verify(1, 6)).toThrow(error)
})

test('fault 51: the size of more than 4 GiB of output is compared modulo 2^32', () => {
  expect(() => trailerOf(1, 5).verify(1, 2 ** 32 + 5)).not.toThrow()
  expect(() => trailerOf(1, 0).verify(1, 2 ** 32)).not.toThrow()
  expect(() => trailerOf(1, 0xffffffff).verify(1, 3 * 2 ** 32 - 1)).not.toThrow()
  const error = expect.objectContaining({
    code: 'GZIP_SIZE_MISMATCH',
    context: { byteOffset: 1004, expected: 5, actual: 6 },
  })
  expect(() => trailerOf(1, 5).verify(1, 2 ** 40 + 6)).toThrow(error)
})
