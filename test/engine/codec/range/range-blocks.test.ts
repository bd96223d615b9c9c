import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RangeBlocks } from '../../../../src/engine/codec/range/range-blocks'

const KIB = 1024

describe('the bytes of a range in blocks', () => {
  test('are those that were appended, whatever the parts, also in blocks that were used before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 700 * KIB }),
        fc.array(fc.array(fc.integer({ min: 0, max: 200 * KIB }), { maxLength: 5 }), {
          minLength: 1,
          maxLength: 4,
        }),
        (rangeBytes, ranges) => {
          const blocks = new RangeBlocks(rangeBytes)
          const seen = new Set<ArrayBufferLike>()
          let most = 0
          for (const sizes of ranges) {
            const given = sizes.map((size, n) => new Uint8Array(size).fill(n + 1))
            const parts: Uint8Array[] = []
            for (const bytes of given) blocks.append(parts, bytes)
            expect(Buffer.concat(parts).equals(Buffer.concat(given))).toBe(true)
            most = Math.max(most, parts.length)
            for (const part of parts) {
              seen.add(part.buffer)
              blocks.giveBack(part)
            }
          }
          expect(seen.size).toBe(most)
        },
      ),
      { numRuns: 30 },
    )
  })

  test('fill a whole number of blocks of at most 256 KiB', () => {
    for (const [rangeBytes, sizes] of [
      [10_000, [10_000]],
      [300 * KIB, [150 * KIB, 150 * KIB]],
      [512 * KIB, [256 * KIB, 256 * KIB]],
    ] as const) {
      const parts: Uint8Array[] = []
      new RangeBlocks(rangeBytes).append(parts, new Uint8Array(rangeBytes))
      expect(parts.map(part => part.buffer.byteLength)).toEqual(sizes)
    }
  })
})
