// Compares Gunzip and TsvRowParser in a pipeline, where blocks are lent from one to the other, with
// the two stages piped by hand, where blocks are copied. Both have the same batches, errors and
// counters.
// Long: its properties run whole pipelines twice.

import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import type { NewInflateEngine } from '../../../src/engine/codec/gzip/inflate-engine'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import type { StageCounters } from '../../../src/engine/core/counters'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import type { Columns } from '../../../src/engine/schema/feed-schema'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import type { GunzipOptions } from '../../../src/engine/stages/gunzip-options'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import type { TsvRowParserOptions } from '../../../src/engine/stages/tsv-stage'
import { tsv } from '../../tsv-text'
import { cutAt, gzipMember } from '../codec/gzip/build-gzip'
import { OverlappedInflate } from '../stages/overlapped-inflate'

const engines = vi.hoisted(() => ({ make: undefined as NewInflateEngine | undefined }))
vi.mock('../../../src/engine/stages/parallel-inflate', async original => ({
  ...(await original<object>()),
  parallelEngine: (): NewInflateEngine => startOffset => engines.make!(startOffset),
}))
// A worker inflates all of a member except for its first byte.
engines.make = startOffset => new OverlappedInflate(startOffset)

type Options = GunzipOptions & TsvRowParserOptions<Columns>

const row = (n: number) => [`row ${n}`, n % 9 ? 'x'.repeat(n % 40) : 'é\t"', String(n)]
const TEXT = Buffer.from(tsv([['a', 'b', 'c'], ...Array.from({ length: 5_000 }, (_, n) => row(n))]))
const BAD_ROWS = Buffer.from(
  'a\tb\n1\t2\nshort\n3\t4\n"open\t5\n6\t7\n"x"y\t8\n\xff\t9\n10\t11\n',
  'latin1',
)

/**
 * Returns the batch as one text, because a deep comparison of all cells would take most of the time
 * here.
 */
const plainBatch = (batch: RowBatch<Columns>) =>
  JSON.stringify([
    batch.header.columns,
    batch.byteLength,
    Array.from(batch, row => [row.position, row.toStrings()]),
  ])

interface Result {
  readonly batches: readonly string[]
  readonly error: object | undefined
  readonly stages: readonly StageCounters[]
}

async function read(
  pieces: readonly Uint8Array[],
  options: Options,
  isComposed: boolean,
): Promise<Result> {
  const { engine, worker, maxOutputBytes, maxRatio, ...parsing } = options
  const gunzip = new Gunzip({
    ...(engine && { engine }),
    ...(worker !== undefined && { worker }),
    ...(maxOutputBytes && { maxOutputBytes }),
    ...(maxRatio && { maxRatio }),
  })
  const parser = new TsvRowParser<Columns>(parsing)
  const outputs = isComposed
    ? pipeline<Uint8Array>(pieces).to(gunzip).to(parser).batches()
    : pipedByHand(pieces, gunzip, parser)
  const batches: RowBatch<Columns>[] = []
  let error: unknown
  try {
    for await (const batch of outputs) batches.push(batch)
  } catch (failure) {
    error = failure
  }
  if (error !== undefined && !FeedError.is(error)) throw error
  return {
    batches: batches.map(plainBatch),
    error: error && { code: error.code, message: error.message, context: error.context },
    stages: [gunzip.counters, parser.counters],
  }
}

function pipedByHand(
  pieces: readonly Uint8Array[],
  gunzip: Gunzip,
  parser: TsvRowParser<Columns>,
): AsyncIterable<RowBatch<Columns>> {
  gunzip.on('error', error => parser.destroy(error))
  gunzip.pipe(parser)
  for (const piece of pieces) gunzip.write(piece)
  gunzip.end()
  return parser
}

/** Returns items, bytes and rows of each stage. Times differ between runs. */
const counted = (stages: readonly StageCounters[]) =>
  stages.map(({ busyMs, waitMs, blockedMs, ...counters }) => counters)

