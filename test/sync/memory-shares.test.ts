import { expect, test } from 'vitest'
import { MEMORY_BYTES, memoryShares } from '../../src/sync/memory-shares'

const MIB = 2 ** 20

test.each([
  [240, 1],
  [240, 32],
  [256, 3],
  [1024, 8],
])(
  '%i MiB for %i downloads: the shares fit, and each is large enough to work',
  (mib, downloads) => {
    const { storeBytes, windowBytes, chunkBytes, rangesAtOnce, pieceBytes, sortBytes } =
      memoryShares(mib * MIB, downloads)
    const held = Math.max(storeBytes, sortBytes) + downloads * (windowBytes + pieceBytes)
    expect(held).toBeLessThan((mib - 170) * MIB)
    expect(Math.min(storeBytes, sortBytes)).toBeGreaterThanOrEqual(16 * MIB)
    expect(chunkBytes * rangesAtOnce).toBeLessThanOrEqual(windowBytes)
    expect(Math.min(chunkBytes, pieceBytes)).toBeGreaterThan(30_000)
  },
)

test('less memory than the process itself needs is refused', () => {
  expect(() => MEMORY_BYTES('memoryBytes', 64 * MIB)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
