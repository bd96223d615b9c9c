// The contract that every inflate engine must keep.

import { constants, crc32, deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  type InflateEngine,
  type NewInflateEngine,
  OUTPUT_BLOCK_BYTES,
} from '../../../../src/engine/codec/gzip/inflate-engine'
import { loanOf } from '../../../../src/engine/codec/loan'
import { byteByByte, cutAt, feedText } from './build-gzip'

const CONTENT = feedText(200)
const DEFLATED = deflateRawSync(CONTENT)
const AFTER = Buffer.from('trailer and more')

/**
 * Inflates the blocks and appends their outputs to those before, each as it was when the next one
 * was asked for.
 */
export async function inflateAll(
  engine: InflateEngine,
  blocks: readonly Uint8Array[],
  before: readonly Uint8Array[] = [],
): Promise<Uint8Array[]> {
  const outputs = [...before]
  for (const block of blocks)
    for await (const output of engine.inflate(block))
      outputs.push(await kept(engine, output, outputs))
  return outputs
}

/** Appends the outputs of the end too. */
export async function finishAll(
  engine: InflateEngine,
  before: readonly Uint8Array[] = [],
): Promise<Uint8Array[]> {
  const outputs = [...before]
  for await (const output of engine.finish()) outputs.push(await kept(engine, output, outputs))
  return outputs
}

/**
 * Checks that a lent output lies in the lender's memory after the output before it, and stays
 * unchanged while other engines work.
 */
async function kept(
  engine: InflateEngine,
  output: Uint8Array,
  before: readonly Uint8Array[],
): Promise<Uint8Array> {
  const loan = loanOf(output)
  if (loan === undefined) return output
  const { memory, freeFrom, historyBytes } = loan
  expect(output.buffer).toBe(memory.buffer)
  expect(output.byteOffset + output.length).toBeLessThanOrEqual(freeFrom)
  const from = output.byteOffset - historyBytes
  const withHistory = () => Buffer.from(memory.buffer, from, historyBytes + output.length)
  const copy = Uint8Array.from(withHistory())
  expect(endsWith([...before, output], copy)).toBe(true)
  // Gives time to a thread that works ahead, where there is one.
  if (engine.takeRest) await new Promise(resolve => setImmediate(resolve))
  expect(withHistory().equals(copy)).toBe(true)
  return copy.slice(historyBytes)
}

function endsWith(outputs: readonly Uint8Array[], bytes: Uint8Array): boolean {
  let left = bytes.length
  for (let n = outputs.length - 1; n >= 0 && left > 0; n--) {
    const output = outputs[n]!
    const part = output.subarray(Math.max(0, output.length - left))
    if (
      !Buffer.from(part.buffer, part.byteOffset, part.length).equals(
        bytes.subarray(left - part.length, left),
      )
    )
      return false
    left -= part.length
  }
  return left === 0
}

