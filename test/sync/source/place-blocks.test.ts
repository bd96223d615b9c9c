// Where the bytes of a feed of one's own come from: addresses that end, downloads that go on where
// they stopped, and files of a disk that change while they are read.

import { appendFileSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import type { RangeInfo } from '../../../src/engine/stages/range/range-settings'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import type { FileOpener, FilePlace } from '../../../src/sync/source/feed-source'
import { localBlocks, type OpenedFile } from '../../../src/sync/source/place-blocks'
import { collect } from '../../rows-from-text'
import { SimulatedMachine } from '../simulated-machine'
import { lineOf, rowsIn, SmallFeed, textOf, timeOf } from './small-feed'

const rows = Array.from({ length: 200 }, (_, n) => {
  return { sku: `s${String(n).padStart(3, '0')}`, revision: n, gone: false, title: `${n ** 5}` }
})
const CONTENT = gzipSync(textOf(rows))

/** A bucket of one file, whose signatures are good for so many requests. */
class Bucket {
  signatures = 0
  /** The first byte of each range that was answered. */
  readonly starts: number[] = []
  refused = 0
  readonly #lasts: number
  #left = 0

  constructor(lasts: number) {
    this.#lasts = lasts
  }

  readonly sign = async (): Promise<string> => {
    this.#left = this.#lasts
    return `https://bucket.test/stock.csv.gz?X-Signature=${++this.signatures}`
  }

  readonly transport = fetchTransport(async request => {
    const { searchParams } = new URL(request.url)
    const isGood = searchParams.get('X-Signature') === String(this.signatures)
    if (!isGood || this.#left-- <= 0) {
      this.refused++
      const body = '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>'
      return new Response(body, { status: 403, headers: { 'content-type': 'application/xml' } })
    }
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.get('range')!)!
    this.starts.push(Number(from))
    const end = Math.min(Number(to) + 1, CONTENT.length)
    return new Response(CONTENT.subarray(Number(from), end), {
      status: 206,
      headers: {
        etag: '"one"',
        'content-range': `bytes ${from}-${end - 1}/${CONTENT.length}`,
        'content-type': 'application/octet-stream',
      },
    })
  })
}

function feedOver(bucket: Bucket, from: FilePlace | FileOpener) {
  const feed = new SmallFeed()
  feed.files = [{ id: 'all', from, kind: 'full', time: timeOf(0) }]
  return { feed, source: feed.source({ transport: bucket.transport }) }
}

describe('an address that ends', () => {
  test('fault 128: is asked for again when it is refused, and the download goes on where it stopped', async () => {
    const bucket = new Bucket(4)
    const { feed, source } = feedOver(bucket, bucket.sign)
    const machine = new SimulatedMachine(0)
    await feed.sync(machine.start(), { source }).summary
    expect(await rowsIn(machine.start())).toEqual(rows.map(lineOf))
    expect([bucket.signatures > 2, bucket.refused > 0]).toEqual([true, true])
    expect(bucket.starts.filter(start => start === 0).length).toBe(1)
  })

  test('fails its file where every new one is refused, and at once where it is none', async () => {
    const bucket = new Bucket(0)
    const { feed, source } = feedOver(bucket, bucket.sign)
    const failureOf = (run: ReturnType<typeof feed.sync>) => run.summary.catch(error => error)
    const error = await failureOf(feed.sync(new SimulatedMachine(0).start(), { source }))
    expect([error.code, error.cause.code, bucket.signatures]).toEqual([
      'SYNC_FILE_FAILED',
      'HTTP_STATUS',
      5,
    ])
    expect(JSON.stringify([error.message, error.context, error.cause.message])).not.toMatch(/=\d/)
    const fixed = feedOver(bucket, await bucket.sign())
    bucket.refused = 0
    await failureOf(fixed.feed.sync(new SimulatedMachine(0).start(), { source: fixed.source }))
    expect(bucket.refused).toBeLessThan(5)
  })

  test('is that of a new run too, which goes on in the middle of a download', async () => {
    const bucket = new Bucket(4)
    const stop = new AbortController()
    const { feed, source } = feedOver(bucket, async () => {
      if (bucket.signatures === 2) stop.abort()
      return bucket.sign()
    })
    const machine = new SimulatedMachine(0)
    const run = feed.sync(machine.start(), { source, signal: stop.signal })
    await expect(run.summary).rejects.toMatchObject({ code: 'ABORTED' })
    await feed.sync(machine.start(), { source }).summary
    expect(await rowsIn(machine.start())).toEqual(rows.map(lineOf))
    expect(bucket.starts.filter(start => start === 0).length).toBe(1)
  })

  test('a function that fails, or gives no place, is named', async () => {
    const failing = new RangeError('no credentials')
    const cases: [() => Promise<FilePlace>, string, string][] = [
      [() => Promise.reject(failing), 'SYNC_FILE_FAILED', 'no credentials'],
      [async () => '' as FilePlace, 'OPTION_INVALID', 'from'],
      [async () => 'https://me:secret@bucket.test/', 'OPTION_INVALID', 'user info'],
    ]
    for (const [from, code, words] of cases) {
      const { feed, source } = feedOver(new Bucket(9), from)
      const error = await feed
        .sync(new SimulatedMachine(0).start(), { source })
        .summary.catch(cause => cause)
      expect([FeedError.is(error) && error.code, error.message]).toEqual([
        code,
        expect.stringContaining(words),
      ])
      expect(error.message).not.toContain('secret')
    }
  })
})

