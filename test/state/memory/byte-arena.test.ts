import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteArena } from '../../../src/state/memory/byte-arena'

const MIB = 1 << 20

function filled(length: number, value: number): Uint8Array {
  return new Uint8Array(length).fill(value)
}

describe('ByteArena', () => {
  test('gives back a copy of each block, also of the empty block', () => {
    const arena = new ByteArena()
    const bytes = Uint8Array.of(1, 2, 3)
    const [empty, some] = [arena.put(new Uint8Array()), arena.put(bytes)]
    bytes[0] = 9
    arena.get(some)[1] = 9
    expect(arena.get(some)).toEqual(Uint8Array.of(1, 2, 3))
    expect(arena.get(empty)).toEqual(new Uint8Array())
    expect(arena.lengthOf(some)).toBe(3)
  })

  test('holds blocks larger than a slab, and small ones in the free slabs', () => {
    const arena = new ByteArena()
    const kept = arena.put(filled(10, 7))
    for (let round = 0; round < 40; round++) {
      const blocks = [
        filled(3 * MIB, round),
        ...Array.from({ length: 50 }, (_, n) => filled(60_000, n)),
      ]
      const numbers = blocks.map(block => arena.put(block))
      for (const [n, number] of numbers.entries())
        expect(Buffer.compare(arena.get(number), blocks[n]!)).toBe(0)
      for (const number of numbers) arena.replace(number, new Uint8Array())
    }
    expect(arena.get(kept)).toEqual(filled(10, 7))
    expect(arena.heldBytes).toBeLessThan(16 * MIB)
  })

  test('needs no more room for blocks that are replaced again and again', () => {
    const arena = new ByteArena()
    const numbers = Array.from({ length: 8000 }, (_, n) => arena.put(filled(1000, n)))
    const before = arena.heldBytes
    for (let round = 1; round <= 5; round++) {
      for (const [n, number] of numbers.entries())
        arena.replace(number, filled(1000 - round, n + round))
    }
    expect(arena.heldBytes).toBeLessThan(before * 1.5)
    for (const [n, number] of numbers.entries())
      expect(Buffer.compare(arena.get(number), filled(995, n + 5))).toBe(0)
  })

  test('agrees with a Map of arrays in any sequence of operations', () => {
    const operation = fc.record({
      kind: fc.constantFrom('put', 'replace'),
      pick: fc.nat(),
      length: fc.constantFrom(0, 1, 7, 8, 9, 100_000, 400_000, MIB - 8, MIB - 7, MIB + 100),
    })
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), operations => {
        const arena = new ByteArena()
        const model = new Map<number, Uint8Array>()
        for (const [n, { kind, pick, length }] of operations.entries()) {
          const bytes = filled(length, n)
          const number = [...model.keys()][pick % Math.max(1, model.size)]
          if (kind === 'put' || number === undefined) model.set(arena.put(bytes), bytes)
          else {
            arena.replace(number, bytes)
            model.set(number, bytes)
          }
        }
        for (const [number, bytes] of model)
          expect(Buffer.compare(arena.get(number), bytes)).toBe(0)
      }),
      { numRuns: 40 },
    )
  })
})
