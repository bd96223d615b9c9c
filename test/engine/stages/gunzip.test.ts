// Long: its properties inflate every prefix of many files with every engine.

import { Readable, Writable } from 'node:stream'
import { pipeline as nodePipeline } from 'node:stream/promises'
import { constants, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { GATHER_BYTES } from '../../../src/engine/codec/gzip/engine-input'
import { InflateCore } from '../../../src/engine/codec/gzip/inflate-core'
import { OUTPUT_BLOCK_BYTES } from '../../../src/engine/codec/gzip/inflate-engine'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { GUNZIP_HELD_BYTES, Gunzip } from '../../../src/engine/stages/gunzip'
import { ParallelInflate } from '../../../src/engine/stages/parallel-inflate'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { ZlibInflate } from '../../../src/engine/stages/zlib-inflate'
import { byteByByte, cutAt, feedText, gzipMember, gzipTrailer } from '../codec/gzip/build-gzip'
import { runGunzip } from './gunzip-run'

const TEXT = feedText(40)
const GZIP = gzipSync(TEXT)
const MIB = 1024 * 1024

describe.each(['zlib', 'wasm', 'fflate'] as const)('Gunzip with %s', engine => {
  const run = (...pieces: readonly Uint8Array[]) => runGunzip(pieces, { engine })

  async function expectText(
    pieces: readonly Uint8Array[],
    expected: Uint8Array = TEXT,
  ): Promise<void> {
    const { output, error } = await runGunzip(pieces, { engine })
    expect(error).toBeUndefined()
    expect(output.equals(expected)).toBe(true)
  }

  async function expectFailure(
    pieces: readonly Uint8Array[],
    code: string,
    context: object,
  ): Promise<void> {
    const { error } = await runGunzip(pieces, { engine })
    expect(error).toMatchObject({ code, context })
  }

  test('fault 38: a file cut at every byte is truncated, and says where and in which part', async () => {
    const whole = gzipMember(TEXT, { name: 'feed.tsv', headerChecksum: true })
    const dataStart = 10 + 9 + 2
    for (let end = 1; end < whole.length; end++) {
      const part = end < dataStart ? 'header' : end < whole.length - 8 ? 'data' : 'trailer'
      const { output, error } = await run(whole.subarray(0, end))
      expect(error).toMatchObject({
        code: 'GZIP_TRUNCATED',
        context: { byteOffset: end, part },
        retryable: true,
      })
      expect(TEXT.subarray(0, output.length).equals(output)).toBe(true)
    }
  })

  test('fault 38: a second member cut at every byte is truncated', async () => {
    const first = gzipMember('first')
    const second = gzipMember('second')
    for (let end = 1; end < second.length; end++) {
      await expectFailure([first, second.subarray(0, end)], 'GZIP_TRUNCATED', {
        byteOffset: first.length + end,
      })
    }
  })

  test('fault 39: a wrong CRC32 fails after the output and before the end', async () => {
    const { output, error } = await run(gzipMember(TEXT, { crc: 1 }))
    expect(output.equals(TEXT)).toBe(true)
    expect(error).toMatchObject({
      code: 'GZIP_CRC_MISMATCH',
      context: { byteOffset: GZIP.length - 8, expected: 1 },
    })
  })

  test('fault 39: a wrong ISIZE fails after the output and before the end', async () => {
    const { output, error } = await run(gzipMember(TEXT, { size: TEXT.length + 1 }))
    expect(output.equals(TEXT)).toBe(true)
    expect(error).toMatchObject({
      code: 'GZIP_SIZE_MISMATCH',
      context: { byteOffset: GZIP.length - 4, expected: TEXT.length + 1, actual: TEXT.length },
    })
  })

  test('fault 39: a wrong checksum in the first member stops the second', async () => {
    const { output, error } = await run(gzipMember('one', { crc: 1 }), gzipMember('two'))
    expect(output.toString()).toBe('one')
    expect(error?.code).toBe('GZIP_CRC_MISMATCH')
  })

  test('fault 40: two hundred tiny members, empty ones among them', async () => {
    const contents = Array.from({ length: 200 }, (_, index) =>
      index % 7 === 3 ? '' : `${index}\n`,
    )
    const file = Buffer.concat(contents.map(content => gzipMember(content)))
    const expected = Buffer.from(contents.join(''))
    await expectText([file], expected)
    await expectText(byteByByte(file), expected)
  })

  test('fault 40: an empty member alone is empty content', async () => {
    await expectText([gzipMember('')], Buffer.alloc(0))
  })

  test('fault 40: large members one after another', async () => {
    const large = feedText(20_000)
    const file = gzipSync(large)
    await expectText([Buffer.concat([file, file, file])], Buffer.concat([large, large, large]))
    await expectText([file, file], Buffer.concat([large, large]))
  })

  test('fault 41: a file cut in two at every offset', async () => {
    const file = Buffer.concat([
      gzipMember('first', {
        extra: Buffer.from('xy'),
        name: 'n',
        comment: 'c',
        headerChecksum: true,
      }),
      gzipMember('second'),
    ])
    for (let cut = 0; cut <= file.length; cut++)
      await expectText(cutAt(file, cut), Buffer.from('firstsecond'))
  })

  test("fault 42: a member's magic and whole members inside the data are data", async () => {
    const content = Buffer.concat([
      Buffer.from('title\n'),
      GZIP,
      Buffer.from([0x1f, 0x8b, 8, 0]),
      GZIP,
    ])
    const stored = gzipSync(content, { level: 0 })
    expect(stored.includes(GZIP)).toBe(true)
    await expectText([stored], content)
    await expectText(byteByByte(stored), content)
  })

  test('fault 43: trailing zeros, wherever they are split', async () => {
    const file = Buffer.concat([GZIP, Buffer.alloc(20)])
    for (let cut = GZIP.length - 10; cut <= file.length; cut++) await expectText(cutAt(file, cut))
    await expectText([GZIP, new Uint8Array(3 * MIB)])
    await expectText([...byteByByte(file)])
  })

  test('fault 44: zeros and then a member, wherever they are split', async () => {
    const first = gzipMember('first')
    const file = Buffer.concat([
      first,
      Buffer.alloc(20),
      gzipMember('second'),
      Buffer.alloc(3),
      gzipMember('third'),
    ])
    for (let cut = 0; cut <= file.length; cut++)
      await expectText(cutAt(file, cut), Buffer.from('firstsecondthird'))
    for (const zeros of [1, 511, 512, 70_000]) {
      await expectText(
        [first, Buffer.concat([Buffer.alloc(zeros), gzipMember('second')])],
        Buffer.from('firstsecond'),
      )
    }
  })

  test('fault 45: trailing garbage, after zeros or not, however it is cut', async () => {
    for (const zeros of [0, 1, 600]) {
      const file = Buffer.concat([GZIP, Buffer.alloc(zeros), Buffer.from('garbage')])
      const byteOffset = GZIP.length + zeros
      for (const pieces of [[file], byteByByte(file), cutAt(file, byteOffset)]) {
        await expectFailure(pieces, 'GZIP_TRAILING_GARBAGE', { byteOffset })
      }
    }
  })

  test('fault 45: a lone 1f, and one that something else follows', async () => {
    await expectFailure([GZIP, Uint8Array.of(0x1f)], 'GZIP_TRUNCATED', {
      byteOffset: GZIP.length + 1,
      part: 'header',
    })
    await expectFailure([GZIP, Uint8Array.of(0x1f, 0x8c)], 'GZIP_TRAILING_GARBAGE', {
      byteOffset: GZIP.length,
    })
  })

  test('fault 46: a file cut exactly between members looks complete from here, and is found by its total', async () => {
    const first = gzipMember('first')
    await expectText([first], Buffer.from('first'))
    const totalBytes = first.length + gzipMember('second').length
    const pieces = Readable.from([{ offset: 0, bytes: first }])
    const sink = new Writable({ write: (_block, _encoding, done) => done() })
    const run = nodePipeline(
      pieces,
      new ChunkReassembler({ totalBytes }) as never,
      new Gunzip({ engine }) as never,
      sink,
    )
    await expect(run).rejects.toMatchObject({
      code: 'CHUNK_TOTAL_MISMATCH',
      context: { byteOffset: first.length, totalBytes },
    })
  })

  test('fault 47: FEXTRA, FNAME, FCOMMENT and FHCRC are accepted', async () => {
    const file = gzipMember(TEXT, {
      extra: Buffer.alloc(300, 7),
      name: 'item_feed.tsv',
      comment: 'daily',
      headerChecksum: true,
    })
    expect(gunzipSync(file).equals(TEXT)).toBe(true)
    await expectText([file])
    await expectText(byteByByte(file))
  })

  test('fault 47: reserved flags and a wrong header checksum are refused', async () => {
    await expectFailure([gzipMember(TEXT, { flags: 0x20 })], 'GZIP_HEADER_INVALID', {
      byteOffset: 3,
    })
    await expectFailure([gzipMember(TEXT, { headerChecksum: 1 })], 'GZIP_HEADER_INVALID', {
      byteOffset: 11,
    })
  })

  test('fault 48: nothing at all, empty pieces, header only', async () => {
    await expectFailure([], 'GZIP_EMPTY', { byteOffset: 0 })
    await expectFailure([new Uint8Array(0), new Uint8Array(0)], 'GZIP_EMPTY', { byteOffset: 0 })
    await expectFailure([GZIP.subarray(0, 10)], 'GZIP_TRUNCATED', { byteOffset: 10, part: 'data' })
  })

  test('what is not gzip is refused at its first piece, before the end', async () => {
    const gunzip = new Gunzip({ engine })
    const failed = new Promise(resolve => gunzip.on('error', resolve))
    gunzip.write(Buffer.from('{"errors":[]}'))
    expect(await failed).toMatchObject({ code: 'GZIP_HEADER_INVALID', context: { byteOffset: 0 } })
  })

  test('fault 49: gzip inside gzip has its own code', async () => {
    const twice = gzipSync(GZIP)
    await expectFailure([twice], 'GZIP_NESTED', { byteOffset: 10 })
    await expectFailure(byteByByte(twice), 'GZIP_NESTED', { byteOffset: 10 })
    const allowed = await runGunzip([twice], { engine, allowNested: true })
    expect(allowed.output.equals(GZIP)).toBe(true)
  })

  test('fault 49: gzip inside gzip is seen when small members hide its signature', async () => {
    const pieces = byteByByte(GZIP).map(byte => gzipMember(byte))
    await expectFailure([Buffer.concat(pieces)], 'GZIP_NESTED', {})
  })

  test('fault 50: a bomb is stopped by its ratio', async () => {
    const bomb = gzipSync(Buffer.alloc(24 * MIB))
    const { output, error } = await run(bomb)
    expect(error).toMatchObject({ code: 'GZIP_LIMIT', context: { option: 'maxRatio', limit: 250 } })
    expect(output.length).toBeLessThan(16 * MIB)
    const allowed = await runGunzip([bomb], { engine, maxRatio: Infinity })
    expect(allowed.output.length).toBe(24 * MIB)
  })

  test('fault 50: a bomb is stopped by its size', async () => {
    const bomb = gzipSync(Buffer.alloc(24 * MIB))
    const { output, error } = await runGunzip([bomb], {
      engine,
      maxRatio: Infinity,
      maxOutputBytes: 10 * MIB,
    })
    expect(error).toMatchObject({
      code: 'GZIP_LIMIT',
      context: { option: 'maxOutputBytes', limit: 10 * MIB },
    })
    expect(output.length).toBeLessThanOrEqual(10 * MIB)
    const exact = await runGunzip([bomb], { engine, maxRatio: Infinity, maxOutputBytes: 24 * MIB })
    expect(exact.error).toBeUndefined()
  })

  test('fault 50: many small bombs are one bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(MIB / 2))
    const { error } = await run(...Array<Buffer>(20).fill(bomb))
    expect(error).toMatchObject({ code: 'GZIP_LIMIT', context: { option: 'maxRatio' } })
  })

  test('fault 51: an ISIZE that is right only modulo 2^32 is not mistaken for the size', async () => {
    const trailer = gzipTrailer(TEXT, { size: 2 ** 32 - TEXT.length })
    await expectFailure([GZIP.subarray(0, -8), trailer], 'GZIP_SIZE_MISMATCH', {
      actual: TEXT.length,
    })
  })

  test('output does not depend on cuts, level, strategy or flushes, and equals node:zlib', async () => {
    const options = fc.record({
      level: fc.integer({ min: 0, max: 9 }),
      memLevel: fc.integer({ min: 1, max: 9 }),
      windowBits: fc.integer({ min: 9, max: 15 }),
      strategy: fc.constantFrom(
        constants.Z_DEFAULT_STRATEGY,
        constants.Z_FILTERED,
        constants.Z_HUFFMAN_ONLY,
        constants.Z_RLE,
        constants.Z_FIXED,
      ),
    })
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
      fc.tuple(fc.nat(400), fc.nat()).map(([rows, seed]) => feedText(rows, seed)),
      fc.nat(200_000).map(length => Buffer.alloc(length, 'row\t')),
    )
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(content, options), { minLength: 1, maxLength: 3 }),
        cuts,
        async (members, fractions) => {
          const file = Buffer.concat(members.map(([bytes, option]) => gzipSync(bytes, option)))
          const offsets = fractions
            .map(fraction => Math.floor(fraction * file.length))
            .sort((a, b) => a - b)
          const { output, error } = await runGunzip(cutAt(file, ...offsets), {
            engine,
            allowNested: true,
            maxRatio: Infinity,
          })
          expect(error).toBeUndefined()
          expect(output.equals(gunzipSync(file))).toBe(true)
        },
      ),
      { numRuns: 75 },
    )
  })

  test('one byte at a time gives the same as all at once', async () => {
    for (const level of [0, 1, 9]) await expectText(byteByByte(gzipSync(TEXT, { level })))
  })

  test('small pieces give the same when they fill the gathered block many times', async () => {
    const content = feedText(24_000)
    const file = gzipSync(content, { level: 0 })
    expect(file.length).toBeGreaterThan(4 * GATHER_BYTES)
    const every = (step: number) =>
      Array.from({ length: Math.ceil(file.length / step) - 1 }, (_, index) => (index + 1) * step)
    for (const step of [101, 16_384, 65_536, GATHER_BYTES - 1])
      await expectText(cutAt(file, ...every(step)), content)
  })

  test('hands out blocks that are alone in their memory and bounded', async () => {
    const gunzip = new Gunzip({ engine })
    for (const piece of cutAt(gzipSync(feedText(60_000)), 5, 70_000, 150_000)) gunzip.write(piece)
    gunzip.end()
    let count = 0
    for await (const block of gunzip) {
      count++
      expect(block.constructor).toBe(Uint8Array)
      // Up to a word of other bytes is allowed, because a copy has the alignment of its source.
      expect(block.buffer.byteLength - block.byteLength).toBeLessThan(8)
      expect(block.byteLength).toBeLessThanOrEqual(OUTPUT_BLOCK_BYTES + 65_536)
    }
    expect(count).toBeGreaterThan(2)
  })

  test('behind a stopped reader it inflates no more than the cap', async () => {
    const gunzip = new Gunzip({ engine, maxRatio: Infinity })
    gunzip.end(gzipSync(Buffer.alloc(48 * MIB), { level: 1 }))
    if (gunzip.read() === null) await new Promise<void>(resolve => gunzip.once('readable', resolve))
    for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(gunzip.counters.bytesOut).toBeGreaterThan(0)
    expect(gunzip.counters.bytesOut).toBeLessThanOrEqual(GUNZIP_HELD_BYTES)
    gunzip.destroy()
  })

  test('asks the writer to wait behind a stopped reader', async () => {
    const gunzip = new Gunzip({ engine })
    const file = gzipSync(feedText(50_000))
    const block = file.subarray(0, 300_000)
    expect(gunzip.write(block)).toBe(false)
    gunzip.destroy()
  })

  test('runs alone between plain Node streams', async () => {
    const received: Buffer[] = []
    const sink = new Writable({
      write(block, _, done) {
        received.push(block)
        done()
      },
    })
    const content = feedText(20_000)
    await nodePipeline(
      Readable.from(cutAt(gzipSync(content), 1, 5000, 5001)),
      new Gunzip({ engine }) as never,
      sink,
    )
    expect(Buffer.concat(received).equals(content)).toBe(true)
  })

  test('stops at once when it is destroyed while it works', async () => {
    const gunzip = new Gunzip({ engine })
    const closed = new Promise<void>(resolve => gunzip.once('close', resolve))
    gunzip.on('data', () => gunzip.destroy())
    gunzip.on('end', () => expect.unreachable())
    gunzip.end(gzipSync(feedText(60_000), { level: 1 }))
    await closed
    expect(gunzip.destroyed).toBe(true)
  })
})