async function expectSame(pieces: readonly Uint8Array[], options: Options): Promise<Result> {
  const apart = await read(pieces, options, false)
  const composed = await read(pieces, options, true)
  expect(composed.error).toEqual(apart.error)
  if (apart.error === undefined) {
    expect(composed.batches).toEqual(apart.batches)
    expect(counted(composed.stages)).toEqual(counted(apart.stages))
  } else {
    // These batches were in transit when the error came; no reader may keep them.
    const both = Math.min(composed.batches.length, apart.batches.length)
    expect(composed.batches.slice(0, both)).toEqual(apart.batches.slice(0, both))
  }
  return composed
}

describe.each<[string, Options]>([
  ['wasm', { engine: 'wasm', worker: false }],
  ['wasm with a worker', { engine: 'wasm' }],
  ['zlib', { engine: 'zlib' }],
  ['fflate', { engine: 'fflate' }],
])('%s: composed or piped by hand, the same', (_, engine) => {
  const ends = (pieces: readonly Uint8Array[], options: Options = {}) =>
    expectSame(pieces, { ...engine, ...options })

  test('of a good file, however it is cut', async () => {
    const file = gzipSync(TEXT)
    for (const pieces of [[file], cutAt(file, 1, 9, 5000), cutAt(file, 100, file.length - 3)]) {
      const { batches, error } = await ends(pieces)
      expect([error, batches.length]).toEqual([undefined, expect.any(Number)])
      expect(batches.length).toBeGreaterThan(2)
    }
    await ends([gzipSync(TEXT, { level: 0 })], { batchBytes: 1000 })
    await ends([gzipSync(TEXT)], { batchBytes: 200_000 })
  })

  test('of members that cut rows, and of none that are large', async () => {
    const cuts = [7, 11, 70_000, 70_001, 100_000]
    await ends([Buffer.concat(cutAt(TEXT, ...cuts).map(part => gzipMember(part)))])
  })

  test('of a header alone, of an empty member, of nothing', async () => {
    const alone = await ends([gzipMember('a\tb\n')])
    expect(alone.batches.map(batch => batch.includes('heading'))).toEqual([true])
    expect((await ends([gzipMember('')])).error).toMatchObject({ code: 'TSV_EMPTY' })
    expect((await ends([])).error).toMatchObject({ code: 'GZIP_EMPTY' })
  })

  test('of bad rows, skipped, reported or thrown', async () => {
    const file = gzipMember(BAD_ROWS)
    expect((await ends([file], { onBadRow: 'skip' })).batches).toHaveLength(1)
    expect((await ends([file], { onBadRow: () => {} })).batches).toHaveLength(4)
    expect((await ends([file])).error).toMatchObject({ code: 'TSV_ROW_SHORT' })
    const fails: Options['onBadRow'] = () => {
      throw new RangeError('told')
    }
    expect((await ends([file], { onBadRow: fails })).error).toMatchObject({
      code: 'STAGE_FAILED',
      context: { stage: 'TsvRowParser' },
    })
  })

  test('of a file that is cut, or damaged, or has a wrong checksum, or something behind it', async () => {
    const file = gzipSync(TEXT)
    for (const end of [5, 100, file.length >> 1, file.length - 9, file.length - 4]) {
      expect((await ends([file.subarray(0, end)])).error).toMatchObject({ code: 'GZIP_TRUNCATED' })
    }
    const damaged = Buffer.from(file).fill(0, file.length >> 1, (file.length >> 1) + 60)
    expect((await ends([damaged])).error).toBeDefined()
    expect((await ends([gzipMember(TEXT, { crc: 7 })])).error).toMatchObject({
      code: 'GZIP_CRC_MISMATCH',
    })
    expect((await ends([file, Buffer.from('behind')])).error).toMatchObject({
      code: 'GZIP_TRAILING_GARBAGE',
    })
    expect((await ends([gzipSync(file)])).error).toMatchObject({ code: 'GZIP_NESTED' })
    expect((await ends([file], { maxOutputBytes: 100_000 })).error).toMatchObject({
      code: 'GZIP_LIMIT',
    })
  })
})

