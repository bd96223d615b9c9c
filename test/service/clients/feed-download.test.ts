import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import type { FeedDownload } from '../../../src/service/clients/feed-download'
import { createFeedService } from '../../../src/service/feed-service'
import { type FetchLike, fetchTransport } from '../../../src/service/http/fetch-transport'
import { defineProfile } from '../../../src/service/profile'
import { type Emulated, type EmulatedOptions, emulated, FAST } from '../emulated'

const running: Emulated[] = []
afterEach(async () => {
  for (const { service, emulator } of running.splice(0)) {
    await service.close()
    await emulator.close()
  }
})

const BOOTSTRAP = { marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' } as const
const GENERATED = 'Sun, 01 Mar 2026 00:00:00 GMT'

function bootstrapOf(options?: EmulatedOptions): Emulated & { download: FeedDownload<never> } {
  const started = emulated(options)
  running.push(started)
  return {
    ...started,
    download: started.service.feeds.getItemFeed(BOOTSTRAP) as unknown as FeedDownload<never>,
  }
}

/** A service with one file, which answers requests by `answer`. */
function serving(answer: (request: Request, index: number) => Response | Promise<Response>) {
  const asked: (string | null)[] = []
  const fetchLike: FetchLike = request => {
    if (request.url.endsWith('/token'))
      return Response.json({ access_token: 'tok-4711', token_type: 'Bearer' })
    asked.push(request.headers.get('range'))
    return answer(request, asked.length - 1)
  }
  const profile = defineProfile({
    baseUrl: 'https://service.test',
    tokenUrl: 'https://service.test/token',
    scopeBase: 's',
  })
  const service = createFeedService(
    profile,
    { clientId: 'c', clientSecret: 'secret' },
    { transport: fetchTransport(fetchLike), ...FAST },
  )
  return { service, asked, download: service.feeds.getItemFeed(BOOTSTRAP) }
}

function ranged(
  file: Uint8Array,
  request: Request,
  headers: Record<string, string> = {},
): Response {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
  if (first === undefined) return new Response(null, { status: 400 })
  const end = Math.min(Number(last) + 1, file.length)
  const contentRange = {
    'content-range': `${first}-${end - 1}/${file.length}`,
    'last-modified': GENERATED,
    date: new Date(Date.parse(GENERATED) + 3_600_000).toUTCString(),
  }
  return new Response(Uint8Array.from(file.subarray(Number(first), end)), {
    status: 206,
    headers: { ...contentRange, ...headers },
  })
}

const refusal = (status: number, errorId: number, headers: Record<string, string> = {}) =>
  Response.json(
    {
      errorId,
      domain: 'API_FEED',
      category: status >= 500 ? 'APPLICATION' : 'REQUEST',
      message: 'm',
    },
    { status, headers },
  )

const TEXT = `itemId\ttitle\n${Array.from({ length: 200 }, (_, n) => `v1|${n}|0\ttitle ${n * 7919}\n`).join('')}`
const FILE = Uint8Array.from(gzipSync(TEXT))

const bytesOf = async (pipeline: { batches(): AsyncIterable<Uint8Array> }) => {
  const parts: Uint8Array[] = []
  for await (const part of pipeline.batches()) parts.push(part)
  return Buffer.concat(parts)
}

const failureOf = async (work: Promise<unknown>): Promise<FeedError> => {
  const error: unknown = await work.catch(thrown => thrown)
  if (!FeedError.is(error)) throw new Error(`no FeedError: ${String(error)}`)
  return error
}

describe('what can be read', () => {
  test('rows, batches, bytes and compressed bytes agree', async () => {
    const { download } = bootstrapOf()
    const rows = await download.rows().toArray()
    const batches: number[] = []
    for await (const batch of download.batches()) batches.push(batch.length)
    expect(batches.reduce((sum, length) => sum + length, 0)).toBe(rows.length)
    const text = await bytesOf(download.bytes())
    expect(gunzipSync(await bytesOf(download.compressed())).equals(text)).toBe(true)
    expect(text.toString().split('\n').length).toBeGreaterThan(rows.length)
  })

  test('info gives the size and the generation by one small range', async () => {
    const { download, asked } = serving(request => ranged(FILE, request))
    expect(await download.info()).toEqual({
      empty: false,
      totalBytes: FILE.length,
      lastModified: new Date(GENERATED),
      etag: undefined,
    })
    expect(asked).toEqual(['bytes=0-63'])
  })

  test('info of a server that ignores ranges leaves the rest of the body unread', async () => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>(
      {
        pull: controller => controller.enqueue(Uint8Array.from(FILE)),
        cancel: () => void (cancelled = true),
      },
      { highWaterMark: 0 },
    )
    const { download } = serving(
      () =>
        new Response(body, {
          headers: { 'content-length': '1000000', 'last-modified': 'garbage' },
        }),
    )
    expect(await download.info()).toEqual({
      empty: false,
      totalBytes: 1_000_000,
      lastModified: undefined,
      etag: undefined,
    })
    expect(cancelled).toBe(true)
  })

  test('rows have the generation of their file, or the one of the caller', async () => {
    const { download } = serving(request => ranged(FILE, request))
    const [first] = await download.rows().take(1).toArray()
    expect(first?.batch.file).toEqual({
      feed: 'item',
      ...BOOTSTRAP,
      lastModified: new Date(GENERATED),
    })
    const lastModified = new Date('2026-01-01T00:00:00Z')
    const [given] = await download.rows({ lastModified }).take(1).toArray()
    expect(given?.batch.file.lastModified).toEqual(lastModified)
    expect(download.file.lastModified).toBeUndefined()
  })

  test('stages are counted under their own names', async () => {
    const { download } = bootstrapOf()
    const summary = await download.rows().forEach(() => {})
    expect(summary.stages.map(stage => stage.stage)).toEqual([
      'RangeFetcher',
      'ChunkReassembler',
      'Gunzip',
      'TsvRowParser',
    ])
    expect(summary.stages[2]?.bytesIn).toBeGreaterThan(100)
  })

  test('a request is sent when something is read, and each reading is independent', async () => {
    const { download, asked } = serving(request => ranged(FILE, request))
    const rows = download.rows({ ranges: { chunkBytes: 256 } })
    expect(asked).toEqual([])
    const [one, two] = await Promise.all([rows.toArray(), rows.toArray()])
    expect([one.length, two.length]).toEqual([200, 200])
    expect(asked.length).toBe(2 * Math.ceil(FILE.length / 256))
  })

  test('the option windowBytes is passed to both stages that have it', async () => {
    const { download } = serving(request => ranged(FILE, request))
    const ranges = { chunkBytes: 100, windowBytes: 200, concurrency: 2 }
    expect((await download.rows({ ranges }).toArray()).length).toBe(200)
  })

  test('abort ends a reading and an info', async () => {
    const { download } = serving(() => new Promise<Response>(() => {}))
    const reading = new AbortController()
    const rows = failureOf(download.rows({ signal: reading.signal }).toArray())
    const info = failureOf(download.info({ signal: reading.signal }))
    setTimeout(() => reading.abort(), 5)
    expect([(await rows).code, (await info).code]).toEqual(['ABORTED', 'ABORTED'])
    expect((await failureOf(download.info({ signal: AbortSignal.abort() }))).code).toBe('ABORTED')
  })
})