test('fault 52: node:zlib says why the data is bad', async () => {
  const deflated = deflateRawSync(TEXT)
  deflated[0] = 0x07 // the reserved block type
  const { error } = await runGunzip([gzipMember(TEXT, { deflated })], { engine: 'zlib' })
  expect(error).toMatchObject({
    code: 'GZIP_DATA_INVALID',
    context: { byteOffset: 10, reason: 'invalid block type' },
  })
  expect(error?.cause).toMatchObject({ code: 'Z_DATA_ERROR' })
})

test.each([
  ['zlib', ZlibInflate, 2],
  ['wasm', ParallelInflate, 1],
] as const)(
  'every %s engine is destroyed: behind its last member, at a failure, and on abort',
  async (engine, { prototype }, ofTwoMembers) => {
    const destroy = vi.spyOn(prototype, 'destroy')
    await runGunzip([gzipMember('one'), gzipMember('two')], { engine })
    expect(destroy).toHaveBeenCalledTimes(ofTwoMembers)
    await runGunzip([GZIP.subarray(0, 40)], { engine })
    expect(destroy).toHaveBeenCalledTimes(ofTwoMembers + 1)
    const gunzip = new Gunzip({ engine })
    gunzip.write(gzipSync(feedText(40_000), { level: 1 }))
    gunzip.destroy()
    expect(destroy).toHaveBeenCalledTimes(ofTwoMembers + 2)
    vi.restoreAllMocks()
  },
)

