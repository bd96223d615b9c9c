import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ChunkWindow } from '../../../src/codec/range/chunk-window'
import type { ErrorCode, FeedError } from '../../../src/errors'
import { ChunkReassembler } from '../../../src/stages/chunk-reassembler'
import { Gunzip } from '../../../src/stages/gunzip'
import { RangeFetcher } from '../../../src/stages/range/range-fetcher'
import type { RangeFetcherOptions } from '../../../src/stages/range/range-settings'
import { LAST_MODIFIED, type Reply, reset, type Script, ScriptedTransport, sampleFile } from '../scripted-transport'

const URL_ = 'http://feed.test/file?date=20240101'

function fetcherOver(transport: ScriptedTransport, options: Partial<RangeFetcherOptions> = {}): RangeFetcher {
  return new RangeFetcher({
    url: URL_,
    transport,
    chunkBytes: 20,
    concurrency: 3,
    windowBytes: 60,
    // A wait of no time counts as one millisecond: five attempts.
    patienceMs: 4,
    backoffBaseMs: 0,
    backoffCapMs: 1,
    retryAfterCapMs: 5,
    ...options,
  })
}

/** The file as a reader of the two stages gets it. */
async function bytesOf(fetcher: RangeFetcher, windowBytes = 60): Promise<Uint8Array> {
  const ordered = new ChunkReassembler({ windowBytes })
  fetcher.on('error', error => ordered.destroy(error))
  const parts: Uint8Array[] = []
  for await (const part of fetcher.pipe(ordered)) parts.push(part)
  return Uint8Array.from(Buffer.concat(parts))
}

async function failureOf(fetcher: RangeFetcher, code: ErrorCode): Promise<FeedError> {
  const failure = (await bytesOf(fetcher).then(
    () => expect.unreachable('it succeeded'),
    error => error,
  )) as FeedError
  expect(failure.code).toBe(code)
  return failure
}

/** Answers request `index` with `reply`, the others honestly. */
const at =
  (index: number, reply: (asked: { start: number; end: number }) => Reply | Error): Script =>
  asked =>
    asked.index === index ? reply(asked) : undefined

const file = sampleFile(100)
const part = (start: number, end: number, contentRange: string, extra: Record<string, string> = {}): Reply => ({
  status: 206,
  headers: { 'content-range': contentRange, ...extra },
  body: [file.slice(start, end)],
})

afterEach(() => vi.useRealTimers())

describe('a good server', () => {
  test('gives the file, its facts, and identity requests with the caller’s headers', async () => {
    const transport = new ScriptedTransport(file)
    const fetcher = fetcherOver(transport, { headers: { Authorization: 'Bearer t', range: 'bytes=5-6', 'ACCEPT-encoding': 'gzip' } })
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(await fetcher.info).toEqual({ totalBytes: 100, lastModified: LAST_MODIFIED, empty: false })
    expect(transport.requests.map(asked => [asked.start, asked.end])).toEqual([0, 20, 40, 60, 80].map(start => [start, start + 20]))
    expect(transport.requests[0]?.headers).toEqual({ Authorization: 'Bearer t', Range: 'bytes=0-19', 'Accept-Encoding': 'identity' })
    expect(transport.open).toBe(0)
    expect(fetcher.heldBytes).toBe(0)
  })

  test('one request learns the total, then several run at once', async () => {
    let [running, most] = [0, 0]
    const transport: ScriptedTransport = new ScriptedTransport(file, async () => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 2))
      running--
      return undefined
    })
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(most).toBe(3)
  })

  test('fault 35: ranges above the service maximum are split', async () => {
    const transport = new ScriptedTransport(file)
    expect(await bytesOf(fetcherOver(transport, { chunkBytes: 50, maxRangeBytes: 11 }))).toEqual(file)
    expect(Math.max(...transport.requests.map(asked => asked.end - asked.start))).toBe(11)
    expect(transport.requests.length).toBe(10)
  })

  test('starts nothing before somebody reads, and nothing more behind a stopped reader', async () => {
    const transport = new ScriptedTransport(sampleFile(1000))
    const fetcher = fetcherOver(transport)
    expect(transport.requests.length).toBe(0)
    await new Promise<void>(resolve => {
      fetcher.once('readable', resolve)
      fetcher.read()
    })
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(transport.deliveredBytes).toBe(60)
    expect(fetcher.heldBytes).toBe(60)
    fetcher.destroy()
    await expect(fetcher.info).resolves.toMatchObject({ totalBytes: 1000 })
  })
})