describe('the builder', () => {
  test('keeps the steps that a subclass has of its own', async () => {
    let shouted = 0
    let counted = 0
    class Shouting extends Gunzip {
      protected override flush() {
        shouted++
        return super.flush()
      }
    }
    class Counting extends TsvRowParser {
      protected override transform(bytes: Uint8Array) {
        counted++
        return super.transform(bytes)
      }
    }
    const file = [gzipSync(TEXT)]
    expect(
      await pipeline<Uint8Array>(file).to(new Shouting()).to(new TsvRowParser()).toArray(),
    ).toHaveLength(5_000)
    expect(
      await pipeline<Uint8Array>(file).to(new Gunzip()).to(new Counting()).toArray(),
    ).toHaveLength(5_000)
    expect([shouted, counted > 0]).toEqual([1, true])
  })

  const file = () => [gzipSync(tsv([['a'], ['1'], ['2']]))]

  test('emits the end of each stage to its listeners', async () => {
    const stages = [new Gunzip(), new TsvRowParser()] as const
    const heard: string[] = []
    for (const stage of stages)
      for (const event of ['end', 'error', 'close'] as const)
        stage.on(event, () => heard.push(`${stage.name} ${event}`))
    expect(await pipeline<Uint8Array>(file()).to(stages[0]).to(stages[1]).toArray()).toHaveLength(2)
    expect(heard).toEqual(['Gunzip end', 'Gunzip close', 'TsvRowParser end', 'TsvRowParser close'])
  })

  test('refuses either of the two a second time', async () => {
    const [gunzip, parser] = [new Gunzip(), new TsvRowParser()]
    await pipeline<Uint8Array>(file()).to(gunzip).to(parser).toArray()
    const reused = expect.objectContaining({ code: 'STAGE_REUSED' })
    await expect(
      pipeline<Uint8Array>(file())
        .to(gunzip)
        .to(() => new TsvRowParser())
        .toArray(),
    ).rejects.toEqual(reused)
    await expect(
      pipeline<Uint8Array>(file())
        .to(() => new Gunzip())
        .to(parser)
        .toArray(),
    ).rejects.toEqual(reused)
    expect([gunzip.used, parser.used, gunzip.write(file()[0]!)]).toEqual([true, true, false])
  })

  test('counts bad and replaced rows on the parser that it was given', async () => {
    const parser = new TsvRowParser({ onBadRow: 'skip', invalidUtf8: 'replace' })
    await pipeline<Uint8Array>([gzipMember(BAD_ROWS)])
      .to(new Gunzip())
      .to(parser)
      .toArray()
    expect([parser.badRows, parser.replacedRows]).toEqual([3, 1])
  })

  test.each([0, 1])(
    'ends the run when one of the two is destroyed from outside (%i)',
    async which => {
      const stages = [new Gunzip(), new TsvRowParser()] as const
      const run = pipeline<Uint8Array>([gzipSync(TEXT)])
        .to(stages[0])
        .to(stages[1])
        .forEach(row => {
          if (row.position.row === 3_000) stages[which]!.destroy()
        })
      await expect(run).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
      expect(stages.map(stage => stage.destroyed)).toEqual([true, true])
    },
  )

  test('charges each stage with its own work and its own wait for input', async () => {
    async function* slowly(): AsyncGenerator<Uint8Array> {
      for (const piece of cutAt(gzipSync(TEXT), 1000)) {
        await new Promise(resolve => setTimeout(resolve, 10))
        yield piece
      }
    }
    let isFirst = true
    const { stages, elapsedMs } = await pipeline(slowly())
      .to(new Gunzip())
      .to(new TsvRowParser())
      .forEach(() => {
        if (!isFirst) return
        isFirst = false
        return new Promise(resolve => setTimeout(resolve, 10))
      })
    const [, gunzip, parser] = stages
    for (const ms of [gunzip!.waitMs, parser!.blockedMs, gunzip!.busyMs, parser!.busyMs])
      expect(ms).toBeGreaterThan(0)
    // The parser waited as long as Gunzip worked and waited.
    expect(parser!.waitMs).toBeGreaterThanOrEqual(gunzip!.waitMs)
    expect(parser!.busyMs + parser!.waitMs + parser!.blockedMs).toBeLessThanOrEqual(elapsedMs + 1)
  })
})