test('fault 98: small members share one wasm engine, which copies little more input than they have', async () => {
  const members = Array.from({ length: 2000 }, (_, n) => gzipMember(`row ${n}\n`))
  const restart = vi.spyOn(ParallelInflate.prototype, 'restart')
  const fillInput = vi.spyOn(InflateCore.prototype, 'fillInput')
  const { output, error } = await runGunzip([Buffer.concat(members)], { engine: 'wasm' })
  expect(error).toBeUndefined()
  expect(output.toString()).toBe(members.map((_, n) => `row ${n}\n`).join(''))
  expect(restart.mock.results.filter(({ value }) => value === true)).toHaveLength(1999)
  expect(Math.max(...fillInput.mock.calls.map(([, bytes]) => bytes.length))).toBeLessThanOrEqual(
    1024,
  )
  vi.restoreAllMocks()
})

test.each(['zlib', 'wasm', 'fflate'] as const)(
  'fault 98: more members than maxMembers are a typed failure (%s)',
  async engine => {
    const three = Buffer.concat([gzipMember('one'), gzipMember('two'), gzipMember('three')])
    const { output, error } = await runGunzip([three], { engine, maxMembers: 2 })
    expect(output.toString()).toBe('onetwo')
    const byteOffset = 2 * gzipMember('one').length + 10
    expect(error).toMatchObject({
      code: 'GZIP_LIMIT',
      context: { option: 'maxMembers', limit: 2, byteOffset },
      retryable: false,
    })
    expect((await runGunzip([three], { engine, maxMembers: 3 })).error).toBeUndefined()
  },
)