describe('a file of a disk', () => {
  test('fault 131: one of equal size and time in its place is another file', async () => {
    const { folder } = new SmallFeed()
    const [path, next] = [`${folder}/file`, `${folder}/next`]
    for (const [name, fill] of [
      [path, 'old '],
      [next, 'new '],
    ] as const) {
      writeFileSync(name, Buffer.alloc(2_500_000, fill))
      utimesSync(name, timeOf(0), timeOf(0))
    }
    let told: RangeInfo | undefined
    for await (const _ of localBlocks(path, { onInfo: info => void (told = info) })) break
    renameSync(next, path)
    const resume = { offset: 1_000_000, identity: told! }
    await expect(collect(localBlocks(path, { resume }))).rejects.toMatchObject({
      code: 'RANGE_FILE_REPLACED',
    })
  })

  test('fault 130: is read from any byte on, and refused where it changed', async () => {
    const { folder } = new SmallFeed()
    const path = `${folder}/file`
    const bytes = Buffer.alloc(2_500_000, 'feed')
    writeFileSync(path, bytes)
    const told: unknown[] = []
    const whole = await collect(localBlocks(path, { onInfo: info => told.push(info) }))
    expect(Buffer.concat(whole).equals(bytes)).toBe(true)
    const identity = told[0] as { totalBytes: number; lastModified: string }
    expect(identity).toMatchObject({ totalBytes: bytes.length, empty: false })
    const rest = await collect(localBlocks(path, { resume: { offset: 2_400_000, identity } }))
    expect(Buffer.concat(rest).length).toBe(100_000)
    const growing = async () => {
      for await (const _ of localBlocks(path, {})) appendFileSync(path, 'x')
    }
    await expect(growing()).rejects.toMatchObject({ code: 'RANGE_FILE_REPLACED' })
    await expect(
      collect(localBlocks(path, { resume: { offset: 1, identity } })),
    ).rejects.toMatchObject({ code: 'RANGE_FILE_REPLACED' })
  })

  test('that is missing or none is a failure of the file', async () => {
    const { folder } = new SmallFeed()
    mkdirSync(`${folder}/inner`)
    for (const path of [`${folder}/none`, `${folder}/inner`])
      await expect(collect(localBlocks(path, {}))).rejects.toMatchObject({
        code: 'STAGE_FAILED',
        retryable: false,
      })
  })
})

const other = rows.map(row => ({ ...row, title: `${row.title} again` }))
const VERSIONS = [rows, other].map(each => gzipSync(textOf(each), { level: 0 }))

/** How one opening of a store behaves. */
interface Opening {
  /** The bytes after which it ends or fails; more than the file has: none of that. */
  readonly cutAt: number
  readonly fails: boolean
  /** Another version stands there from then on. */
  readonly isReplaced: boolean
}
const openings = fc.array(
  fc.record<Opening>({
    cutAt: fc.integer({ min: 0, max: 9_000 }),
    fails: fc.boolean(),
    isReplaced: fc.integer({ min: 0, max: 5 }).map(n => n === 0),
  }),
  { maxLength: 6 },
)
type Proof = 'etag' | 'weak' | 'date' | 'none'

