import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from '../../../src/codec/gzip/crc32'
import {
  checkValue,
  ENTRY_BYTES,
  HEAD_BYTES,
  INLINE_BYTES,
  readEntry,
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
        const entry = bytes.subarray(0, writeInlineEntry(value, bytes, 0))
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
        const written = writePlacedEntry(place, checksum, head, bytes, 0)
        const entry = readEntry(bytes.subarray(0, written), 'x')
        expect(entry).toMatchObject({ place, checksum })
        expect(Buffer.compare((entry as { head: Uint8Array }).head, head)).toBe(0)
      },
    ),
  )
})

test.each([[[]], [[0, 1]], [[2, 0, 0, 0, 0, 0]], [[1, ...Array(30).fill(0)]]])(
  '%j is no entry',
  bytes => {
    expect(() => readEntry(Uint8Array.from(bytes), 'there')).toThrow(
      expect.objectContaining({
        code: 'STATE_CORRUPT',
        context: { path: 'there', reason: expect.any(String) },
      }),
    )
  },
)

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