describe('fault 102: what is written to Gunzip', () => {
  test.each<[string, unknown, string]>([
    ['text', 'itemId', 'a string ("itemId")'],
    ['a Uint16Array', new Uint16Array(GZIP), 'a Uint16Array'],
    ['an ArrayBuffer', new ArrayBuffer(4), 'an ArrayBuffer'],
    ['a number', 5, '5'],
  ])('%s is STAGE_INPUT_INVALID, alone and before a parser', async (_, input, received) => {
    const expected = { code: 'STAGE_INPUT_INVALID', context: { stage: 'Gunzip', received } }
    const gunzip = new Gunzip()
    const reading = gunzip.collect()
    gunzip.write(input as never)
    await expect(reading).rejects.toMatchObject(expected)
    await expect(
      pipeline([input as never])
        .to(new Gunzip())
        .to(new TsvRowParser())
        .toArray(),
    ).rejects.toMatchObject(expected)
  })
})

test.each([
  ['engine', 'pako'],
  ['engine', 'toString'],
  ['maxRatio', 0],
  ['worker', 1],
  ['maxMembers', 0],
  ['maxOutputBytes', -1],
])('refuses the option %s %s where the call is made', (option, value) => {
  const error = expect.objectContaining({
    code: 'OPTION_INVALID',
    context: expect.objectContaining({ option }),
  })
  expect(() => new Gunzip({ [option]: value })).toThrow(error)
})
