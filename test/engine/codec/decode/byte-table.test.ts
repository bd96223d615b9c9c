import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteTable, hashBytes } from '../../../../src/engine/codec/decode/byte-table'

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
/**
 * Few different bytes and lengths, so that runs repeat, are prefixes of one another and share sets.
 */
const run = fc
  .array(fc.constantFrom(0, 1, 0x80, 0xff), { minLength: 1, maxLength: 14 })
  .map(bytes => Uint8Array.from(bytes))

test.each([
  ['its own', (bytes: Uint8Array) => hashBytes(viewOf(bytes), 0, bytes.length)],
  ['one hash for all', () => 0x1234_5678],
])('finds what was kept for exactly these bytes, or nothing (hash: %s)', (_, hashOf) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(run, fc.nat(3)), { maxLength: 200 }), runs => {
      const table = new ByteTable<string>({ entryBits: 4, maxKeyBytes: 12 })
      for (const [bytes, padding] of runs) {
        // Runs stand anywhere in a block, between other bytes.
        const block = viewOf(Uint8Array.of(...new Array(padding).fill(7), ...bytes, 9, 9, 9, 9))
        const hash = hashOf(bytes)
        const key = bytes.join()
        expect([key, undefined]).toContain(table.find(hash, block, padding, padding + bytes.length))
        if (table.find(hash, block, padding, padding + bytes.length) === undefined) {
          table.keep(hash, block, padding, padding + bytes.length, key)
          expect(table.find(hash, block, padding, padding + bytes.length)).toBe(
            bytes.length > 12 ? undefined : key,
          )
        }
      }
    }),
  )
})

test('four runs of one hash are kept side by side, the fifth takes the place of one', () => {
  const table = new ByteTable<number>({ entryBits: 4, maxKeyBytes: 8 })
  const runs = [1, 2, 3, 4, 5].map(byte => viewOf(Uint8Array.of(byte)))
  for (const [n, view] of runs.slice(0, 4).entries()) table.keep(0, view, 0, 1, n)
  expect(runs.map(view => table.find(0, view, 0, 1))).toEqual([0, 1, 2, 3, undefined])
  table.keep(0, runs[4]!, 0, 1, 4)
  expect(
    runs.map(view => table.find(0, view, 0, 1)).filter(value => value !== undefined),
  ).toHaveLength(4)
  expect(table.find(0, runs[4]!, 0, 1)).toBe(4)
})

test('hashes do not depend on where a run stands, and differ in their high bits', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, n) => n * 37)
  const shifted = Uint8Array.of(0, 0, 0, ...bytes)
  for (let length = 1; length < 64; length++)
    expect(hashBytes(viewOf(shifted), 3, 3 + length)).toBe(hashBytes(viewOf(bytes), 0, length))
  const places = new Set<number>()
  for (let n = 0; n < 1024; n++)
    places.add(hashBytes(viewOf(Uint8Array.of(n, n >> 8, 65, 66, 67)), 0, 5) >>> 22)
  expect(places.size).toBeGreaterThan(500)
})

test('a run too long to be kept is not found, though it begins as a kept one and its length looks like it', () => {
  const zeros = viewOf(new Uint8Array(2 ** 12))
  const table = new ByteTable<string>({ entryBits: 4, maxKeyBytes: 8 })
  table.keep(2 ** 11, zeros, 0, 5, 'five zeros')
  expect(table.find(2 ** 11, zeros, 0, 5)).toBe('five zeros')
  for (const hash of [0, 2 ** 11]) expect(table.find(hash, zeros, 0, 2 ** 11 + 5)).toBeUndefined()
})