describe('an empty file', () => {
  test('fault 26: a 204 is an empty file in every way of reading', async () => {
    const { download } = serving(() => new Response(null, { status: 204 }))
    expect(await download.rows().toArray()).toEqual([])
    expect((await bytesOf(download.bytes())).length).toBe(0)
    expect((await bytesOf(download.compressed())).length).toBe(0)
    expect(await download.info()).toEqual({
      empty: true,
      totalBytes: 0,
      lastModified: undefined,
      etag: undefined,
    })
  })

  test('fault 26: the emulated service answers 204 for a category without items', async () => {
    const { service } = bootstrapOf({
      emulator: { world: { seed: 7, items: 1, hours: 24, churn: 1 } },
    })
    const hours = Array.from(
      { length: 20 },
      (_, hour) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000Z`,
    )
    const empties: string[] = []
    for (const snapshotDate of hours) {
      const download = service.feeds.getItemSnapshotFeed({
        marketplace: 'MKT_US',
        categoryId: '220',
        snapshotDate,
      })
      const rows = await download.rows().toArray()
      const { empty } = await download.info()
      expect(empty).toBe(rows.length === 0)
      if (empty) empties.push(snapshotDate)
    }
    expect(empties.length).toBeGreaterThan(0)
  })

  test('a file without bytes fails unless the service states that it is empty', async () => {
    const nothing = serving(request => ranged(Uint8Array.from(gzipSync('')), request))
    expect((await failureOf(nothing.download.rows().toArray())).code).toBe('TSV_EMPTY')
    const short = serving(() => new Response(new Uint8Array(), { status: 200 }))
    expect(
      FeedError.is(
        await failureOf(short.download.rows({ ranges: { retry: { patienceMs: 0 } } }).toArray()),
      ),
    ).toBe(true)
  })
})

describe('fault 89: a 200 without a byte', () => {
  const bodies: [string, () => Response][] = [
    [
      'Content-Length: 0',
      () => new Response(null, { status: 200, headers: { 'content-length': '0' } }),
    ],
    [
      'a date and an entity tag',
      () =>
        new Response(null, {
          headers: { 'content-length': '0', 'last-modified': GENERATED, etag: '"e"' },
        }),
    ],
    [
      'chunked',
      () =>
        new Response(new ReadableStream({ start: controller => controller.close() }), {
          status: 200,
        }),
    ],
  ]

  test.each(bodies)(
    'fault 89: %s: no way of reading treats it as an empty file',
    async (_, answer) => {
      const { download, service } = serving(answer)
      const other = service.catalog.downloadFile({ marketplace: 'MKT_US', fileId: 'f' })
      const ways = [
        () => download.rows().toArray(),
        () => bytesOf(download.bytes()),
        () => bytesOf(download.compressed()),
        () => download.info(),
        () => other.rows().toArray(),
        () => bytesOf(other.compressed()),
      ]
      for (const read of ways) {
        const error = await failureOf(read())
        expect(error).toMatchObject({
          code: 'RANGE_RETRIES_EXHAUSTED',
          retryable: true,
          cause: { code: 'HTTP_TRANSPORT' },
        })
      }
    },
  )

  test.each(bodies)('fault 89: %s: the file is read once it exists', async (_, answer) => {
    const { download } = serving((request, index) => (index < 2 ? answer() : ranged(FILE, request)))
    expect((await download.rows().toArray()).length).toBe(200)
  })
})

describe('the service’s refusals', () => {
  test('fault 27: a request answered with 13007 is repeated until the file is generated', async () => {
    const { download, asked } = serving((request, index) =>
      index < 3 ? refusal(400, 13007) : ranged(FILE, request),
    )
    expect((await download.rows().toArray()).length).toBe(200)
    expect(asked.length).toBe(4)
  })

  test.each([400, 404])(
    'fault 27: a lasting 13007 with %i keeps its code, and is retryable later',
    async status => {
      const { download, asked } = serving(() => refusal(status, 13007))
      for (const read of [() => download.rows().toArray(), () => download.info()]) {
        const error = await failureOf(read())
        expect(error).toMatchObject({
          code: 'HTTP_STATUS',
          retryable: true,
          context: { operation: 'getItemFeed', status, errorId: 13007 },
        })
        expect(error.cause).toMatchObject({ code: 'RANGE_RETRIES_EXHAUSTED' })
      }
      expect(asked.length).toBe(10)
    },
  )

  test('fault 27: a request answered with 14004, for an expired file, is not repeated', async () => {
    const { service, asked } = serving(() => refusal(404, 14004))
    const error = await failureOf(
      service.catalog.downloadFile({ marketplace: 'MKT_US', fileId: 'f1' }).rows().toArray(),
    )
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      retryable: false,
      context: {
        operation: 'downloadFile',
        status: 404,
        errorId: 14004,
        category: 'REQUEST',
        domain: 'API_FEED',
        message: 'm',
        byteOffset: 0,
      },
    })
    expect(asked.length).toBe(1)
  })

  test('13017 becomes HTTP_STATUS with the error of the range as its cause', async () => {
    for (const status of [400, 416]) {
      const { download } = serving(() => refusal(status, 13017))
      const error = await failureOf(download.rows().toArray())
      expect(error).toMatchObject({
        code: 'HTTP_STATUS',
        retryable: false,
        context: { operation: 'getItemFeed', status, errorId: 13017 },
      })
      expect(error.cause).toMatchObject({ code: 'RANGE_UNSATISFIABLE' })
    }
  })

  test.each([
    '0',
    'Wed, 21 Oct 2099 07:28:00 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'soon',
    '-5',
    '999999999999',
  ])(
    'fault 28: 429 and 503 with Retry-After %j cause a capped wait, and then the file comes',
    async retryAfter => {
      const { download, asked } = serving((request, index) =>
        index < 4
          ? refusal(index % 2 ? 429 : 503, 1, { 'retry-after': retryAfter })
          : ranged(FILE, request),
      )
      expect((await bytesOf(download.bytes())).toString()).toBe(TEXT)
      expect(asked.length).toBe(5)
    },
  )

  test('fault 29: 500 with 13006 in the middle of a file repeats only that range', async () => {
    const { download, asked } = serving((request, index) =>
      index === 3 || index === 4 ? refusal(500, 13006) : ranged(FILE, request),
    )
    const text = await bytesOf(download.bytes({ ranges: { chunkBytes: 128, concurrency: 1 } }))
    expect(text.toString()).toBe(TEXT)
    expect(asked[4]).toBe(asked[3])
    expect(asked[5]).toBe(asked[3])
    expect(new Set(asked).size).toBe(asked.length - 2)
  })

  test('fault 30: a 401 in the middle of a file renews the token once and repeats the same ranges', async () => {
    const refused: string[] = []
    let tokens = 0
    let revoked: string | null = null
    const { download, service, sent } = bootstrapOf({
      service: { ranges: { chunkBytes: 400, concurrency: 4 } },
      between: async (request, forward) => {
        if (request.method === 'POST') {
          tokens++
          // The delay lets every range in flight receive its 401.
          if (tokens === 2) await new Promise(resolve => setTimeout(resolve, 10))
          return forward(request)
        }
        const authorization = request.headers.get('authorization')
        if (request.headers.get('range')?.startsWith('bytes=2000-')) revoked ??= authorization
        if (authorization !== revoked) return forward(request)
        refused.push(request.headers.get('range') ?? '')
        return Response.json({ error: 'invalid_token' }, { status: 401 })
      },
    })
    const compressed = await bytesOf(download.compressed())
    expect(gunzipSync(compressed).length).toBeGreaterThan(compressed.length)
    expect(tokens).toBe(2)
    expect(refused.length).toBeGreaterThan(1)
    const info = await service.feeds.getItemFeed(BOOTSTRAP).info()
    expect(compressed.length).toBe(info.totalBytes)
    // A range is requested once, or twice after a 401; the token twice, and `info` once.
    expect(sent.length).toBe(Math.ceil(compressed.length / 400) + refused.length + 2 + 1)
  })

  test('fault 30: a token that is refused again ends the download', async () => {
    const { download, asked } = serving(() =>
      Response.json({ error: 'invalid_token' }, { status: 401 }),
    )
    const error = await failureOf(download.rows().toArray())
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      retryable: false,
      context: { operation: 'getItemFeed', status: 401 },
    })
    expect(asked.length).toBe(2)
  })

  test('a file that is replaced while it is read is read again from its start', async () => {
    const other = Uint8Array.from(gzipSync(TEXT.replaceAll('title 0', 'other title')))
    const { download } = serving((request, index) => ranged(index < 3 ? FILE : other, request))
    const rows = await download.rows({ ranges: { chunkBytes: 128, concurrency: 1 } }).toArray()
    expect(rows[0]?.get('title')).toBe('other title')
    expect(rows.length).toBe(200)
  })
})

describe('fault 37: the size in the catalog does not count', () => {
  test.each([0, 1, -2_147_483_648, 2_147_483_647, 3_000_000_000, 12.5])(
    'fault 37: the size %d has no effect',
    async size => {
      const { service } = serving(request => {
        if (request.url.includes('/download')) return ranged(FILE, request)
        return Response.json({ fileMetadata: [{ fileId: 'f1', size }] })
      })
      const [file] = await service.catalog.getFiles({ marketplace: 'MKT_US' }).toArray()
      expect(file).toEqual({ fileId: 'f1', size })
      const download = service.catalog.downloadFile({ marketplace: 'MKT_US', fileId: file!.fileId })
      expect(await bytesOf(download.compressed({ ranges: { chunkBytes: 300 } }))).toEqual(
        Buffer.from(FILE),
      )
      expect((await download.info()).totalBytes).toBe(FILE.length)
    },
  )
})

test('fault 87: a file has a name for storing', () => {
  const { service } = bootstrapOf()
  const download = service.catalog.downloadFile({ marketplace: 'MKT_US', fileId: 'a..b' })
  expect(download.fileName).toBe('downloadFile.MKT_US.a%2E%2Eb.tsv.gz')
  expect(service.feeds.getItemFeed(BOOTSTRAP).fileName).toBe(
    'getItemFeed.MKT_US.220.ALL_ACTIVE.tsv.gz',
  )
})
