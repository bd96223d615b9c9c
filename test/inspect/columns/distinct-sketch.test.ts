// Long: it counts many sets of values.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textHash } from '../../../src/engine/codec/columns/text-hash'
import { DISTINCT_ERROR, DistinctSketch } from '../../../src/inspect/columns/distinct-sketch'

function hashOf(value: string): number {
  const bytes = Uint8Array.from(Buffer.from(value))
  return textHash(new DataView(bytes.buffer), 0, bytes.length)
}

/** The relative errors of sketches over `sets` sets of `size` values. */
function errors(size: number, sets: number): number[] {
  return Array.from({ length: sets }, (_, set) => {
    const sketch = new DistinctSketch()
    for (let n = 0; n < size; n++) sketch.add(hashOf(`v1|${set * 1e7 + n}|0`))
    return sketch.estimate() / size - 1
  })
}

test.each([100, 3_000, 10_000, 20_000, 100_000])(
  '%i values are estimated within the bound',
  size => {
    const all = errors(size, 12)
    const deviation = Math.sqrt(all.reduce((sum, error) => sum + error ** 2, 0) / all.length)
    const bias = all.reduce((sum, error) => sum + error, 0) / all.length
    expect(deviation).toBeLessThan(1.5 * DISTINCT_ERROR)
    expect(Math.abs(bias)).toBeLessThan(DISTINCT_ERROR)
  },
)

test('no value is 0, and repeats do not count', () => {
  expect(new DistinctSketch().estimate()).toBe(0)
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), values => {
      const [once, twice] = [new DistinctSketch(), new DistinctSketch()]
      for (const value of values) once.add(hashOf(value))
      for (const value of [...values, ...values.toReversed()]) twice.add(hashOf(value))
      expect(twice.estimate()).toBe(once.estimate())
      expect(Math.abs(once.estimate() - values.length)).toBeLessThanOrEqual(2)
    }),
  )
})

test('equal bytes have equal hashes, wherever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), fc.nat({ max: 5 }), (bytes, offset) => {
      const moved = Uint8Array.from([...new Uint8Array(offset), ...bytes, 1, 2, 3])
      const [one, other] = [Uint8Array.from(bytes), moved].map(all => new DataView(all.buffer))
      expect(textHash(other!, offset, offset + bytes.length)).toBe(textHash(one!, 0, bytes.length))
    }),
  )
})

test('hashes of similar texts do not collide more often than chance has it', () => {
  const hashes = new Set<number>()
  for (let n = 0; n < 100_000; n++) hashes.add(hashOf(`v1|${110_000_000_000 + n}|0`))
  // Chance gives 1.2 collisions.
  expect(hashes.size).toBeGreaterThan(99_990)
})
