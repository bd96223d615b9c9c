import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from '../../../src/engine/codec/gzip/crc32'
import {
  checkValue,
  ENTRY_BYTES,
  HEAD_BYTES,
  INLINE_BYTES,
  readEntry,
  readHead,
  writeInlineEntry,
  writePlacedEntry,
} from '../../../src/state/level/index-entry'

const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })

test('short values read back, and any changed byte of them is STATE_CORRUPT', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: INLINE_BYTES }),
      fc.nat(1000),
      fc.integer({ min: 1, max: 255 }),
      (value, at, change) => {
        const bytes = Buffer.alloc(ENTRY_BYTES)
        const from = Buffer.concat([Buffer.from('before'), value, Buffer.from('behind')])
        const length = writeInlineEntry(crc32(value), from, 6, value.length, bytes)
        const entry = bytes.subarray(0, length)
        expect(readEntry(entry, 'x')).toMatchObject({
          place: undefined,
          value: expect.objectContaining({ length: value.length }),
        })
        expect(Buffer.compare((readEntry(entry, 'x') as { value: Uint8Array }).value, value)).toBe(
          0,
        )
        entry[at % entry.length]! ^= change
        expect(() => readEntry(entry, 'x')).toThrow(
          expect.objectContaining({ code: 'STATE_CORRUPT' }),
        )
      },
    ),
  )
})

test('places read back with their checksum and head', () => {
  fc.assert(
    fc.property(
      uint32,
      uint32,
      uint32,
      uint32,
      fc.uint8Array({ minLength: HEAD_BYTES, maxLength: HEAD_BYTES }),
      (segment, offset, length, checksum, head) => {
        const bytes = Buffer.alloc(ENTRY_BYTES)
        const place = { segment, offset, length }
        const from = Buffer.concat([Buffer.from('before'), head, Buffer.from('behind')])
        const written = bytes.subarray(0, writePlacedEntry(place, checksum, from, 6, bytes))
        const entry = readEntry(written, 'x')
        expect(entry).toMatchObject({ place, checksum })
        expect(Buffer.compare((entry as { head: Uint8Array }).head, head)).toBe(0)
        expect(Buffer.compare(readHead(written, 'x'), head)).toBe(0)
        for (const shorter of [1, 3, written.length - HEAD_BYTES])
          expect(() => readEntry(written.subarray(0, -shorter), 'x')).toThrow(
            /not what was written/,
          )
      },
    ),
  )
})

test('an entry of an earlier version, with numbers of 32 bits, reads back', () => {
  const bytes = Buffer.alloc(41, 'h')
  bytes[0] = 1
  for (const [n, number] of [0xfffffffe, 7, 2 ** 31, 800].entries())
    bytes.writeUInt32LE(number, 1 + 4 * n)
  expect(readEntry(bytes, 'x')).toMatchObject({
    place: { segment: 7, offset: 2 ** 31, length: 800 },
    checksum: 0xfffffffe,
    head: Buffer.alloc(24, 'h'),
  })
  expect(readHead(bytes, 'x')).toEqual(Buffer.alloc(24, 'h'))
})

test.each([
  [[]],
  [[0, 1]],
  [[3, 0, 0, 0, 0, 0]],
  [[1, ...Array(30).fill(0)]],
  [Array(60).fill(2)],
  [[2, ...Array(60).fill(0x80)]],
])('%j is no entry', bytes => {
  expect(() => readEntry(Uint8Array.from(bytes), 'there')).toThrow(
    expect.objectContaining({
      code: 'STATE_CORRUPT',
      context: { path: 'there', reason: expect.any(String) },
    }),
  )
})

test('a value of another entry is STATE_CORRUPT', () => {
  const value = Buffer.from('a value')
  const entry = {
    place: { segment: 1, offset: 7, length: 7 },
    checksum: crc32(value),
    head: new Uint8Array(HEAD_BYTES),
  }
  expect(() => checkValue(value, entry, 'x')).not.toThrow()
  expect(() => checkValue(Buffer.from('another'), entry, 'x')).toThrow(/byte 7/)
})