describe('what a range is answered with', () => {
  test('fault 1: a whole body to a range past 0 is skipped to the offset', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => (asked.start > 0 ? transport.whole() : undefined))
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.open).toBe(0)
  })

  test('fault 1: a whole body of another size is another file', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(
      file,
      at(1, () => ({ status: 200, headers: { 'content-length': '99' }, body: [file.slice(0, 99)] })),
    )
    await failureOf(fetcherOver(transport, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
  })

  test('fault 2: 200 with Content-range is a 206', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => ({ ...transport.honest(asked), status: 200 }))
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.requests.length).toBe(5)
  })

  test('fault 3: a 206 that starts elsewhere', async () => {
    const error = await failureOf(
      fetcherOver(
        new ScriptedTransport(
          file,
          at(2, () => part(41, 60, '41-59/100')),
        ),
      ),
      'RANGE_START_MISMATCH',
    )
    expect(error.context).toEqual({ url: URL_, byteOffset: 40, received: 41 })
  })

  test('fault 4: a 206 of 0-N/N to a middle range', async () => {
    await failureOf(
      fetcherOver(
        new ScriptedTransport(
          file,
          at(2, () => part(0, 100, '0-99/100')),
        ),
      ),
      'RANGE_START_MISMATCH',
    )
  })

  test('fault 5: an earlier end keeps the prefix and asks for the rest', async () => {
    const transport = new ScriptedTransport(
      file,
      at(1, () => part(20, 33, '20-32/100')),
    )
    expect(await bytesOf(fetcherOver(transport, { concurrency: 1 }))).toEqual(file)
    expect(transport.requests[2]).toMatchObject({ start: 33, end: 40 })
  })

  test('fault 7: an unknown total is done only when a 416 proves it', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
      const reply = transport.honest(asked)
      return reply.status === 206
        ? { ...reply, headers: { 'content-range': `${asked.start}-${Math.min(asked.end, 100) - 1}/*` } }
        : undefined
    })
    const fetcher = fetcherOver(transport)
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(transport.requests.at(-1)).toMatchObject({ start: 100, end: 120 })
    expect(transport.requests.length).toBe(6)
  })

  test('fault 7: an unknown total without proof does not end well', async () => {
    const transport = new ScriptedTransport(file, ({ start, end }) =>
      start < 100 ? part(start, end, `${start}-${end - 1}/*`) : { status: 416, headers: { 'content-range': '*/*' } },
    )
    await failureOf(fetcherOver(transport), 'RANGE_UNSATISFIABLE')
  })

  test.each([
    ['missing', {}, 'RANGE_HEADER_MISSING'],
    ['twice', { 'content-range': 'bytes 20-39/100, bytes 20-39/100' }, 'RANGE_HEADER_MISSING'],
    ['garbage', { 'content-range': 'bytes 20 to 39' }, 'RANGE_HEADER_INVALID'],
  ] as const)('fault 8: Content-range %s', async (_, headers, code) => {
    const transport = new ScriptedTransport(
      file,
      at(1, () => ({ status: 206, headers, body: [file.slice(20, 40)] })),
    )
    const error = await failureOf(fetcherOver(transport), code)
    expect(error.context).toMatchObject({ byteOffset: 20 })
  })

  test('fault 9: with and without the unit', async () => {
    const transport = new ScriptedTransport(file, ({ start, end }) =>
      part(start, end, `${start % 40 ? 'bytes ' : ''}${start}-${end - 1}/100`),
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
  })

  test('fault 10: numbers past 2^53', async () => {
    await failureOf(fetcherOver(new ScriptedTransport(file, () => part(0, 20, '0-19/9007199254740993'))), 'RANGE_HEADER_INVALID')
  })

  test('fault 18: an echoed, unclamped end', async () => {
    const transport = new ScriptedTransport(file, ({ start, end }) => ({ ...part(start, end, `${start}-${end - 1}/100`), status: 200 }))
    expect(await bytesOf(fetcherOver(transport, { chunkBytes: 60, concurrency: 1 }))).toEqual(file)
    const small = new ScriptedTransport(file, () => ({ ...part(0, 100, '0-209715199/100'), status: 200 }))
    expect(await bytesOf(fetcherOver(small, { chunkBytes: 209_715_200, windowBytes: 209_715_200, maxRangeBytes: 209_715_200 }))).toEqual(
      file,
    )
    expect(small.requests.length).toBe(1)
  })

  test('fault 26: 204 and a total of 0 are an empty result', async () => {
    const replies: Reply[] = [
      { status: 204 },
      { status: 200, headers: { 'content-range': '*/0' } },
      { status: 206, headers: { 'content-range': 'bytes 0-0/0' } },
      { status: 416, headers: { 'content-range': '*/0' } },
    ]
    for (const reply of replies) {
      const fetcher = fetcherOver(new ScriptedTransport(file, () => reply))
      expect(await bytesOf(fetcher)).toHaveLength(0)
      expect(await fetcher.info).toEqual({ totalBytes: 0, empty: true })
    }
  })

  const DATED = { 'last-modified': LAST_MODIFIED, etag: '"a"' }
  const EMPTY_BODIES: [string, Reply][] = [
    ['of a stated length of 0', { status: 200, headers: { 'content-length': '0' } }],
    ['of a stated length of 0, with a date and an entity tag', { status: 200, headers: { 'content-length': '0', ...DATED } }],
    ['that ends at once', { status: 200, body: [] }],
    ['that ends at once, with a date and an entity tag', { status: 200, headers: DATED, body: [new Uint8Array()] }],
  ]

  test.each(EMPTY_BODIES)('fault 89: a 200 without a byte, %s, is asked for again, and then served', async (_, reply) => {
    const transport = new ScriptedTransport(file, asked => (asked.index < 3 ? reply : undefined))
    const fetcher = fetcherOver(transport)
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(await fetcher.info).toMatchObject({ totalBytes: 100, lastModified: LAST_MODIFIED, empty: false })
  })

  test.each(EMPTY_BODIES)('fault 89: a 200 without a byte, %s, that lasts is typed, and may be tried later', async (_, reply) => {
    const transport = new ScriptedTransport(file, () => reply)
    const error = await failureOf(fetcherOver(transport), 'RANGE_RETRIES_EXHAUSTED')
    expect(error).toMatchObject({ retryable: true, cause: { code: 'HTTP_TRANSPORT', retryable: true } })
    expect(transport.requests.length).toBeGreaterThan(2)
    expect(transport.open).toBe(0)
  })

  test.each(EMPTY_BODIES)('fault 89: a 200 without a byte, %s, in the middle of a file', async (_, reply) => {
    const transport = new ScriptedTransport(
      file,
      at(2, () => reply),
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
  })

  test.each(['text/html; charset=utf-8', 'application/json', 'application/problem+json'])(
    'fault 34: %s in a 200 or 206',
    async contentType => {
      const body = [new TextEncoder().encode('<html>login</html>')]
      for (const reply of [
        { status: 200, headers: { 'content-type': contentType }, body },
        { status: 206, headers: { 'content-type': contentType, 'content-range': '0-17/100' }, body },
      ]) {
        const error = await failureOf(fetcherOver(new ScriptedTransport(file, () => reply)), 'HTTP_CONTENT_TYPE')
        expect(error.context).toMatchObject({ contentType, excerpt: '<html>login</html>', byteOffset: 0 })
      }
    },
  )

  test('fault 34: a page that calls itself a file is known by its first bytes, before any is handed out', async () => {
    const page = new TextEncoder().encode('{"errors":[]}'.repeat(9))
    for (const script of [undefined, () => ({ status: 200, body: [page.slice(0, 1), page.slice(1)] })] satisfies (Script | undefined)[]) {
      const fetcher = fetcherOver(new ScriptedTransport(page, script))
      await failureOf(fetcher, 'HTTP_CONTENT_TYPE')
      expect(fetcher.counters.itemsOut).toBe(0)
    }
    const fetcher = fetcherOver(new ScriptedTransport(page), { signature: null })
    expect(await bytesOf(fetcher)).toEqual(Uint8Array.from(page))
  })
})