export function engineContract(newEngine: NewInflateEngine): void {
  async function expectAll(blocks: readonly Uint8Array[]): Promise<void> {
    const engine = newEngine(0)
    const outputs = await finishAll(engine, await inflateAll(engine, blocks))
    expect(Buffer.concat(outputs).equals(CONTENT)).toBe(true)
    expect(engine.ended).toBe(true)
    expect(engine.usedBytes).toBe(DEFLATED.length)
    engine.destroy()
  }

  test('it inflates the data, reports the end, and leaves the bytes after the end alone', async () => {
    await expectAll([DEFLATED])
    await expectAll([Buffer.concat([DEFLATED, AFTER])])
    await expectAll([DEFLATED, AFTER])
  })

  test('it does so byte by byte', async () => {
    await expectAll(byteByByte(DEFLATED))
    await expectAll(byteByByte(Buffer.concat([DEFLATED, AFTER])))
  })

  test('it does so however the end is cut', async () => {
    const withMore = Buffer.concat([DEFLATED, AFTER])
    for (let cut = DEFLATED.length - 5; cut < withMore.length; cut++)
      await expectAll(cutAt(withMore, cut))
  })

  test('it gives back the input after the end where the caller does not have that input', async () => {
    const behind = feedText(9000, 5)
    const all = Buffer.concat([DEFLATED, behind])
    for (const cuts of [
      [],
      [DEFLATED.length],
      [DEFLATED.length - 1, DEFLATED.length + 1],
      [1, 70_000],
      [DEFLATED.length, 70_000, 140_000],
    ]) {
      const engine = newEngine(0)
      const handed: Uint8Array[] = []
      let outputs: Uint8Array[] = []
      for (const block of cutAt(all, ...cuts)) {
        if (engine.ended) break
        handed.push(block)
        outputs = await inflateAll(engine, [block], outputs)
      }
      await finishAll(engine, outputs)
      expect([engine.ended, engine.usedBytes]).toEqual([true, DEFLATED.length])
      const rest = engine.takeRest && Buffer.concat(engine.takeRest())
      engine.destroy()
      if (rest) expect(rest.equals(Buffer.concat(handed).subarray(DEFLATED.length))).toBe(true)
    }
  })

  test('it takes the shortest streams, fixed and stored', async () => {
    for (const empty of [Buffer.from([3, 0]), Buffer.from([1, 0, 0, 0xff, 0xff])]) {
      const engine = newEngine(0)
      expect(
        await finishAll(engine, await inflateAll(engine, [Buffer.concat([empty, AFTER])])),
      ).toEqual([])
      expect([engine.ended, engine.usedBytes]).toEqual([true, empty.length])
      engine.destroy()
    }
  })

  test('incomplete data does not end it', async () => {
    for (const length of [0, 1, 2, DEFLATED.length >> 1, DEFLATED.length - 1]) {
      const engine = newEngine(0)
      const outputs = await finishAll(
        engine,
        await inflateAll(engine, [DEFLATED.subarray(0, length)]),
      )
      expect(CONTENT.indexOf(Buffer.concat(outputs))).toBe(0)
      expect([engine.usedBytes, engine.ended]).toEqual([length, false])
      engine.destroy()
    }
  })

  test('it gives plain blocks of bounded size, each lent or alone in its memory', async () => {
    const content = Buffer.concat([
      feedText(2000),
      Buffer.alloc(5 * OUTPUT_BLOCK_BYTES),
      feedText(2000),
    ])
    const deflated = deflateRawSync(content)
    const engine = newEngine(0)
    const outputs = await finishAll(
      engine,
      await inflateAll(engine, cutAt(deflated, 10_000, 11_000, 40_000)),
    )
    for (const output of outputs) {
      expect(output.constructor).toBe(Uint8Array)
      expect(output.buffer.byteLength).toBe(output.byteLength)
      expect(output.byteLength).toBeLessThanOrEqual(OUTPUT_BLOCK_BYTES + 65_536)
    }
    expect(Buffer.concat(outputs).equals(content)).toBe(true)
    engine.destroy()
  })

  test('it computes the checksum of its outputs so far, where it has a checksum', async () => {
    const content = Buffer.concat([
      feedText(40_000),
      Buffer.alloc(3 * OUTPUT_BLOCK_BYTES),
      feedText(100),
    ])
    const engine = newEngine(0)
    let crc = 0
    const take = (output: Uint8Array) => {
      crc = crc32(output, crc)
      expect(engine.crc ?? crc).toBe(crc)
    }
    for (const block of cutAt(deflateRawSync(content), 1, 10_000, 10_001, 300_000))
      for await (const output of engine.inflate(block)) take(output)
    for await (const output of engine.finish()) take(output)
    expect(engine.crc ?? crc).toBe(crc32(content))
    engine.destroy()
  })

  test('it never writes again to an output that it does not lend', async () => {
    const content = feedText(50_000)
    const engine = newEngine(0)
    const copies: Buffer[] = []
    const take = (output: Uint8Array) => {
      copies.push(Buffer.from(output))
      if (loanOf(output) === undefined) output.fill(0)
    }
    for await (const output of engine.inflate(deflateRawSync(content))) take(output)
    for await (const output of engine.finish()) take(output)
    expect(copies.length).toBeGreaterThan(1)
    expect(Buffer.concat(copies).equals(content)).toBe(true)
    engine.destroy()
  })

  test('it takes stored data, long runs and incompressible data, one after the other and cut anywhere', async () => {
    const parts = [
      feedText(9000),
      Buffer.alloc(1_500_000, 'ab'),
      Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * n * 31) >> 7)),
    ]
    const content = Buffer.concat([...parts, ...parts])
    for (const level of [0, 1, 9]) {
      const deflated = deflateRawSync(content, { level })
      const engine = newEngine(0)
      const cuts = Array.from({ length: 12 }, (_, n) => Math.floor((deflated.length * n * n) / 150))
      const outputs = await finishAll(
        engine,
        await inflateAll(engine, cutAt(Buffer.concat([deflated, AFTER]), ...cuts)),
      )
      expect(Buffer.concat(outputs).equals(content)).toBe(true)
      expect([engine.ended, engine.usedBytes]).toEqual([true, deflated.length])
      engine.destroy()
    }
  })

  test('it gives outputs before the whole block is inflated', async () => {
    const deflated = deflateRawSync(Buffer.alloc(64 * OUTPUT_BLOCK_BYTES))
    const engine = newEngine(0)
    for await (const output of engine.inflate(deflated)) {
      expect(output.length).toBeGreaterThan(0)
      expect(engine.usedBytes).toBeLessThan(deflated.length)
      break
    }
    engine.destroy()
  })

  test('it begins the next member like a new engine, where it can restart', async () => {
    const contents = [
      feedText(300),
      Buffer.alloc(0),
      Buffer.from('x'),
      Buffer.alloc(70_000, 'ab'),
      feedText(20),
    ]
    const settings = [
      {},
      { strategy: constants.Z_FIXED },
      { level: 0 },
      { strategy: constants.Z_FIXED },
      { strategy: constants.Z_HUFFMAN_ONLY },
    ]
    let engine = newEngine(0)
    for (let n = 0; n < 50; n++) {
      const content = contents[(n * 7) % contents.length]!
      const deflated = deflateRawSync(content, settings[(n * 3 + (n >> 2)) % settings.length])
      const outputs = await finishAll(
        engine,
        await inflateAll(engine, cutAt(Buffer.concat([deflated, AFTER]), n, 2 * n + 1)),
      )
      expect(Buffer.concat(outputs).equals(content)).toBe(true)
      expect([engine.ended, engine.usedBytes]).toEqual([true, deflated.length])
      if (engine.crc !== undefined) expect(engine.crc).toBe(crc32(content))
      engine.takeRest?.()
      if (engine.restart?.(1000)) {
        expect([engine.ended, engine.usedBytes]).toEqual([false, 0])
        if (n % 10 < 9) continue
        await expect(inflateAll(engine, [Buffer.from([7])])).rejects.toMatchObject({
          context: { byteOffset: 1000 },
        })
      }
      engine.destroy()
      expect(engine.restart?.(0) ?? false).toBe(false)
      engine = newEngine(0)
    }
    engine.destroy()
  })

  test('it does not restart before it has ended', async () => {
    const engine = newEngine(0)
    await inflateAll(engine, [DEFLATED.subarray(0, 10)])
    expect(engine.restart?.(0) ?? false).toBe(false)
    engine.destroy()
  })

  test('it refuses damaged data, and the position is near the damage', async () => {
    const bad = Buffer.concat([Buffer.from([0, 3, 0, 0xfc, 0xff, 1, 2, 3]), Buffer.from([7])]) // a stored block, then a block of the reserved type
    const engine = newEngine(500)
    const error = expect.objectContaining({ code: 'GZIP_DATA_INVALID' })
    const run = async () => finishAll(engine, await inflateAll(engine, [bad]))
    const failure = await run().catch((failed: unknown) => failed)
    expect(failure).toEqual(error)
    const { byteOffset } = (failure as { context: { byteOffset: number } }).context
    expect(byteOffset).toBeGreaterThanOrEqual(500)
    expect(byteOffset).toBeLessThanOrEqual(508)
    engine.destroy()
  })

  test('it can be destroyed twice, and before any use', () => {
    const engine = newEngine(0)
    engine.destroy()
    engine.destroy()
  })
}
