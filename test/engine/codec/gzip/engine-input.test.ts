import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  GATHER_BYTES,
  InputGatherer,
  LARGE_BYTES,
  PushBackBuffer,
} from '../../../../src/engine/codec/gzip/engine-input'

test('the gatherer hands on a large block as it is', () => {
  const block = new Uint8Array(LARGE_BYTES)
  const gatherer = new InputGatherer()
  expect(gatherer.add(block)[0]).toBe(block)
  expect(gatherer.isEmpty).toBe(true)
})

test('the gatherer hands on a large block as it is after the bytes that it held', () => {
  const block = new Uint8Array(LARGE_BYTES)
  const gatherer = new InputGatherer()
  gatherer.add(Uint8Array.of(1, 2))
  const [first, second, ...more] = gatherer.add(block)
  expect(first).toEqual(Uint8Array.of(1, 2))
  expect(second).toBe(block)
  expect(more).toEqual([])
  expect(gatherer.isEmpty).toBe(true)
})

test('the gatherer copies small blocks, because their owner may change them afterwards', () => {
  const gatherer = new InputGatherer()
  const block = Uint8Array.of(1, 2)
  expect(gatherer.add(block)).toEqual([])
  block.fill(9)
  expect(gatherer.take()).toEqual(Uint8Array.of(1, 2))
  expect(gatherer.take()).toEqual(new Uint8Array(0))
})

test('the gatherer never writes again to a block that it gave out', () => {
  const gatherer = new InputGatherer()
  const sizes = [10, LARGE_BYTES - 1, GATHER_BYTES - LARGE_BYTES - 9]
  const [first] = sizes.flatMap((size, n) => gatherer.add(new Uint8Array(size).fill(n + 1)))
  gatherer.add(new Uint8Array(10).fill(3))
  expect(first?.subarray(0, 11)).toEqual(Uint8Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2))
})

test('the gatherer keeps all bytes in order, holds less than a block, and makes small blocks only before a large one', () => {
  const sizes = fc.array(
    fc.oneof(fc.nat(10), fc.nat(LARGE_BYTES), fc.nat(GATHER_BYTES), fc.nat(3 * GATHER_BYTES)),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(sizes, lengths => {
      const gatherer = new InputGatherer()
      const input = Buffer.concat(lengths.map((length, index) => Buffer.alloc(length, index + 1)))
      let at = 0
      const ready = lengths.flatMap(length => gatherer.add(input.subarray(at, (at += length))))
      const last = gatherer.take()
      expect(Buffer.concat([...ready, last]).equals(input)).toBe(true)
      expect(last.length).toBeLessThan(GATHER_BYTES)
      const isSmall = (block: Uint8Array) => block.length < LARGE_BYTES
      expect(
        ready.some((block, n) => isSmall(block) && !(ready[n + 1] && !isSmall(ready[n + 1]!))),
      ).toBe(false)
    }),
    { numRuns: 50 },
  )
})

const bytesOf = (blocks: readonly Uint8Array[]) => Buffer.concat(blocks)

test('the buffer gives back the input after the used bytes, whatever use was reported before', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 12 }),
      fc.array(fc.nat(100)),
      fc.nat(100),
      (blocks, steps, end) => {
        const all = bytesOf(blocks)
        const used = Math.min(end, all.length)
        const buffer = new PushBackBuffer()
        for (const [n, block] of blocks.entries()) {
          buffer.add(block)
          buffer.used(Math.min(steps[n] ?? 0, used))
        }
        expect(bytesOf(buffer.takeRest(used)).equals(all.subarray(used))).toBe(true)
        expect(buffer.takeRest(0)).toEqual([])
      },
    ),
  )
})

test('the buffer is empty for the next engine', () => {
  const buffer = new PushBackBuffer()
  buffer.add(Buffer.from('first, next'))
  const [rest] = buffer.takeRest(7)
  buffer.add(rest!)
  expect(bytesOf(buffer.takeRest(1)).toString()).toBe('ext')
})
