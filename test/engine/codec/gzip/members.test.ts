import { describe, expect, test } from 'vitest'
import { gzipLimits } from '../../../../src/engine/codec/gzip/limits'
import { GzipMembers, NestedProbe } from '../../../../src/engine/codec/gzip/members'
import { byteByByte, gzipHeader, gzipTrailer } from './build-gzip'

// The framing without an engine: the test decides how long the "deflate data" is.
const CONTENT = Buffer.from('itemId\ttitle\n')
const DATA_BYTES = 7

function inData(limits = gzipLimits({})): GzipMembers {
  const members = new GzipMembers(limits)
  expect(members.read(Buffer.concat([gzipHeader(), Buffer.from('data')]))).toBe(10)
  expect(members.inData).toBe(true)
  return members
}

function afterMember(): GzipMembers {
  const members = inData()
  members.countOutput(CONTENT, DATA_BYTES)
  members.dataUsed(DATA_BYTES, true)
  expect(members.read(gzipTrailer(CONTENT))).toBe(8)
  return members
}

const failure = (code: string, context: object) => expect.objectContaining({ code, context })

test('the parser counts compressed bytes through all phases', () => {
  const members = inData()
  expect(members.byteOffset).toBe(10)
  members.dataUsed(3, false)
  expect(members.byteOffset).toBe(13)
  members.countOutput(CONTENT, 5)
  expect(members.byteOffset).toBe(15)
  members.dataUsed(DATA_BYTES, true)
  expect(members.byteOffset).toBe(17)
  members.read(gzipTrailer(CONTENT))
  expect(members.byteOffset).toBe(25)
})

test('the parser reads nothing while the data belongs to the engine', () => {
  expect(inData().read(Buffer.from('data'))).toBe(0)
})

test('every member starts with a new checksum and size', () => {
  const members = afterMember()
  for (const content of [Buffer.from('b'), Buffer.alloc(0), Buffer.from('c')]) {
    members.read(gzipHeader())
    if (content.length > 0) members.countOutput(content, 2)
    members.dataUsed(2, true)
    members.read(gzipTrailer(content))
  }
  expect(() => members.end()).not.toThrow()
})

describe('the end of the file', () => {
  test('the end is valid after a member, and after zeros', () => {
    const members = afterMember()
    expect(() => members.end()).not.toThrow()
    expect(members.read(new Uint8Array(1000))).toBe(1000)
    expect(() => members.end()).not.toThrow()
  })

  test('the end is a typed error before the first member, and in each part of a member', () => {
    expect(() => new GzipMembers(gzipLimits({})).end()).toThrow(
      failure('GZIP_EMPTY', { byteOffset: 0 }),
    )
    const inHeader = new GzipMembers(gzipLimits({}))
    inHeader.read(gzipHeader().subarray(0, 9))
    expect(() => inHeader.end()).toThrow(
      failure('GZIP_TRUNCATED', { byteOffset: 9, part: 'header' }),
    )
    const members = inData()
    expect(() => members.end()).toThrow(failure('GZIP_TRUNCATED', { byteOffset: 10, part: 'data' }))
    members.countOutput(CONTENT, DATA_BYTES)
    members.dataUsed(DATA_BYTES, true)
    expect(() => members.end()).toThrow(
      failure('GZIP_TRUNCATED', { byteOffset: 17, part: 'trailer' }),
    )
    members.read(gzipTrailer(CONTENT).subarray(0, 7))
    expect(() => members.end()).toThrow(
      failure('GZIP_TRUNCATED', { byteOffset: 24, part: 'trailer' }),
    )
  })

  test('the end after a lone 1f is GZIP_TRUNCATED, because the byte may begin a member', () => {
    const members = afterMember()
    members.read(Uint8Array.of(0, 0x1f))
    expect(() => members.end()).toThrow(
      failure('GZIP_TRUNCATED', { byteOffset: 27, part: 'header' }),
    )
  })
})

test('garbage is reported at its first byte, with or without zeros before it', () => {
  expect(() => afterMember().read(Buffer.from('garbage'))).toThrow(
    failure('GZIP_TRAILING_GARBAGE', { byteOffset: 25 }),
  )
  expect(() => afterMember().read(Buffer.from('\0\0\0\x1fx'))).toThrow(
    failure('GZIP_TRAILING_GARBAGE', { byteOffset: 28 }),
  )
})