describe('fault 36: a server that ignores ranges', () => {
  test('fault 36: is streamed in one request, never held whole', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, () => transport.whole())
    const fetcher = fetcherOver(transport, { windowBytes: 20 })
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(transport.requests.length).toBe(1)
    expect(await fetcher.info).toMatchObject({ totalBytes: 100 })
  })

  test('fault 36: is resumed by skipping to the offset, from every byte', async () => {
    for (let cut = 0; cut <= 100; cut++) {
      const transport: ScriptedTransport = new ScriptedTransport(file, ({ index }) =>
        index === 0 ? { ...transport.whole(), body: [...transport.parts(0, cut), reset()] } : transport.whole(),
      )
      expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    }
  })

  test('fault 36: goes over to ranges when the resumed request is answered with one', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(
      file,
      at(0, () => ({ ...transport.whole(), body: [...transport.parts(0, 33), reset()] })),
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.requests.map(asked => asked.start)).toEqual([0, 33, 53, 73, 93])
  })

  test('fault 36: without a length, a clean end is the end, and a resume needs at least what was there', async () => {
    const unsized = (body: Reply['body'] = []): Reply => ({ status: 200, body })
    const plain = new ScriptedTransport(file, () => unsized([file]))
    expect(await bytesOf(fetcherOver(plain))).toEqual(file)
    const shorter: ScriptedTransport = new ScriptedTransport(file, ({ index }) =>
      index === 0 ? unsized([file.slice(0, 50), reset()]) : unsized([file.slice(0, index === 1 ? 40 : 100)]),
    )
    expect(await bytesOf(fetcherOver(shorter))).toEqual(file)
    expect(shorter.requests.length).toBe(3)
    await failureOf(fetcherOver(new ScriptedTransport(file, () => unsized())), 'RANGE_RETRIES_EXHAUSTED')
  })

  test('fault 36: a 416 that names what was streamed ends it', async () => {
    const transport = new ScriptedTransport(
      file,
      at(0, () => ({ status: 200, body: [file, reset()] })),
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.requests.length).toBe(2)
  })

  test('fault 36: another file in the middle is refused', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, ({ index }) =>
      index === 0
        ? { ...transport.whole(), body: [...transport.parts(0, 33), reset()] }
        : { ...transport.whole(), headers: { 'content-length': '100', 'last-modified': 'Mon, 07 Nov 1994 08:49:37 GMT' } },
    )
    await failureOf(fetcherOver(transport), 'RANGE_FILE_REPLACED')
  })
})

