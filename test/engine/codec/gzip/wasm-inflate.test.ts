// Long: its properties inflate many damaged files.

import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  giveBackInflateMemory,
  takeInflateMemory,
} from '../../../../src/engine/codec/gzip/inflate-core'
import { OUTPUT_BLOCK_BYTES } from '../../../../src/engine/codec/gzip/inflate-engine'
import { WasmInflate, wasmEngine } from '../../../../src/engine/codec/gzip/wasm-inflate'
import { wasmInstance } from '../../../../src/engine/codec/wasm-module'
import { byteByByte, cutAt, feedText } from './build-gzip'
import {
  anyDeflated,
  cutAnywhere,
  isSame,
  mutant,
  randomNumbers,
  wasmVerdict,
  zlibVerdict,
} from './deflate-mutants'
import { engineContract, inflateAll } from './engine-contract'

const WINDOW_BYTES = 32 * 1024

/**
 * Makes bytes of bits, which are written in the order in which a reader reads them. Spaces have no
 * meaning.
 */
function bytesOf(bits: string): Buffer {
  const all = bits.replaceAll(' ', '')
  return Buffer.from(
    Array.from({ length: Math.ceil(all.length / 8) }, (_, n) =>
      Number.parseInt([...all.slice(n * 8, n * 8 + 8)].reverse().join(''), 2),
    ),
  )
}

/** Writes `value` in `count` bits, the lowest bit first. */
const number = (value: number, count: number) =>
  [...value.toString(2).padStart(count, '0')].reverse().join('')

/** The head of a dynamic last block, with the lengths of the code-length code by symbol. */
function dynamicHead(
  litlens: number,
  distances: number,
  lengths: Readonly<Record<number, number>>,
): string {
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  const counts = number(litlens - 257, 5) + number(distances - 1, 5) + number(order.length - 4, 4)
  return `1 01 ${counts} ${order.map(symbol => number(lengths[symbol] ?? 0, 3)).join('')}`
}

/** A head whose code-length code has two symbols, 1 (a zero bit) and 18 (a one bit). */
const ONES_AND_ZEROS = { 1: 1, 18: 1 }
const one = '0'
const zeros = (count: number) => `1${number(count - 11, 7)}`

const FAULTS: readonly [reason: string, bits: string][] = [
  ['invalid block type', '1 11'],
  ['invalid stored block lengths', `1 00 00000 ${number(3, 16)} ${number(3, 16)}`],
  [
    'too many length or distance symbols',
    `1 01 ${number(287 - 257, 5)} ${number(0, 5)} ${number(0, 4)}`,
  ],
  [
    'too many length or distance symbols',
    `1 01 ${number(0, 5)} ${number(31 - 1, 5)} ${number(0, 4)}`,
  ],
  ['invalid code lengths set', dynamicHead(257, 1, { 16: 1, 17: 1, 18: 1 })],
  ['invalid code lengths set', dynamicHead(257, 1, { 18: 1 })],
  ['invalid bit length repeat', `${dynamicHead(257, 1, { 16: 1, 18: 1 })} 0 00`],
  [
    'invalid bit length repeat',
    `${dynamicHead(257, 1, ONES_AND_ZEROS)} ${zeros(138)} ${zeros(121)}`,
  ],
  [
    'invalid code -- missing end-of-block',
    `${dynamicHead(257, 1, ONES_AND_ZEROS)} ${zeros(138)} ${zeros(120)}`,
  ],
  [
    'invalid literal/lengths set',
    `${dynamicHead(257, 1, ONES_AND_ZEROS)} ${one.repeat(3)} ${zeros(138)} ${zeros(115)} ${one} ${one}`,
  ],
  [
    'invalid distances set',
    `${dynamicHead(257, 3, ONES_AND_ZEROS)} ${zeros(138)} ${zeros(117)} ${one.repeat(2)} ${one.repeat(3)}`,
  ],
  ['invalid literal/length code', '1 10 11000110'],
  [
    'invalid literal/length code',
    `${dynamicHead(257, 1, ONES_AND_ZEROS)} ${zeros(138)} ${zeros(118)} ${one} ${one} 1`,
  ],
  ['invalid distance code', '1 10 0000001 11110'],
  ['invalid distance too far back', '1 10 00110000 0000001 00001'],
]

function failureOf(pieces: readonly Uint8Array[]): unknown {
  const engine = new WasmInflate(500)
  try {
    for (const piece of pieces) for (const _ of engine.inflate(piece));
  } catch (error) {
    return error
  } finally {
    engine.destroy()
  }
  return undefined
}

