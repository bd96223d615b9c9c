// What every inflate engine must keep, whatever is behind it.

import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type InflateEngine, type NewInflateEngine, OUTPUT_BLOCK_BYTES } from '../../../src/codec/gzip/inflate-engine'
import { byteByByte, cutAt, feedText } from './build-gzip'

const CONTENT = feedText(200)
const DEFLATED = deflateRawSync(CONTENT)
const AFTER = Buffer.from('trailer and more')

export async function inflateAll(engine: InflateEngine, blocks: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const outputs: Uint8Array[] = []
  for (const block of blocks) for await (const output of engine.inflate(block)) outputs.push(output)
  return outputs
}

export function engineContract(newEngine: NewInflateEngine): void {
  async function expectAll(blocks: readonly Uint8Array[]): Promise<void> {
    const engine = newEngine(0)
    const outputs = await inflateAll(engine, blocks)
    await engine.finish()
    expect(Buffer.concat(outputs).equals(CONTENT)).toBe(true)
    expect(engine.ended).toBe(true)
    expect(engine.usedBytes).toBe(DEFLATED.length)
    engine.destroy()
  }

  test('inflates, tells the end, and leaves alone what follows', async () => {
    await expectAll([DEFLATED])
    await expectAll([Buffer.concat([DEFLATED, AFTER])])
    await expectAll([DEFLATED, AFTER])
  })

  test('does so byte by byte', async () => {
    await expectAll(byteByByte(DEFLATED))
    await expectAll(byteByByte(Buffer.concat([DEFLATED, AFTER])))
  })

  test('does so however the end is cut', async () => {
    const withMore = Buffer.concat([DEFLATED, AFTER])
    for (let cut = DEFLATED.length - 5; cut < withMore.length; cut++) await expectAll(cutAt(withMore, cut))
  })

  test('takes the shortest streams, fixed and stored', async () => {
    for (const empty of [Buffer.from([3, 0]), Buffer.from([1, 0, 0, 0xff, 0xff])]) {
      const engine = newEngine(0)
      expect(await inflateAll(engine, [Buffer.concat([empty, AFTER])])).toEqual([])
      expect([engine.ended, engine.usedBytes]).toEqual([true, empty.length])
      engine.destroy()
    }
  })

  test('is not ended by incomplete data', async () => {
    for (const length of [0, 1, 2, DEFLATED.length >> 1, DEFLATED.length - 1]) {
      const engine = newEngine(0)
      await inflateAll(engine, [DEFLATED.subarray(0, length)])
      expect(engine.usedBytes).toBe(length)
      await engine.finish()
      expect(engine.ended).toBe(false)
      engine.destroy()
    }
  })

  test('hands out plain blocks, each alone in its memory and bounded', async () => {
    const content = Buffer.concat([feedText(2000), Buffer.alloc(5 * OUTPUT_BLOCK_BYTES), feedText(2000)])
    const deflated = deflateRawSync(content)
    const engine = newEngine(0)
    const outputs = await inflateAll(engine, cutAt(deflated, 10_000, 11_000, 40_000))
    for (const output of outputs) {
      expect(output.constructor).toBe(Uint8Array)
      expect(output.buffer.byteLength).toBe(output.byteLength)
      expect(output.byteLength).toBeLessThanOrEqual(OUTPUT_BLOCK_BYTES + 65_536)
    }
    expect(Buffer.concat(outputs).equals(content)).toBe(true)
    engine.destroy()
  })

  test('never touches an output again', async () => {
    const content = feedText(50_000)
    const engine = newEngine(0)
    const kept: Buffer[] = []
    for await (const output of engine.inflate(deflateRawSync(content))) {
      kept.push(Buffer.from(output))
      output.fill(0)
    }
    expect(kept.length).toBeGreaterThan(1)
    expect(Buffer.concat(kept).equals(content)).toBe(true)
    engine.destroy()
  })

  test('gives outputs before the whole block is inflated', async () => {
    const deflated = deflateRawSync(Buffer.alloc(64 * OUTPUT_BLOCK_BYTES))
    const engine = newEngine(0)
    for await (const output of engine.inflate(deflated)) {
      expect(output.length).toBeGreaterThan(0)
      expect(engine.usedBytes).toBeLessThan(deflated.length)
      break
    }
    engine.destroy()
  })

  test('refuses damaged data, near where it is', async () => {
    const bad = Buffer.concat([Buffer.from([0, 3, 0, 0xfc, 0xff, 1, 2, 3]), Buffer.from([7])]) // a stored block, then a block of the reserved type
    const engine = newEngine(500)
    const error = expect.objectContaining({ code: 'GZIP_DATA_INVALID' })
    const failure = await inflateAll(engine, [bad]).catch((failed: unknown) => failed)
    expect(failure).toEqual(error)
    const { byteOffset } = (failure as { context: { byteOffset: number } }).context
    expect(byteOffset).toBeGreaterThanOrEqual(500)
    expect(byteOffset).toBeLessThanOrEqual(508)
    engine.destroy()
  })

  test('is destroyed twice, and before any use, without harm', () => {
    const engine = newEngine(0)
    engine.destroy()
    engine.destroy()
  })
}
