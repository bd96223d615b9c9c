import { crc32 } from 'node:zlib'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  giveBackInflateMemory,
  takeInflateMemory,
} from '../../../../src/engine/codec/gzip/inflate-core'
import { isShared, wasmInstance } from '../../../../src/engine/codec/wasm-module'
import { randomNumbers } from './deflate-mutants'

const inflateMemory = takeInflateMemory()
const { core } = inflateMemory
const memory = new Uint8Array(inflateMemory.memory.buffer)
/** The place of the outputs. All memory from here on belongs to the test. */
const AT = core.outputFrom
const MOST_BYTES = 600 * 1024
/** The reflected polynomial of CRC-32. */
const POLYNOMIAL = 0xedb8_8320

afterAll(() => giveBackInflateMemory(inflateMemory))

const next = randomNumbers(17)
const noise = Uint8Array.from({ length: MOST_BYTES + 64 }, () => next(256))
const contents: Readonly<Record<string, Uint8Array>> = {
  noise,
  zeros: new Uint8Array(noise.length),
  'bytes of ones': new Uint8Array(noise.length).fill(0xff),
  'one bit': new Uint8Array(noise.length).fill(1, 20_000, 20_001),
}

describe.each(Object.entries(contents))('the CRC-32 of %s in the memory', (_, content) => {
  /**
   * Computes the CRC-32 of the first `bytes` of the content at an address, with other bytes on both
   * sides.
   */
  function crcAt(alignment: number, bytes: number, before: number): number {
    const from = AT + 64 + alignment
    memory.fill(0xa5, from - 64, from + bytes + 64)
    memory.set(content.subarray(0, bytes), from)
    return core.crc(from, from + bytes, before)
  }

  test('equals that of node:zlib for every short length', () => {
    for (let bytes = 0; bytes < 1_400; bytes++)
      expect(crcAt(bytes & 15, bytes, bytes)).toBe(crc32(content.subarray(0, bytes), bytes))
  })

  test('equals that of node:zlib around every length at which the algorithm changes or the work space wraps', () => {
    for (const around of [5_869, 8_192, 11_773, 17_677, 29_485, 262_144])
      for (let bytes = around - 100; bytes < around + 100; bytes++)
        expect(crcAt(bytes % 17, bytes, 0xdead_beef)).toBe(
          crc32(content.subarray(0, bytes), 0xdead_beef),
        )
  })

  test('equals that of node:zlib for any length, alignment and value before', () => {
    fc.assert(
      fc.property(
        fc.nat(MOST_BYTES),
        fc.nat(63),
        fc.nat(0xffff_ffff),
        (bytes, alignment, before) => {
          expect(crcAt(alignment, bytes, before)).toBe(crc32(content.subarray(0, bytes), before))
        },
      ),
      { numRuns: 75 },
    )
  })

  test('is the same for the parts, one after the other, as for the whole', () => {
    fc.assert(
      fc.property(
        fc.nat(MOST_BYTES),
        fc.array(fc.nat(MOST_BYTES), { maxLength: 5 }),
        (bytes, cuts) => {
          memory.set(content.subarray(0, bytes), AT)
          const ends = [...cuts.filter(cut => cut < bytes), bytes].sort((a, b) => a - b)
          const parts = ends.reduce(
            (crc, end, n) => core.crc(AT + (ends[n - 1] ?? 0), AT + end, crc),
            0,
          )
          expect(parts).toBe(crc32(content.subarray(0, bytes)))
        },
      ),
      { numRuns: 60 },
    )
  })
})

const exports = wasmInstance<Record<string, number>>(inflateMemory.module, inflateMemory.memory)
const values = (names: readonly string[]) => names.map(name => exports[name]!)

test('the CRC-32 writes nothing but its work space', () => {
  const [workFrom, workEnd] = values(['CRC_RING', 'INPUT'])
  memory.set(noise, AT)
  for (const bytes of [100, 5_000, 300_000]) {
    const before = memory.slice()
    core.crc(AT, AT + bytes, 0)
    expect(Buffer.compare(memory.subarray(0, workFrom), before.subarray(0, workFrom))).toBe(0)
    expect(Buffer.compare(memory.subarray(workEnd), before.subarray(workEnd))).toBe(0)
  }
})

describe('the distances of the folds are those of multiples of the polynomial', () => {
  const long = values(['LONG_A', 'LONG_B', 'LONG'])
  const short = values(['SHORT_A', 'SHORT_B', 'SHORT_C', 'SHORT'])
  /**
   * 1 / x to each power, modulo the polynomial: a remainder of 32 bits with the highest power
   * lowest.
   */
  const inverse = [1 << 31]
  while (inverse.length < 11_000) inverse.push(divided(inverse.at(-1)!))
  const sum = (exponents: readonly number[]) =>
    exponents.reduce((remainder, exponent) => remainder ^ inverse[exponent]!, 0)

  test('each distance belongs to a multiple', () => {
    // x^d + x^(d-s) + x^(d-t) + 1, divided by x^d.
    expect(sum([0, ...long])).toBe(0)
    expect(sum([0, ...short])).toBe(0)
    expect(sum([0, 1, ...short])).not.toBe(0)
  })

  test('the first has no other multiple with four terms, two of them at most 128, up to x^11000', () => {
    const powers = new Map(inverse.map((power, exponent) => [power, exponent]))
    const found: number[][] = []
    for (let a = 1; a <= 128; a++)
      for (let b = a + 1; b <= 128; b++) {
        const far = powers.get(sum([0, a, b]))
        if (far !== undefined && far > b) found.push([a, b, far])
      }
    expect(found).toEqual([long])
  })

  test('the second has no multiple with five terms and a lower degree', () => {
    const degree = short.at(-1)!
    const powers = new Map(inverse.slice(0, degree + 1).map((power, exponent) => [power, exponent]))
    let least = Number.POSITIVE_INFINITY
    for (let a = 1; a < degree; a++)
      for (let b = a + 1; b < degree; b++) {
        const two = sum([0, a, b])
        for (let c = b + 1; c < degree; c++) {
          const far = powers.get(two ^ inverse[c]!)
          if (far !== undefined && far > c) least = Math.min(least, far)
        }
      }
    expect(least).toBe(degree)
  })
})

/** Divides a remainder by x. */
function divided(remainder: number): number {
  return remainder < 0 ? ((remainder ^ POLYNOMIAL) << 1) | 1 : remainder << 1
}

test('a memory that is given back is taken again only for its own kind of use', () => {
  const own = takeInflateMemory()
  const shared = takeInflateMemory(true)
  expect([own, shared].map(({ memory }) => isShared(memory))).toEqual([false, true])
  giveBackInflateMemory(own)
  giveBackInflateMemory(shared)
  expect(takeInflateMemory(true)).toBe(shared)
  expect(takeInflateMemory()).toBe(own)
  giveBackInflateMemory(own)
  giveBackInflateMemory(shared)
})