describe('the file is replaced', () => {
  const other = sampleFile(120)
  const newer = { 'last-modified': 'Mon, 07 Nov 1994 08:49:37 GMT' }
  const withEtag = (reply: Reply, etag: string): Reply => ({ ...reply, headers: { ...reply.headers, etag } })
  /** The answers of `then` once the second request is there, so that nothing was handed out before. */
  const swap = (then: (transport: ScriptedTransport, asked: { start: number; end: number; index: number }) => Reply) => {
    const transport: ScriptedTransport = new ScriptedTransport(file, async asked => {
      if (asked.index > 0) return then(transport, asked)
      // The first range does not complete before the others were answered.
      return { ...transport.honest(asked), body: [...transport.parts(0, 14), 'stall'] } as Reply
    })
    return transport
  }

  test('fault 6: a changed total restarts once, before anything was handed out', async () => {
    const transport = swap((self, asked) => {
      self.file = other
      return self.honest(asked)
    })
    const fetcher = fetcherOver(transport)
    expect(await bytesOf(fetcher)).toEqual(other)
    expect(await fetcher.info).toMatchObject({ totalBytes: 120 })
    expect(transport.requests.filter(asked => asked.start === 0).length).toBe(2)
  })

  test('fault 6: a second change is typed, and so is one after the first piece', async () => {
    const twice = new ScriptedTransport(file, ({ start, end, index }) =>
      start === 0
        ? { ...part(0, 20, '0-19/100'), body: [file.slice(0, 7), 'stall'] }
        : part(start, end, `${start}-${end - 1}/${101 + index}`),
    )
    const error = await failureOf(fetcherOver(twice), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ what: 'total', before: '100' })
    expect(error.retryable).toBe(true)
    expect(twice.requests.filter(asked => asked.start === 0).length).toBe(2)
    const late = new ScriptedTransport(
      file,
      at(3, ({ start, end }) => part(start, end, `${start}-${end - 1}/101`)),
    )
    await failureOf(fetcherOver(late, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(late.requests.length).toBe(4)
  })

  test('fault 11: a changed Last-Modified', async () => {
    const late = new ScriptedTransport(
      file,
      at(3, ({ start, end }) => part(start, end, `${start}-${end - 1}/100`, newer)),
    )
    const error = await failureOf(fetcherOver(late, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ what: 'last-modified', before: LAST_MODIFIED, after: newer['last-modified'] })
    const early = swap((self, asked) => ({ ...self.honest(asked), headers: { ...self.honest(asked).headers, ...newer } }))
    expect(await bytesOf(fetcherOver(early))).toEqual(file)
  })

  test('fault 11: is seen on a resume inside one chunk, too', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, ({ index, start, end }) => {
      if (index === 1) return { ...part(20, 26, '20-39/100', { 'last-modified': LAST_MODIFIED }), body: [file.slice(20, 26), reset()] }
      return index === 2 ? part(start, end, `${start}-${end - 1}/100`, newer) : undefined
    })
    const error = await failureOf(fetcherOver(transport, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ byteOffset: 26 })
  })

  test('fault 13: a changed strong ETag', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked =>
      withEtag(transport.honest(asked), asked.index < 3 ? '"a"' : '"b"'),
    )
    const fetcher = fetcherOver(transport, { concurrency: 1 })
    const error = await failureOf(fetcher, 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ what: 'etag', before: '"a"', after: '"b"' })
    expect(await fetcher.info).toMatchObject({ etag: '"a"' })
  })

  test('fault 14: a weak ETag is no validator', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => withEtag(transport.honest(asked), `W/"${asked.index}"`))
    const fetcher = fetcherOver(transport)
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(await fetcher.info).not.toHaveProperty('etag')
  })

  test('fault 24: a 416 with another total', async () => {
    const gone = (): Reply => ({ status: 416, headers: { 'content-range': '*/50' } })
    const error = await failureOf(fetcherOver(new ScriptedTransport(file, at(3, gone)), { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ what: 'total', before: '100', after: '50' })
    const early: ScriptedTransport = swap((self, asked) => (asked.index === 1 ? gone() : self.honest(asked)))
    expect(await bytesOf(fetcherOver(early))).toEqual(file)
  })
})