test('zeros before the first member are no padding', () => {
  const error = expect.objectContaining({ code: 'GZIP_HEADER_INVALID' })
  expect(() => new GzipMembers(gzipLimits({})).read(new Uint8Array(3))).toThrow(error)
})

describe('caps', () => {
  const MIB = 1024 * 1024
  const block = new Uint8Array(MIB)

  test('the output may reach maxOutputBytes but not exceed it, over all members', () => {
    const members = inData(gzipLimits({ maxOutputBytes: 3 }))
    members.countOutput(new Uint8Array(2), 1)
    members.countOutput(new Uint8Array(1), 2)
    const error = failure('GZIP_LIMIT', { byteOffset: 13, option: 'maxOutputBytes', limit: 3 })
    expect(() => members.countOutput(new Uint8Array(1), 3)).toThrow(error)
  })

  test('maxRatio applies only after the first MiB', () => {
    const members = inData(gzipLimits({ maxRatio: 1 }))
    expect(() => members.countOutput(block, 1)).not.toThrow()
    const error = failure('GZIP_LIMIT', { byteOffset: 12, option: 'maxRatio', limit: 1 })
    expect(() => members.countOutput(new Uint8Array(1), 2)).toThrow(error)
  })

  test('fault 98: maxMembers counts the members that begin, and the error names the byte behind the header that exceeds the cap', () => {
    const members = new GzipMembers(gzipLimits({ maxMembers: 2 }))
    const readMember = () => {
      members.read(gzipHeader())
      members.dataUsed(2, true)
      members.read(gzipTrailer(Buffer.alloc(0)))
    }
    readMember()
    readMember()
    expect(readMember).toThrow(
      failure('GZIP_LIMIT', { byteOffset: 50, option: 'maxMembers', limit: 2 }),
    )
  })

  test('the output may reach maxRatio', () => {
    const members = inData(gzipLimits({ maxRatio: 2 }))
    members.countOutput(block, MIB - 10)
    expect(() => members.countOutput(block, MIB - 10)).not.toThrow()
    expect(() => members.countOutput(new Uint8Array(1), MIB - 10)).toThrow(
      expect.objectContaining({ code: 'GZIP_LIMIT' }),
    )
  })
})

test('nested gzip is refused where its data begins, and only at the start of the content', () => {
  const nested = gzipHeader()
  expect(() => inData().countOutput(nested, 5)).toThrow(failure('GZIP_NESTED', { byteOffset: 10 }))
  expect(() => inData(gzipLimits({ allowNested: true })).countOutput(nested, 5)).not.toThrow()
  const members = inData()
  members.countOutput(CONTENT, 5)
  expect(() => members.countOutput(nested, 5)).not.toThrow()
})

const blocksOf = (...bytes: number[]) => byteByByte(Uint8Array.from(bytes))

function sawGzip(blocks: readonly Uint8Array[]): boolean {
  const probe = new NestedProbe()
  return blocks.some(block => probe.completes(block))
}

test('fault 49: the probe sees a gzip signature, in one block or byte by byte', () => {
  expect(sawGzip([Uint8Array.of(0x1f, 0x8b, 8, 0x1f, 0, 0)])).toBe(true)
  expect(sawGzip([...blocksOf(0x1f, 0x8b, 8), new Uint8Array(0), ...blocksOf(0)])).toBe(true)
})

test.each([
  ['another method', [0x1f, 0x8b, 7, 0]],
  ['reserved flags', [0x1f, 0x8b, 8, 0x20]],
  ['a signature that breaks off', [0x1f, 0x8b, 8]],
  ['a signature after the first byte', [0x41, 0x1f, 0x8b, 8, 0]],
  ['a signature after half a signature', [0x1f, 0x8b, 0x1f, 0x8b, 8, 0]],
])('the probe sees no signature in %s', (_, bytes) => {
  expect(sawGzip([Uint8Array.from(bytes)])).toBe(false)
  expect(sawGzip(blocksOf(...bytes))).toBe(false)
})