describe('the WebAssembly engine', () => {
  engineContract(wasmEngine())

  test('it fills its blocks for any ratio and any size of the input', () => {
    for (const content of [feedText(100_000), Buffer.alloc(2_000_000)]) {
      const engine = new WasmInflate(0)
      const sizes = Array.from(engine.inflate(deflateRawSync(content)), output => output.length)
      for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(OUTPUT_BLOCK_BYTES - 300)
      for (const size of sizes) expect(size).toBeLessThanOrEqual(OUTPUT_BLOCK_BYTES)
      expect(sizes.reduce((sum, size) => sum + size)).toBe(content.length)
      engine.destroy()
    }
  })

  test.each(FAULTS)(
    'it reports %s like node:zlib, at the byte in which the fault ends, however the input is cut (%#)',
    (reason, bits) => {
      const stream = bytesOf(bits)
      const byteOffset = 500 + stream.length - 1
      expect(() => inflateRawSync(stream)).toThrow(reason)
      const followed = Buffer.concat([stream, Buffer.alloc(100)])
      for (const pieces of [
        [stream],
        byteByByte(stream),
        [followed],
        byteByByte(followed),
        cutAt(followed, 1),
      ]) {
        expect(failureOf(pieces)).toMatchObject({
          code: 'GZIP_DATA_INVALID',
          context: { reason, byteOffset },
        })
      }
      // Without the last byte of the stream the data is incomplete and not yet invalid.
      expect(failureOf([stream.subarray(0, -1)])).toBeUndefined()
    },
  )

  test('it accepts the codes with one symbol, and with none, that zlib accepts', () => {
    const onlyEnd = bytesOf(
      `${dynamicHead(257, 1, ONES_AND_ZEROS)} ${zeros(138)} ${zeros(118)} ${one} ${one} 0`,
    )
    expect(zlibVerdict(onlyEnd)).toMatchObject({ output: Buffer.alloc(0) })
    expect(isSame(wasmVerdict([onlyEnd]), zlibVerdict(onlyEnd))).toBe(true)
    const noDistances = deflateRawSync(feedText(100), { strategy: constants.Z_HUFFMAN_ONLY })
    expect(isSame(wasmVerdict([noDistances]), zlibVerdict(noDistances))).toBe(true)
    const oneDistance = deflateRawSync(Buffer.alloc(5000, 'a'), { strategy: constants.Z_RLE })
    expect(isSame(wasmVerdict([oneDistance]), zlibVerdict(oneDistance))).toBe(true)
  })

  test('it decodes codes of one bit from any bit position', () => {
    const onlyA = `${dynamicHead(257, 1, ONES_AND_ZEROS)} ${zeros(97)} ${one} ${zeros(138)} ${zeros(20)} ${one} ${one} ${'0'.repeat(900)} 1`
    const empty = '0 10 0000000'
    const ofOneByte = '0 10 110010000 0000000'
    for (let blocks = 0; blocks < 64; blocks++) {
      const stream = bytesOf(
        `${(blocks & 1 ? ofOneByte : '') + empty.repeat(blocks >> 1)} ${onlyA}`,
      )
      const verdict = zlibVerdict(stream)
      expect(verdict).toMatchObject({
        output: Buffer.concat([Buffer.alloc(blocks & 1, 0x90), Buffer.alloc(900, 'a')]),
      })
      expect(isSame(wasmVerdict([stream]), verdict)).toBe(true)
      expect(isSame(wasmVerdict(byteByByte(stream)), verdict)).toBe(true)
    }
  })

  test('it copies every distance and length, at once or byte by byte', () => {
    const next = randomNumbers(7)
    for (let distance = 1; distance <= 40; distance++) {
      const period = Buffer.from(Array.from({ length: distance }, () => next(256)))
      const content = Buffer.concat(
        Array.from({ length: 300 }, (_, n) =>
          Buffer.concat([Buffer.alloc(n % 290, period), Buffer.from([next(256)])]),
        ),
      )
      const stream = deflateRawSync(content, { level: 9 })
      expect(isSame(wasmVerdict([stream]), { output: content, usedBytes: stream.length })).toBe(
        true,
      )
      if (distance % 13 === 0)
        expect(
          isSame(wasmVerdict(byteByByte(stream)), { output: content, usedBytes: stream.length }),
        ).toBe(true)
    }
  })

  test('it refers back over the whole window, across the blocks that it hands out', () => {
    const next = randomNumbers(3)
    const far = Buffer.from(Array.from({ length: WINDOW_BYTES - 262 }, () => next(256)))
    const content = Buffer.concat(Array.from({ length: 60 }, () => far))
    const stream = deflateRawSync(content, { level: 9 })
    expect(stream.length).toBeLessThan(content.length / 10)
    expect(isSame(wasmVerdict([stream]), { output: content, usedBytes: stream.length })).toBe(true)
  })

  test('it equals node:zlib over levels, strategies, windows, stored blocks, flush points and cuts', () => {
    const next = randomNumbers(11)
    for (let n = 0; n < 400; n++) {
      const flushed = Array.from({ length: next(4) }, () => {
        const finishFlush = next(2) ? constants.Z_SYNC_FLUSH : constants.Z_FULL_FLUSH
        return deflateRawSync(feedText(next(300), next(99)), {
          finishFlush,
          level: next(10),
          strategy: next(5),
        })
      })
      const stream = Buffer.concat([...flushed, anyDeflated(next), Buffer.alloc(next(3), 0xaa)])
      const verdict = zlibVerdict(stream)
      expect(verdict).toHaveProperty('output')
      expect(isSame(wasmVerdict(cutAnywhere(stream, 5, next)), verdict)).toBe(true)
    }
  })

  test('fault 52: it classifies damaged streams as complete, incomplete or invalid like node:zlib, with the same output', () => {
    fc.assert(
      fc.property(fc.nat(), seed => {
        const next = randomNumbers(seed)
        const seeds = Array.from({ length: 4 }, () => anyDeflated(next))
        for (let n = 0; n < 20; n++) {
          const stream = mutant(seeds, next)
          const pieces = n % 2 === 0 ? [stream] : cutAnywhere(stream, 4, next)
          expect(isSame(wasmVerdict(pieces), zlibVerdict(stream)), stream.toString('hex')).toBe(
            true,
          )
        }
      }),
      { numRuns: 100 },
    )
  })

  test('it goes on at every byte of stored, dynamic and fixed blocks, and counts and checks what it has used', async () => {
    const content = Buffer.concat([feedText(300), Buffer.alloc(400, 'x'), feedText(50, 9)])
    const half = content.length >> 1
    const stream = Buffer.concat([
      deflateRawSync(content.subarray(0, half), { finishFlush: constants.Z_FULL_FLUSH, level: 9 }),
      deflateRawSync('stored, not small', { finishFlush: constants.Z_FULL_FLUSH, level: 0 }),
      deflateRawSync(content.subarray(half), { strategy: constants.Z_FIXED }),
    ])
    const whole = inflateRawSync(stream)
    for (let cut = 0; cut <= stream.length; cut++) {
      const engine = new WasmInflate(0)
      const before = await inflateAll(engine, [stream.subarray(0, cut)])
      expect([engine.usedBytes, engine.ended, engine.crc]).toEqual([
        cut,
        cut === stream.length,
        crc32(Buffer.concat(before)),
      ])
      const outputs = await inflateAll(engine, [stream.subarray(cut)], before)
      expect([engine.usedBytes, engine.ended, engine.crc]).toEqual([
        stream.length,
        true,
        crc32(whole),
      ])
      expect(Buffer.concat(outputs).equals(whole)).toBe(true)
      engine.destroy()
    }
  })

  test('it never outputs bytes of the stream that its memory held before', () => {
    const before = new WasmInflate(0)
    for (const _ of before.inflate(deflateRawSync(feedText(5000))));
    before.destroy()
    expect(failureOf([bytesOf('1 10 0000001 00000 0000000')])).toMatchObject({
      context: { reason: 'invalid distance too far back' },
    })
  })

  test('a worker that repeats its steps over its memory, even late, writes the same bytes', () => {
    const memory = takeInflateMemory()
    memory.core.fillInput(0, deflateRawSync(feedText(50)))
    memory.core.useInput(0, 300)
    memory.core.run()
    const before = Buffer.from(Uint8Array.from(new Uint8Array(memory.memory.buffer)))
    wasmInstance(memory.module, memory.memory)
    expect(before.equals(new Uint8Array(memory.memory.buffer))).toBe(true)
    giveBackInflateMemory(memory)
  })

  test('a waiting sequence stops when it is destroyed, although another engine has its memory', () => {
    const engine = new WasmInflate(0)
    const outputs = engine.inflate(deflateRawSync(Buffer.alloc(16 * OUTPUT_BLOCK_BYTES)))
    outputs.next()
    engine.destroy()
    const other = new WasmInflate(0)
    expect(outputs.next().done).toBe(true)
    other.destroy()
  })
})

test('the engine is refused at once where WebAssembly is missing', async () => {
  vi.resetModules()
  vi.stubGlobal('WebAssembly', undefined)
  const fresh = await import('../../../../src/engine/codec/gzip/wasm-inflate')
  expect(() => fresh.wasmEngine()).toThrow(
    expect.objectContaining({ code: 'DEPENDENCY_UNSUPPORTED' }),
  )
  vi.unstubAllGlobals()
})