describe('bodies that end wrongly', () => {
  test('fault 15: body shorter than Content-Length resumes at the exact byte', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(
      file,
      at(1, asked => ({ ...transport.honest(asked), body: [file.slice(20, 31), reset()] })),
    )
    expect(await bytesOf(fetcherOver(transport, { concurrency: 1 }))).toEqual(file)
    expect(transport.requests[2]).toMatchObject({ start: 31, end: 40 })
  })

  test('fault 16: short body with a clean end resumes', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(
      file,
      at(1, asked => ({ ...transport.honest(asked), body: [file.slice(20, 31)] })),
    )
    expect(await bytesOf(fetcherOver(transport, { concurrency: 1 }))).toEqual(file)
    expect(transport.requests[2]).toMatchObject({ start: 31, end: 40 })
  })

  test('fault 19: an over-long body is dropped once, typed if it repeats', async () => {
    const overlong = (asked: { start: number; end: number }): Reply =>
      part(asked.start, asked.end + 5, `${asked.start}-${asked.end - 1}/100`)
    const once = new ScriptedTransport(file, at(1, overlong))
    expect(await bytesOf(fetcherOver(once, { concurrency: 1 }))).toEqual(file)
    expect(once.requests.map(asked => asked.start)).toEqual([0, 20, 20, 40, 60, 80])
    const always = new ScriptedTransport(file, asked => (asked.start === 20 ? overlong(asked) : undefined))
    const fetcher = fetcherOver(always, { concurrency: 1 })
    const error = await failureOf(fetcher, 'RANGE_BODY_TOO_LONG')
    expect(error.context).toEqual({ url: URL_, byteOffset: 20, expectedBytes: 20 })
    expect(fetcher.counters.bytesOut).toBe(20)
  })

  test('fault 19: what was received before the over-long body is dropped with it', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
      if (asked.index === 1) return { ...transport.honest(asked), body: [file.slice(20, 30), reset()] }
      return asked.index === 2 ? part(30, 45, '30-39/100') : undefined
    })
    expect(await bytesOf(fetcherOver(transport, { concurrency: 1 }))).toEqual(file)
    expect(transport.requests[3]).toMatchObject({ start: 20, end: 40 })
  })

  test('fault 20: a repeated Content-Length', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => ({
      ...transport.honest(asked),
      headers: { ...transport.honest(asked).headers, 'content-length': '20, 20' },
    }))
    const error = await failureOf(fetcherOver(transport), 'HTTP_CONTENT_LENGTH')
    expect(error.context).toMatchObject({ received: '20, 20' })
  })

  test('fault 21: reset or end at every byte of a small file gives identical output', async () => {
    const small = sampleFile(45)
    for (const ending of [[], [reset()]]) {
      for (let cut = 0; cut <= 45; cut++) {
        const seen = new Set<number>()
        const transport: ScriptedTransport = new ScriptedTransport(small, asked => {
          const { start, end } = asked
          if (seen.has(start) || cut < start || cut > Math.min(end, 45)) return undefined
          seen.add(start)
          return { ...transport.honest(asked), body: [...transport.parts(start, cut), ...ending] }
        })
        expect(await bytesOf(fetcherOver(transport, { chunkBytes: 15 }))).toEqual(small)
        expect(seen.size).toBeGreaterThan(0)
      }
    }
  })

  test('fault 22: every resume continues from the newest offset', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => ({
      ...transport.honest(asked),
      body: [file.slice(asked.start, Math.min(asked.start + 6, asked.end, 100)), reset()],
    }))
    expect(await bytesOf(fetcherOver(transport, { concurrency: 1, patienceMs: 1 }))).toEqual(file)
    expect(transport.requests.slice(0, 6).map(asked => asked.start)).toEqual([0, 6, 12, 18, 20, 26])
  })

  test('fault 31: a stalled body is given up after the idle limit and resumed', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(
      file,
      at(1, asked => ({ ...transport.honest(asked), body: [file.slice(20, 29), 'stall'] })),
    )
    expect(await bytesOf(fetcherOver(transport, { idleMs: 10, concurrency: 1 }))).toEqual(file)
    expect(transport.requests[2]).toMatchObject({ start: 29, end: 40 })
    expect(transport.open).toBe(0)
  })

  test('fault 31: a server that never answers is typed when it goes on', async () => {
    const fetcher = fetcherOver(new ScriptedTransport(file, () => 'stall'), { headersTimeoutMs: 5, patienceMs: 1 })
    const error = await failureOf(fetcher, 'RANGE_RETRIES_EXHAUSTED')
    expect(error.cause).toMatchObject({ code: 'HTTP_TIMEOUT', context: { phase: 'headers', limitMs: 5, byteOffset: 0 } })
  })

  test('fault 31: the idle limit does not run while the reader is paused', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, () => transport.whole())
    const fetcher = fetcherOver(transport, { idleMs: 10 })
    for await (const piece of fetcher) if (piece.offset < 21) await new Promise(resolve => setTimeout(resolve, 30))
    expect(transport.requests.length).toBe(1)
  })
})

