import { describe, expect, test } from 'vitest'
import { GzipHeader } from '../../../../src/engine/codec/gzip/header'
import { byteByByte, cutAt, gzipHeader, type MemberFields } from './build-gzip'

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
