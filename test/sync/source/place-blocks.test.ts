// Where the bytes of a feed of one's own come from: addresses that end, downloads that go on where
// they stopped, and files of a disk that change while they are read.

import { appendFileSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import type { RangeInfo } from '../../../src/engine/stages/range/range-settings'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import type { FilePlace } from '../../../src/sync/source/feed-source'
import { localBlocks } from '../../../src/sync/source/place-blocks'
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

function feedOver(bucket: Bucket, from: FilePlace | (() => Promise<FilePlace>)) {
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
