import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { GATHER_BYTES, InputGatherer } from '../../../src/codec/gzip/input-gatherer'

test('hands on a large block as it is', () => {
  const block = new Uint8Array(GATHER_BYTES)
  const gatherer = new InputGatherer()
  expect(gatherer.add(block)[0]).toBe(block)
  expect(gatherer.isEmpty).toBe(true)
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
  const [first] = gatherer.add(new Uint8Array(10).fill(1)).concat(gatherer.add(new Uint8Array(GATHER_BYTES - 10).fill(2)))
  gatherer.add(new Uint8Array(10).fill(3))
  expect(first?.subarray(0, 11)).toEqual(Uint8Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2))
})

test('keeps all bytes in order, holds less than a block, and never makes small ones', () => {
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
      for (const block of ready) expect(block.length).toBeGreaterThanOrEqual(GATHER_BYTES)
    }),
    { numRuns: 50 },
  )
})