describe('statuses', () => {
  const json = (status: number, error: object, headers: Record<string, string> = {}): Reply => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [new TextEncoder().encode(JSON.stringify(error))],
  })

  test('fault 23: a 416 whose total is what we have is the end', async () => {
    const transport = new ScriptedTransport(file, ({ start, end }) => (start < 100 ? part(start, end, `${start}-${end - 1}/*`) : undefined))
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.requests.at(-1)?.start).toBe(100)
  })

  test('fault 25: 416, or 400 with 13017, without a total is fatal', async () => {
    for (const reply of [{ status: 416 }, json(400, { errorId: 13017 }), json(416, { errors: [{ errorId: 13017 }] })]) {
      const transport = new ScriptedTransport(
        file,
        at(1, () => reply),
      )
      const error = await failureOf(fetcherOver(transport, { concurrency: 1 }), 'RANGE_UNSATISFIABLE')
      expect(error.context).toMatchObject({ byteOffset: 20, status: reply.status })
      expect(error.retryable).toBe(false)
      expect(transport.requests.length).toBe(2)
    }
  })

  test('a strict server that refuses an end past the file’s is asked again within it', async () => {
    const small = sampleFile(10)
    const transport = new ScriptedTransport(small, ({ end }) =>
      end > 10 ? { status: 416, headers: { 'content-range': '*/10' } } : undefined,
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(small)
    expect(transport.requests.map(asked => asked.end)).toEqual([20, 10])
  })

  test.each([404, 400])('fault 27: 13007 as %i is retried, 14004 is fatal', async status => {
    const transport = new ScriptedTransport(
      file,
      at(0, () => json(status, { errorId: 13007 })),
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    const expired = new ScriptedTransport(file, () => json(404, { errorId: 14004, category: 'REQUEST', message: 'expired' }))
    const error = await failureOf(fetcherOver(expired), 'HTTP_STATUS')
    expect(error.context).toEqual({ url: URL_, status: 404, errorId: 14004, category: 'REQUEST', message: 'expired', byteOffset: 0 })
    expect(error.retryable).toBe(false)
    expect(expired.requests.length).toBe(1)
  })

  test('fault 28: 429 and 503 wait as Retry-After says, up to the cap', async () => {
    vi.useFakeTimers()
    const now = new Date(LAST_MODIFIED)
    const waits: [string, number][] = [
      ['0', 100],
      ['3', 3000],
      ['99999', 5000],
      ['Sun, 06 Nov 1994 08:49:39 GMT', 2000],
      ['Sun, 06 Nov 1994 08:00:00 GMT', 100],
      ['soon', 100],
    ]
    for (const [index, [retryAfter, waitMs]] of waits.entries()) {
      const transport = new ScriptedTransport(
        file,
        at(0, () => ({ status: index % 2 ? 429 : 503, headers: { 'retry-after': retryAfter } })),
      )
      const options = {
        patienceMs: 30_000,
        backoffBaseMs: 100,
        backoffCapMs: 1000,
        retryAfterCapMs: 5000,
        random: () => 1 - Number.EPSILON,
        now,
      }
      const reading = bytesOf(fetcherOver(transport, options))
      await vi.advanceTimersByTimeAsync(waitMs - 1)
      expect(transport.requests.length).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(transport.requests.length).toBeGreaterThan(1)
      expect(await reading).toEqual(file)
    }
  })

  test('fault 29: 500-13006 in the middle of a file retries that chunk', async () => {
    const transport = new ScriptedTransport(
      file,
      at(2, () => json(500, { errorId: 13006 })),
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.requests.filter(asked => asked.start === 40).length).toBe(2)
    expect(transport.requests.length).toBe(6)
  })

  test('attempts without progress are counted, then typed with the last failure as the cause', async () => {
    const transport = new ScriptedTransport(file, ({ start }) => (start === 20 ? json(500, { errorId: 13006 }) : undefined))
    const error = await failureOf(fetcherOver(transport, { patienceMs: 2 }), 'RANGE_RETRIES_EXHAUSTED')
    expect(error.context).toEqual({ url: URL_, byteOffset: 20, attempts: 3 })
    expect(error.cause).toMatchObject({ code: 'HTTP_STATUS', context: { status: 500, errorId: 13006 } })
    expect(transport.requests.filter(asked => asked.start === 20).length).toBe(3)
  })

  test('401 asks for headers once more per request, then is fatal', async () => {
    const reasons: string[] = []
    const headers = async (reason: string) => {
      reasons.push(reason)
      return { Authorization: `Bearer ${reason}` }
    }
    const transport = new ScriptedTransport(file, ({ start, headers: sent }) =>
      start === 20 && sent.Authorization === 'Bearer first' ? { status: 401 } : undefined,
    )
    expect(await bytesOf(fetcherOver(transport, { headers, concurrency: 1 }))).toEqual(file)
    expect(reasons).toEqual(['first', 'first', 'unauthorized', 'first', 'first', 'first'])
    reasons.length = 0
    await failureOf(fetcherOver(new ScriptedTransport(file, () => ({ status: 401 })), { headers }), 'HTTP_STATUS')
    expect(reasons).toEqual(['first', 'unauthorized'])
  })

  test('a header function that fails is not retried, and one that hangs times out', async () => {
    const transport = new ScriptedTransport(file)
    const failing = fetcherOver(transport, { headers: () => Promise.reject(new TypeError('no token')) })
    await failureOf(failing, 'STAGE_FAILED')
    const hanging = fetcherOver(transport, { headers: () => new Promise(() => {}), headersTimeoutMs: 5, patienceMs: 1 })
    await failureOf(hanging, 'RANGE_RETRIES_EXHAUSTED')
    expect(transport.requests.length).toBe(0)
  })
})

