import { describe, expect, test } from 'vitest'
import { GzipHeader, GzipTrailer } from '../../../../src/engine/codec/gzip/framing'
import { byteByByte, cutAt, gzipHeader, gzipTrailer, type MemberFields } from './build-gzip'

const AFTER = Buffer.from('deflate data')

const FORMS: readonly [string, MemberFields][] = [
  ['bare', {}],
  ['FEXTRA', { extra: Buffer.from('AB\x04\0feed') }],
  ['empty FEXTRA', { extra: Buffer.alloc(0) }],
  ['largest FEXTRA', { extra: Buffer.alloc(65_535, 1) }],
  ['FNAME', { name: 'item_feed.tsv' }],
  ['empty FNAME', { name: '' }],
  ['FCOMMENT', { comment: 'daily' }],
  ['FHCRC', { headerChecksum: true }],
  ['all fields', { extra: Buffer.from([1, 2, 3]), name: 'a', comment: 'b', headerChecksum: true }],
  ['FTEXT', { flags: 1 }],
]

function readAll(pieces: readonly Uint8Array[], startOffset = 0, isFirst = true) {
  const header = new GzipHeader(startOffset, isFirst)
  let used = 0
  for (const piece of pieces) used += header.read(piece)
  return { used, done: header.done }
}

describe.each(FORMS)('a header with %s', (_, fields) => {
  const bytes = gzipHeader(fields)

  test('fault 47: the header is read, and not a byte beyond it', () => {
    expect(readAll([Buffer.concat([bytes, AFTER])])).toEqual({ used: bytes.length, done: true })
  })

  test('fault 41: the header reads the same byte by byte and cut at every offset', () => {
    expect(readAll(byteByByte(Buffer.concat([bytes, AFTER])))).toEqual({
      used: bytes.length,
      done: true,
    })
    for (let cut = 0; cut <= Math.min(bytes.length, 64); cut++) {
      expect(readAll(cutAt(Buffer.concat([bytes, AFTER]), cut))).toEqual({
        used: bytes.length,
        done: true,
      })
    }
  })

  test('the header is not done before its last byte', () => {
    for (let end = Math.max(0, bytes.length - 64); end < bytes.length; end++) {
      expect(readAll([bytes.subarray(0, end)])).toEqual({ used: end, done: false })
    }
  })
})

describe('the header parser refuses bad headers', () => {
  const invalid = (byteOffset: number, reason: unknown) =>
    expect.objectContaining({ code: 'GZIP_HEADER_INVALID', context: { byteOffset, reason } })

  test.each([0x20, 0x40, 0x80, 0xe0])('fault 47: reserved flags 0x%s are refused', flags => {
    const reason = `reserved flags 0x${flags.toString(16)} are set`
    expect(() => readAll([gzipHeader({ flags })], 100)).toThrow(invalid(103, reason))
  })

  test('fault 47: a wrong FHCRC is refused, however it is cut', () => {
    const bytes = gzipHeader({ name: 'a', headerChecksum: 0x1234 })
    const error = invalid(bytes.length - 1, 'header checksum differs')
    expect(() => readAll([bytes])).toThrow(error)
    expect(() => readAll(byteByByte(bytes))).toThrow(error)
  })

  test('another compression method is refused', () => {
    expect(() => readAll([Buffer.from([0x1f, 0x8b, 7])])).toThrow(
      invalid(2, 'compression method 7, expected 8'),
    )
  })

  test.each([
    ['<html>', 0, '3c'],
    ['\x1f\x8a', 1, '8a'],
  ])('a file that starts with %j is refused', (text, byteOffset, byte) => {
    expect(() => readAll([Buffer.from(text, 'latin1')])).toThrow(
      invalid(byteOffset, `not gzip: byte 0x${byte} in the signature`),
    )
  })

  test.each(['name', 'comment'] as const)('a %s without end is refused', field => {
    const bytes = gzipHeader({ [field]: 'x'.repeat(65_536) })
    expect(() => readAll([bytes])).toThrow(invalid(10 + 65_535, `${field} longer than 65535 bytes`))
    expect(readAll([gzipHeader({ [field]: 'x'.repeat(65_535) })]).done).toBe(true)
  })

  test('fault 45: a wrong signature after a member is garbage, at its first byte', () => {
    const garbage = expect.objectContaining({
      code: 'GZIP_TRAILING_GARBAGE',
      context: { byteOffset: 77 },
    })
    expect(() => readAll([Buffer.from('x')], 77, false)).toThrow(garbage)
    expect(() => readAll([Buffer.from([0x1f]), Buffer.from('x')], 77, false)).toThrow(garbage)
  })
})

test('the name and the time of the first member are kept, cut anywhere', () => {
  const bytes = gzipHeader({
    extra: Buffer.from('AB'),
    name: `gr\xf6\xdfe${'x'.repeat(300)}`,
    comment: 'c',
  })
  bytes.writeUInt32LE(0xf0000001, 4)
  for (const pieces of [[bytes], byteByByte(bytes)]) {
    const [first, later] = [new GzipHeader(0, true), new GzipHeader(9, false)]
    for (const piece of pieces) for (const header of [first, later]) header.read(piece)
    expect(first.name).toBe(`größe${'x'.repeat(250)}`)
    expect(first.modifiedAt).toEqual(new Date(0xf0000001 * 1000))
    expect(later.name).toBeUndefined()
  }
  const bare = new GzipHeader(0, true)
  bare.read(gzipHeader({}))
  expect(bare.name).toBeUndefined()
})

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
