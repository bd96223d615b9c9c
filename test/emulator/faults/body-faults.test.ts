import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bitFlipped,
  delayed,
  lengthened,
  shortened,
  struckAt,
} from '../../../src/emulator/faults/body-faults'

const body = Uint8Array.from({ length: 50 }, (_, i) => i)
const cuts = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 })

async function* chunked(sizes: readonly number[]): AsyncGenerator<Uint8Array, void, void> {
  let at = 0
  for (const size of sizes) yield body.slice(at, (at += size))
  yield body.slice(at)
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<number[]> {
  const all: number[] = []
  for await (const chunk of chunks) all.push(...chunk)
  return all
}

const bytes = [...body]

test('each fault has the same effect however the body is cut', () =>
  fc.assert(
    fc.asyncProperty(cuts, fc.nat(60), async (sizes, n) => {
      expect(await collect(shortened(chunked(sizes), n))).toEqual(bytes.slice(0, n))
      expect(await collect(delayed(chunked(sizes), n))).toEqual(bytes.slice(n))
      const extended = await collect(lengthened(chunked(sizes), n))
      expect([extended.length, extended.slice(0, 50)]).toEqual([50 + n, bytes])
      const flipped = await collect(bitFlipped(chunked(sizes), n, 3))
      expect(flipped.map((byte, i) => byte ^ bytes[i]!)).toEqual(
        bytes.map((_, i) => (i === n ? 8 : 0)),
      )
    }),
  ))

test('a strike comes once, after its exact number of bytes or at the end', () =>
  fc.assert(
    fc.asyncProperty(cuts, fc.nat(60), async (sizes, n) => {
      let [seen, struckAfter, strikes] = [0, -1, 0]
      const strike = async () => {
        struckAfter = seen
        strikes++
      }
      for await (const chunk of struckAt(chunked(sizes), n, strike)) seen += chunk.length
      expect([seen, struckAfter, strikes]).toEqual([50, Math.min(n, 50), 1])
    }),
  ))

test('a strike that throws ends the body after the earlier bytes', async () => {
  const failure = new Error('struck')
  const read: number[] = []
  const reading = (async () => {
    for await (const chunk of struckAt(chunked([7, 9]), 10, () => Promise.reject(failure)))
      read.push(...chunk)
  })()
  await expect(reading).rejects.toBe(failure)
  expect(read).toEqual(bytes.slice(0, 10))
})