describe('ending', () => {
  test('fault 32: abort during backoff is at once and leaves no timer', async () => {
    vi.useFakeTimers()
    const transport = new ScriptedTransport(file, () => ({ status: 503, headers: { 'retry-after': '60' } }))
    const fetcher = fetcherOver(transport, { retryAfterCapMs: 60_000 })
    const closed = vi.fn()
    fetcher.on('close', closed)
    fetcher.read()
    await vi.advanceTimersByTimeAsync(1000)
    expect(transport.requests.length).toBe(1)
    expect(vi.getTimerCount()).toBe(1)
    fetcher.destroy()
    expect(closed).toHaveBeenCalledTimes(1)
    await expect(fetcher.info).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(100_000)
    expect(transport.requests.length).toBe(1)
  })

  test('a destroyed fetcher lets go of every response and timer, wherever it is', async () => {
    for (const stallAt of ['headers', 'body', 'paused'] as const) {
      const transport: ScriptedTransport = new ScriptedTransport(sampleFile(1000), asked => {
        if (asked.index === 0) return undefined
        if (stallAt === 'headers') return 'stall'
        return stallAt === 'body'
          ? { ...transport.honest(asked), body: [...transport.parts(asked.start, asked.start + 3), 'stall'] }
          : undefined
      })
      vi.useFakeTimers()
      const fetcher = fetcherOver(transport)
      fetcher.read()
      await vi.advanceTimersByTimeAsync(50)
      expect(transport.requests.length).toBe(3)
      fetcher.destroy()
      await vi.advanceTimersByTimeAsync(0)
      expect(vi.getTimerCount()).toBe(0)
      expect(transport.open).toBe(0)
      vi.useRealTimers()
    }
  })

  test('a failure of one range ends the others', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
      if (asked.start === 40) return { status: 403 }
      return asked.start === 20 ? { ...transport.honest(asked), body: ['stall'] } : undefined
    })
    await failureOf(fetcherOver(transport), 'HTTP_STATUS')
    await new Promise(resolve => setTimeout(resolve, 5))
    expect(transport.open).toBe(0)
  })
})

