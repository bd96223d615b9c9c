import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReadBlock } from '../../../src/service/http/large-reads'

const KIB = 1024

test('a read that fills its block is followed by a larger block, up to a limit', () => {
  const sizesAfter = (share: number) => {
    const block = new ReadBlock()
    return [0, 1, 2, 3, 4].map(() => {
      const { length } = block.room
      block.take(length * share)
      return length / KIB
    })
  }
  expect(sizesAfter(1)).toEqual([64, 128, 256, 256, 256])
  expect(sizesAfter(0.9)).toEqual([64, 64, 64, 64, 64])
})

test('no byte of memory is given twice, and each read has room', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 60 }), shares => {
      const block = new ReadBlock()
      const parts = shares.map((share, index) => {
        expect(block.room.length).toBeGreaterThanOrEqual(16 * KIB)
        const bytes = Math.max(1, Math.floor(share * block.room.length))
        block.room.fill(index + 1, 0, bytes)
        return block.take(bytes)
      })
      for (const [index, part] of parts.entries())
        expect(part.every(byte => byte === index + 1)).toBe(true)
    }),
    { numRuns: 30 },
  )
})
