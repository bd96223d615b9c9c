// Objects of buckets as downloads and as the files of a feed of one's own: lists of many pages, keys
// with every character, and a store that answers late, in part or not at all.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../src/engine/diagnostics/channels'
import {
  ChunkReassembler,
  defineSchema,
  FeedError,
  pipeline,
  RangeFetcher,
  type RangeFetcherOptions,
  text,
} from '../../../src/index'
import {
  type BucketFilesOptions,
  type BucketOptions,
  bucketFiles,
  bucketObject,
} from '../../../src/s3'
import { openState, type SourceFile, sync } from '../../../src/sync'
import { runsWithService } from '../../services'
import { type Fault, type FaultyStore, faultyStore, refusal } from './faulty-store'
import { CREDENTIALS, QUICK, TestBucket } from './test-bucket'

const runs = await runsWithService('s3')
const NEVER = new AbortController().signal
const CONTENT = Buffer.from(Array.from({ length: 5_000 }, (_, n) => `line ${n}\n`).join(''))

describe.skipIf(!runs)('in a bucket', () => {
  let bucket: TestBucket
  let store: FaultyStore
  let options: BucketOptions
  beforeAll(async () => {
    bucket = await TestBucket.made()
    store = await faultyStore(bucket.options.endpoint as string)
    options = { ...bucket.options, endpoint: store.endpoint }
  })
  afterAll(async () => {
    await store.close()
    await bucket.drop()
  })
  beforeEach(async () => {
    store.reset()
    await bucket.clear()
  }, 60_000)

  const downloaded = async (
    key: string,
    reached: BucketOptions = {},
    more: Partial<RangeFetcherOptions> = {},
  ) => {
    const object = bucketObject(bucket.addressOf(key), { ...options, ...reached })
    const fetcher = new RangeFetcher({ ...object, chunkBytes: 8_000, retry: QUICK, ...more })
    const blocks = await pipeline(fetcher).to(new ChunkReassembler()).toArray()
    return Buffer.concat(blocks as Uint8Array[]).toString()
  }
  const listed = async (given: Omit<BucketFilesOptions, 'bucket'>, prefix = '') => {
    const address = bucket.addressOf(prefix)
    const { files } = bucketFiles({ ...options, bucket: address, ...given })
    const list = (files as (at: { signal: AbortSignal }) => Promise<SourceFile[]>)({
      signal: NEVER,
    })
    return (await list).map(({ id }) => id.replace(/ \S+$/, ''))
  }

  describe('an object', () => {
    test('is read by ranges that ask for one entity tag', async () => {
      await bucket.put('a', CONTENT)
      expect(await downloaded('a')).toBe(CONTENT.toString())
      const [first, ...others] = store.seen.map(({ headers }) => headers['if-match'])
      expect(first).toBeUndefined()
      expect(others.length).toBeGreaterThan(3)
      expect(new Set(others).size).toBe(1)
      expect(others[0]).toMatch(/^"[\da-f]{32}"$/)
    })

    test('is told once for each request', async () => {
      await bucket.put('a', CONTENT)
      const told: unknown[] = []
      const stop = listen({ 'feedmill:request': ({ attempt }) => void told.push(attempt) })
      store.onRequest = ({ n }) => (n === 0 ? refusal(503, 'SlowDown') : undefined)
      await downloaded('a')
      stop()
      expect(told).toEqual([1, 2, ...Array(store.seen.length - 2).fill(1)])
    })

    test('without bytes is an empty file', async () => {
      await bucket.put('empty', '')
      expect(await downloaded('empty')).toBe('')
    })

    test('has any key', async () => {
      const letter = fc.constantFrom(...'a/+ &<>"\'%?#=;:@\\~^|{}[]()*!$,é😀\n\t\u0001')
      const keys = fc
        .string({ unit: letter, minLength: 1, maxLength: 12 })
        .filter(key => !/\/$/.test(key))
      await fc.assert(
        fc.asyncProperty(keys, async key => {
          await bucket.put(key, key)
          expect(await downloaded(key)).toBe(key)
          expect(await bucket.keys()).toEqual([key])
          await bucket.remove(key)
        }),
        { numRuns: 60 },
      )
    })

    test('fault 152: that is replaced in mid-file is RANGE_FILE_REPLACED', async () => {
      await bucket.put('a', CONTENT)
      store.onRequest = async ({ n }) => {
        if (n === 2) await bucket.put('a', CONTENT.toString().toUpperCase())
        return undefined
      }
      const error = await downloaded('a', {}, { concurrency: 1 }).catch(thrown => thrown)
      expect(error).toMatchObject({ code: 'RANGE_FILE_REPLACED', context: { what: 'etag' } })
    })

    const PASSING: Record<string, Fault> = {
      SlowDown: { ...refusal(503, 'SlowDown'), headers: { 'Retry-After': '1' } },
      'a failure of the store': refusal(500, 'InternalError'),
      'a request that came too late': refusal(400, 'RequestTimeout'),
      'a connection that ends': 'lost',
      'an answer that is cut': 'cut',
    }
    test.each(Object.entries(PASSING))('fault 152: is read in spite of %s', async (_, fault) => {
      await bucket.put('a', CONTENT)
      store.onRequest = ({ n }) => (n === 0 || n === 3 || n === 4 ? fault : undefined)
      expect(await downloaded('a')).toBe(CONTENT.toString())
    })

    test('is asked for again when the store asks to wait', async () => {
      await bucket.put('a', CONTENT)
      store.onRequest = ({ n }) => (n === 0 ? PASSING.SlowDown : undefined)
      const waits: number[] = []
      const onRetry = ({ delayMs }: { delayMs: number }) => void waits.push(delayMs)
      await downloaded('a', {}, { retry: { ...QUICK, retryAfterCapMs: 30, onRetry } })
      expect(waits).toEqual([30])
    })

    test('fault 152: is read with new credentials where the old ones end in mid-download', async () => {
      await bucket.put('a', CONTENT)
      let asked = 0
      const credentials = () => ({ ...CREDENTIALS, sessionToken: `token-${++asked}-of-the-test` })
      const tokens = new Set<unknown>()
      store.onRequest = ({ n, headers }) => {
        const token = headers['x-amz-security-token']
        tokens.add(token)
        return n >= 2 && token === 'token-1-of-the-test' ? refusal(400, 'ExpiredToken') : undefined
      }
      expect(await downloaded('a', { credentials })).toBe(CONTENT.toString())
      expect(tokens.size).toBe(2)
      expect(asked).toBe(2)
    })

    test.each([
      ['NoSuchKey', 404, {}],
      ['SignatureDoesNotMatch', 403, { credentials: { ...CREDENTIALS, secretAccessKey: 'other' } }],
      ['InvalidAccessKeyId', 403, { credentials: { ...CREDENTIALS, accessKeyId: 'other' } }],
    ] as const)('that is refused with %s has what to do', async (code, status, reached) => {
      await bucket.put('a', CONTENT)
      const key = status === 404 ? 'none' : 'a'
      const error = await downloaded(key, reached).catch(thrown => thrown)
      expect(error).toMatchObject({ code: 'HTTP_STATUS', context: { status }, retryable: false })
      expect(error.message).toMatch(new RegExp(`^GetObject: status ${status}: ${code}.*: check `))
    })

    test.each([
      [refusal(403, 'RequestTimeTooSkewed'), 'set the clock'],
      [refusal(403, 'AccessDenied'), 'look whether the credentials may do this'],
      [
        { ...refusal(403, 'AccessDenied'), headers: { 'x-amz-bucket-region': 'us-east-1' } },
        'look whether the credentials may do this',
      ],
      [refusal(404, 'NoSuchBucket'), 'check the name of the bucket'],
      [{ status: 403 }, 'look whether the credentials may do this'],
      [refusal(301, 'PermanentRedirect', '<Region>eu-west-1</Region>'), 'its region is eu-west-1'],
      [
        { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-2' } },
        'status 301: its region is eu-west-2',
      ],
      [
        refusal(400, 'AuthorizationHeaderMalformed', '<Region>garage</Region>'),
        'its region is garage',
      ],
    ])('whose refusal is %j has what to do', async (fault, remedy) => {
      store.onRequest = () => fault
      const error = await downloaded('a').catch(thrown => thrown)
      expect(error).toMatchObject({ code: 'HTTP_STATUS', retryable: false })
      expect(error.message).toContain(remedy)
      expect(store.seen.length).toBe(1)
    })

    test('gives no signature to an address outside of its bucket', async () => {
      const { transport } = bucketObject(bucket.addressOf('a'), options)
      for (const path of ['another/a', `${bucket.name}/../another/a`, `${bucket.name}/%2e%2e/a`]) {
        const url = `${store.endpoint}/${path}`
        const sent = transport.send({ url, headers: {}, signal: NEVER })
        await expect(sent).rejects.toMatchObject({ code: 'OPTION_INVALID' })
      }
      expect(store.seen).toEqual([])
    })
  })

  describe('a list', () => {
    test('has what fits, by what follows the prefix', async () => {
      const keys = ['x/a.tsv', 'x/b.csv', 'x/sub/c.tsv', 'x/.d.tsv', 'x/sub/', 'xx.tsv', 'y.tsv']
      for (const key of keys) await bucket.put(key, '')
      expect(await listed({ full: '*.tsv' }, 'x/')).toEqual(['a.tsv', 'sub/c.tsv'])
      expect(await listed({ full: '*', changes: 'a*' }, 'x/sub')).toEqual(['/c.tsv'])
      expect(await listed({ changes: '*' }, 'z')).toEqual([])
    })

    test('fault 152: of many pages is whole, in spite of what happens to single ones', async () => {
      const keys = Array.from({ length: 1_100 }, (_, n) => `many/${String(n).padStart(5, '0')}`)
      const left = [...keys]
      const put = async () => {
        for (let key = left.pop(); key; key = left.pop()) await bucket.put(key, '')
      }
      await Promise.all([put(), put(), put(), put()])
      const faults: Fault[] = [
        undefined,
        'cut',
        'lost',
        refusal(503, 'SlowDown'),
        refusal(200, 'InternalError'),
      ]
      for (const fault of faults) {
        store.reset()
        store.onRequest = ({ n }) => (n === 0 || n === 2 ? fault : undefined)
        expect(await listed({ full: '*' }, 'many/')).toEqual(keys.map(key => key.slice(5)))
      }
    }, 60_000)

    const page = (more: string, truncated = 'true') =>
      `<ListBucketResult><IsTruncated>${truncated}</IsTruncated>${more}</ListBucketResult>`
    const object =
      '<Contents><Key>a</Key><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>'
    test.each([
      ['leads nowhere', page(object), 'NextContinuationToken is missing'],
      ['leads back', page('<NextContinuationToken>a</NextContinuationToken>'), 'leads back'],
      ['has no end', page(object, ''), 'IsTruncated is neither true nor false'],
      [
        'lacks a key',
        page(object.replace('Key', 'Kay').replace('Key', 'Kay'), 'false'),
        'Key is missing',
      ],
      ['lacks a time', page(object.replace('2026', ''), 'false'), 'LastModified is no time'],
      [
        'is encoded wrongly',
        page(`<EncodingType>url</EncodingType>${object.replace('>a<', '>%ff<')}`, 'false'),
        'percent-encoded',
      ],
      ['is something else', '<html></html>', 'is no whole document ListBucketResult'],
      ['is cut', page(object, 'false').slice(0, -3), 'is no whole document ListBucketResult'],
    ])('fault 152: a page that %s is RESPONSE_INVALID', async (_, body, reason) => {
      store.onRequest = () => ({ status: 200, body })
      const error = await listed({ full: '*' }).catch(thrown => thrown)
      expect(error).toMatchObject({ code: 'RESPONSE_INVALID' })
      expect(error.message).toContain(reason)
    })

    test('is slow, and whole', async () => {
      await bucket.put('a', '')
      store.onRequest = () => 'slow'
      expect(await listed({ full: '*' })).toEqual(['a'])
    })

    test('that is aborted ends', async () => {
      const stop = new AbortController()
      store.onRequest = async () => {
        stop.abort(new RangeError('enough'))
        return 'lost' as const
      }
      const { files } = bucketFiles({ ...options, bucket: bucket.addressOf(''), full: '*' })
      const list = (files as (at: { signal: AbortSignal }) => Promise<unknown>)(stop)
      await expect(list).rejects.toThrow('enough')
    })
  })

  describe('a feed of one’s own', () => {
    const schema = defineSchema({ name: 'stock', columns: { sku: text(), title: text() } })
    let folder: string
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'feedmill-bucket-'))
      return () => rm(folder, { recursive: true })
    })
    const run = async (given: Partial<BucketFilesOptions>, key = 'exports/') => {
      const files = bucketFiles({ ...options, bucket: bucket.addressOf(key), ...given })
      const source = { name: 'stock', schema, key: 'sku', ...files } as const
      await sync({ source, folder, retry: QUICK }).summary
      const state = await openState(folder)
      try {
        const rows: string[] = []
        for await (const all of state.feed(source).rows())
          for (const row of all) rows.push(`${row.text('sku')} ${row.text('title')}`)
        return rows.sort()
      } finally {
        await state.close()
      }
    }

    test('is read out of a bucket, full files and changes', async () => {
      await bucket.put('exports/full-1.tsv', 'sku\ttitle\na\tone\nb\ttwo\n')
      await bucket.put('exports/changes-2.tsv', 'sku\ttitle\nb\ttwo again\n')
      await bucket.put('exports/notes.txt', 'no table')
      const timeOf = (name: string) => new Date(Date.UTC(2026, 0, Number(/\d/.exec(name)![0])))
      const given = { full: 'full-*', changes: 'changes-*', timeOf }
      expect(await run(given)).toEqual(['a one', 'b two again'])
      await bucket.put('exports/full-3.tsv', 'sku\ttitle\nc\tthree\n')
      expect(await run(given)).toEqual(['c three'])
    })

    test('is one object that is replaced', async () => {
      await bucket.put('exports/stock', 'sku\ttitle\na\tone\n')
      expect(await run({}, 'exports/stock')).toEqual(['a one'])
      await bucket.put('exports/stock', 'sku\ttitle\na\tone\nb\ttwo\n')
      expect(await run({}, 'exports/stock')).toEqual(['a one', 'b two'])
      store.reset()
      expect(await run({}, 'exports/stock')).toEqual(['a one', 'b two'])
      expect(store.seen.map(({ headers }) => headers['if-none-match'])).toEqual([
        expect.stringMatching(/^"/),
      ])
    })

    test('whose list is refused fails at once, with what to do', async () => {
      const credentials = { ...CREDENTIALS, secretAccessKey: 'other' }
      const error = await run({ full: '*', credentials }).catch(thrown => thrown)
      expect(FeedError.is(error) && error.message).toMatch(
        /ListObjectsV2: status 403: SignatureDoes/,
      )
      expect(store.seen.length).toBe(1)
    })
  })
})