test('options are checked at construction', () => {
  expect(() => fetcherOver(new ScriptedTransport(file), { windowBytes: 0 })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
})

test('a transport that throws, or fails with something of its own, is a failed connection', async () => {
  const transport = new ScriptedTransport(file)
  let calls = 0
  const send: ScriptedTransport['send'] = request => {
    if (++calls === 1) throw new TypeError('thrown')
    return calls === 2 ? Promise.reject(new TypeError('rejected')) : transport.send(request)
  }
  const fetcher = new RangeFetcher({ url: URL_, transport: { send }, backoffBaseMs: 0 })
  expect(await bytesOf(fetcher)).toEqual(file)
  expect(calls).toBe(3)
})

test('fault 12: the same second, the same size, other bytes are caught by the gzip trailer', async () => {
  const stored = (fill: number) => gzipSync(Buffer.alloc(1000, fill), { level: 0 })
  const [before, after] = [stored(1), stored(2)]
  expect(before.length).toBe(after.length)
  const transport = new ScriptedTransport(before, asked => {
    if (asked.index === 2) transport.file = after
    return undefined
  })
  const fetcher = fetcherOver(transport, { chunkBytes: 300, windowBytes: 300, concurrency: 1 })
  const spliced = bytesOf(fetcher, 300)
  expect(Buffer.compare(Buffer.from(await spliced), before)).not.toBe(0)
  const gunzip = new Gunzip()
  gunzip.end(await spliced)
  await expect(gunzip.collect()).rejects.toMatchObject({ code: 'GZIP_CRC_MISMATCH' })
})

test('fault 33: ranges that complete out of order come out in order, and the window stays', async () => {
  const transport: ScriptedTransport = new ScriptedTransport(file, async asked => {
    // Of every three ranges in flight the first takes longest.
    await new Promise(resolve => setTimeout(resolve, 6 - 3 * ((asked.start / 20) % 3)))
    return undefined
  })
  const offsets: number[] = []
  const fetcher = fetcherOver(transport)
  const ordered = new ChunkWindow({ windowBytes: 60, totalBytes: 100 })
  const parts: Uint8Array[] = []
  for await (const { offset, bytes } of fetcher) {
    offsets.push(offset)
    parts.push(...ordered.add(offset, bytes))
  }
  ordered.finish()
  expect(offsets).not.toEqual([...offsets].sort((a, b) => a - b))
  expect(Uint8Array.from(Buffer.concat(parts))).toEqual(file)
})

test('for any sizes and faults the file comes out whole and held bytes stay under the window', async () => {
  const faults = fc.array(fc.constantFrom('ok', 'reset', 'short', '500', 'whole', 'refused', 'overlong', 'early'), { maxLength: 12 })
  const sizes = fc.record({
    total: fc.integer({ min: 1, max: 400 }),
    chunkBytes: fc.integer({ min: 1, max: 120 }),
    concurrency: fc.integer({ min: 1, max: 6 }),
    windowBytes: fc.integer({ min: 1, max: 200 }),
    partBytes: fc.integer({ min: 1, max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(sizes, faults, fc.nat(1000), async ({ total, chunkBytes, concurrency, windowBytes, partBytes }, script, cutSeed) => {
      const data = sampleFile(total)
      const transport: ScriptedTransport = new ScriptedTransport(
        data,
        asked => {
          const reply = transport.honest(asked)
          const end = Math.min(asked.end, total)
          const cut = asked.start + ((cutSeed + asked.index) % (end - asked.start + 1))
          switch (script[asked.index]) {
            case 'reset':
              return { ...reply, body: [...transport.parts(asked.start, cut), reset()] }
            case 'short':
              return { ...reply, body: transport.parts(asked.start, cut) }
            case '500':
              return { status: 500 }
            case 'whole':
              return transport.whole()
            case 'refused':
              return reset()
            case 'overlong':
              // One over-long body a file: a second one for the same range is a typed end.
              return script.indexOf('overlong') === asked.index ? { ...reply, body: [...(reply.body ?? []), data.slice(0, 3)] } : undefined
            case 'early':
              return cut > asked.start
                ? { ...reply, headers: { 'content-range': `${asked.start}-${cut - 1}/${total}` }, body: transport.parts(asked.start, cut) }
                : undefined
          }
          return undefined
        },
        partBytes,
      )
      const fetcher = fetcherOver(transport, { chunkBytes, concurrency, windowBytes, patienceMs: 20_000 })
      const ordered = new ChunkWindow({ windowBytes, totalBytes: total })
      let [mostHeld, mostReserved] = [0, 0]
      transport.onDeliver = () => {
        mostHeld = Math.max(mostHeld, fetcher.heldBytes)
      }
      transport.onRequest = asked => {
        mostReserved = Math.max(mostReserved, asked.end - fetcher.counters.bytesOut)
      }
      const parts: Uint8Array[] = []
      for await (const piece of fetcher) parts.push(...ordered.add(piece.offset, piece.bytes))
      ordered.finish()
      expect(Uint8Array.from(Buffer.concat(parts))).toEqual(data)
      expect(mostHeld).toBeLessThanOrEqual(windowBytes)
      expect(mostReserved).toBeLessThanOrEqual(windowBytes)
      expect(transport.open).toBe(0)
      expect(fetcher.heldBytes).toBe(0)
    }),
    { numRuns: 300 },
  )
})
