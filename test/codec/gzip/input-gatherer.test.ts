import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { GATHER_BYTES, InputGatherer, LARGE_BYTES } from '../../../src/codec/gzip/input-gatherer'

test('hands on a large block as it is, what was held before it', () => {
  const block = new Uint8Array(LARGE_BYTES)
  const gatherer = new InputGatherer()
  expect(gatherer.add(block)[0]).toBe(block)
  expect(gatherer.isEmpty).toBe(true)
  gatherer.add(Uint8Array.of(1, 2))
  const both = gatherer.add(block)
  expect([both.length, both[0], both[1]]).toEqual([2, Uint8Array.of(1, 2), block])
  expect(both[1]).toBe(block)
})

test('copies a large block that an engine would copy byte by byte', () => {
  const memory = new Uint8Array(GATHER_BYTES + 1)
  const [ready] = new InputGatherer().add(memory.subarray(1))
  expect(ready?.buffer).not.toBe(memory.buffer)
  expect(ready?.byteOffset).toBe(0)
})

test('copies small blocks: they may change once they were taken', () => {
  const gatherer = new InputGatherer()
  const block = Uint8Array.of(1, 2)
  expect(gatherer.add(block)).toEqual([])
  block.fill(9)
  expect(gatherer.take()).toEqual(Uint8Array.of(1, 2))
  expect(gatherer.take()).toEqual(new Uint8Array(0))
})

test('what it handed out is never written again', () => {
  const gatherer = new InputGatherer()
  const part = GATHER_BYTES / 4
  const [first] = [1, 2, 3, 4].flatMap(value => gatherer.add(new Uint8Array(part).fill(value)))
  gatherer.add(new Uint8Array(part).fill(5))
  expect([0, 1, 2, 3].map(index => first?.[index * part])).toEqual([1, 2, 3, 4])
})

test('keeps all bytes in order, holds less than a block, and makes a small one only before a large one', () => {
  const sizes = fc.array(fc.oneof(fc.nat(10), fc.nat(GATHER_BYTES), fc.nat(3 * GATHER_BYTES)), { maxLength: 8 })
  fc.assert(
    fc.property(sizes, lengths => {
      const gatherer = new InputGatherer()
      const input = Buffer.concat(lengths.map((length, index) => Buffer.alloc(length, index + 1)))
      let at = 0
      const ready = lengths.flatMap(length => gatherer.add(input.subarray(at, (at += length))))
      const last = gatherer.take()
      expect(Buffer.concat([...ready, last]).equals(input)).toBe(true)
      expect(last.length).toBeLessThan(GATHER_BYTES)
      for (const [index, block] of ready.entries())
        expect(Math.max(block.length, ready[index + 1]?.length ?? 0)).toBeGreaterThanOrEqual(LARGE_BYTES)
    }),
    { numRuns: 50 },
  )
})