function store(plan: readonly Opening[], proof: Proof, blockBytes: number) {
  const offsets: number[] = []
  let version = 0
  const open: FileOpener = async ({ offset }): Promise<OpenedFile> => {
    const { cutAt, fails, isReplaced } = plan[offsets.length] ?? { cutAt: 1e9 }
    if (isReplaced) version = 1 - version
    offsets.push(offset)
    const bytes = VERSIONS[version]!
    async function* blocks() {
      const end = Math.min(bytes.length, offset + cutAt)
      for (let at = offset; at < end; at += blockBytes)
        yield bytes.subarray(at, Math.min(end, at + blockBytes))
      if (end < bytes.length && fails) throw new RangeError('the connection broke')
    }
    return {
      bytes: blocks(),
      totalBytes: bytes.length,
      ...(proof === 'etag' && { etag: `v${version}` }),
      ...(proof === 'weak' && { etag: `W/"v${version}"` }),
      ...(proof === 'date' && { lastModified: timeOf(-version) }),
    }
  }
  return { open, offsets }
}

describe('a file that the caller opens', () => {
  test('fault 183: is one version of it, and goes on where it broke if something proves it the same', async () => {
    let wentOn = 0
    await fc.assert(
      fc.asyncProperty(
        openings,
        fc.constantFrom<Proof[]>('etag', 'weak', 'date', 'none'),
        fc.integer({ min: 1, max: 9_000 }),
        async (plan, proof, blockBytes) => {
          const { open, offsets } = store(plan, proof, blockBytes)
          const { feed, source } = feedOver(new Bucket(0), open)
          const machine = new SimulatedMachine(0)
          const run = () => feed.sync(machine.start(), { source }).summary
          for (let n = 0; n <= plan.length; n++) {
            const error = await run().catch(thrown => thrown)
            if (!FeedError.is(error)) break
            expect(['STAGE_FAILED', 'RANGE_FILE_REPLACED']).toContain(
              (error.cause as FeedError).code,
            )
          }
          const found = await rowsIn(machine.start())
          expect([rows.map(lineOf), other.map(lineOf)]).toContainEqual(found)
          const isProven = proof === 'etag' || proof === 'date'
          if (!isProven) expect(offsets).toEqual(offsets.map(() => 0))
          wentOn += offsets.filter(offset => offset > 0).length
        },
      ),
      { numRuns: 60 },
    )
    expect(wentOn).toBeGreaterThan(10)
  })

  const bytesOf = async function* (...blocks: unknown[]) {
    yield* blocks as Uint8Array[]
  }
  const whole = VERSIONS[0]!
  test.each<[string, OpenedFile, string]>([
    ['more bytes than it said', { bytes: bytesOf(whole), totalBytes: 9 }, 'more than its 9 bytes'],
    ['fewer', { bytes: bytesOf(whole), totalBytes: 1e6 }, 'of 1000000 bytes'],
    ['no size', { bytes: bytesOf(whole) } as never, 'totalBytes'],
    ['no bytes', { bytes: whole as never, totalBytes: 9 }, 'bytes must be an async iterable'],
    ['text', { bytes: bytesOf('sku') as never, totalBytes: 9 }, 'iterable of Uint8Arrays'],
    ['no date', { bytes: bytesOf(), totalBytes: 9, lastModified: 'x' as never }, 'lastModified'],
  ])('with %s is refused', async (_, opened, words) => {
    const { feed, source } = feedOver(new Bucket(0), () => opened)
    const run = feed.sync(new SimulatedMachine(0).start(), { source })
    const error = await run.summary.catch(thrown => thrown)
    expect([FeedError.is(error), error.message]).toEqual([true, expect.stringContaining(words)])
  })

  test('is told when the run is stopped, and does not keep it', async () => {
    const stop = new AbortController()
    let told: AbortSignal | undefined
    const open: FileOpener = ({ signal }) => {
      told = signal
      const bytes = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
      setImmediate(() => stop.abort())
      return { bytes, totalBytes: 9 }
    }
    const { feed, source } = feedOver(new Bucket(0), open)
    const run = feed.sync(new SimulatedMachine(0).start(), { source, signal: stop.signal })
    await expect(run.summary).rejects.toMatchObject({ code: 'ABORTED' })
    expect(told?.aborted).toBe(true)
  })
})
