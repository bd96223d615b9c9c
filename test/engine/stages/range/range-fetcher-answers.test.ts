// The answers to a range request and what RangeFetcher does with them. The numbers of faults are
// those of test/README.md.

import { describe, expect, test } from 'vitest'
import { pipeline } from '../../../../src/engine/pipeline/pipeline'
import { ChunkReassembler } from '../../../../src/engine/stages/chunk-reassembler'
import { Gunzip } from '../../../../src/engine/stages/gunzip'
import { RangeFetcher } from '../../../../src/engine/stages/range/range-fetcher'
import type { RangeFetcherOptions } from '../../../../src/engine/stages/range/range-settings'
import { TsvRowParser } from '../../../../src/engine/stages/tsv-row-parser'
import {
  DATED,
  LAST_MODIFIED,
  type Reply,
  reset,
  type Script,
  ScriptedTransport,
} from '../scripted-transport'
import {
  at,
  bytesOf,
  failureOf,
  fetcherOver,
  file,
  part,
  SHOWN_URL,
  URL_,
} from './scripted-fetcher'

describe('what a range is answered with', () => {
  test('fault 1: a whole body to a range past 0 is skipped to the offset', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked =>
      asked.start > 0 ? transport.whole() : undefined,
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.open).toBe(0)
  })

  test('fault 1: a whole body of another size is another file', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, ({ index }) =>
      index === 0
        ? undefined
        : { status: 200, headers: { 'content-length': '99' }, body: [file.slice(0, 99)] },
    )
    await failureOf(fetcherOver(transport, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
  })

  test('fault 2: 200 with Content-range is a 206', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => ({
      ...transport.honest(asked),
      status: 200,
    }))
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
    expect(error.context).toEqual({ url: SHOWN_URL, byteOffset: 40, received: 41 })
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
      const range = `${asked.start}-${Math.min(asked.end, 100) - 1}/*`
      const isPart = reply.status === 206
      return { ...reply, headers: { ...DATED, 'content-range': isPart ? range : '*/100' } }
    })
    const fetcher = fetcherOver(transport)
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(transport.requests.at(-1)).toMatchObject({ start: 100, end: 120 })
    expect(transport.requests.length).toBe(6)
  })

  test('fault 7: an unknown total without proof fails', async () => {
    const transport = new ScriptedTransport(file, ({ start, end }) =>
      start < 100
        ? part(start, end, `${start}-${end - 1}/*`)
        : { status: 416, headers: { 'content-range': '*/*' } },
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
    await failureOf(
      fetcherOver(new ScriptedTransport(file, () => part(0, 20, '0-19/9007199254740993'))),
      'RANGE_HEADER_INVALID',
    )
  })

  test('fault 18: an echoed, unclamped end', async () => {
    const transport = new ScriptedTransport(file, ({ start, end }) => ({
      ...part(start, end, `${start}-${end - 1}/100`),
      status: 200,
    }))
    expect(await bytesOf(fetcherOver(transport, { chunkBytes: 60, concurrency: 1 }))).toEqual(file)
    const small = new ScriptedTransport(file, () => ({
      ...part(0, 100, '0-209715199/100'),
      status: 200,
    }))
    expect(
      await bytesOf(
        fetcherOver(small, {
          chunkBytes: 209_715_200,
          windowBytes: 209_715_200,
          maxRangeBytes: 209_715_200,
        }),
      ),
    ).toEqual(file)
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

  const TAGGED = { 'last-modified': LAST_MODIFIED, etag: '"a"' }
  const EMPTY_BODIES: [string, Reply][] = [
    ['of a stated length of 0', { status: 200, headers: { 'content-length': '0' } }],
    [
      'of a stated length of 0, with a date and an entity tag',
      { status: 200, headers: { 'content-length': '0', ...TAGGED } },
    ],
    ['that ends at once', { status: 200, body: [] }],
    [
      'that ends at once, with a date and an entity tag',
      { status: 200, headers: TAGGED, body: [new Uint8Array()] },
    ],
  ]

  test.each(EMPTY_BODIES)(
    'fault 89: a 200 without a byte, %s, is asked for again, and then served',
    async (_, reply) => {
      const transport = new ScriptedTransport(file, asked => (asked.index < 3 ? reply : undefined))
      const fetcher = fetcherOver(transport)
      expect(await bytesOf(fetcher)).toEqual(file)
      expect(await fetcher.info).toMatchObject({
        totalBytes: 100,
        lastModified: LAST_MODIFIED,
        empty: false,
      })
    },
  )

  test.each(EMPTY_BODIES)(
    'fault 89: a 200 without a byte, %s, that lasts is typed, and may be tried later',
    async (_, reply) => {
      const transport = new ScriptedTransport(file, () => reply)
      const error = await failureOf(fetcherOver(transport), 'RANGE_RETRIES_EXHAUSTED')
      expect(error).toMatchObject({
        retryable: true,
        cause: { code: 'HTTP_TRANSPORT', retryable: true },
      })
      expect(transport.requests.length).toBeGreaterThan(2)
      expect(transport.open).toBe(0)
    },
  )

  test.each(EMPTY_BODIES)(
    'fault 89: a 200 without a byte, %s, in the middle of a file',
    async (_, reply) => {
      const transport = new ScriptedTransport(
        file,
        at(2, () => reply),
      )
      expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    },
  )

  test.each(['text/html; charset=utf-8', 'application/json', 'application/problem+json'])(
    'fault 34: %s in a 200 or 206',
    async contentType => {
      const body = [new TextEncoder().encode('<html>login</html>')]
      for (const reply of [
        { status: 200, headers: { 'content-type': contentType }, body },
        {
          status: 206,
          headers: { 'content-type': contentType, 'content-range': '0-17/100' },
          body,
        },
      ]) {
        const error = await failureOf(
          fetcherOver(new ScriptedTransport(file, () => reply)),
          'HTTP_CONTENT_TYPE',
        )
        expect(error.context).toMatchObject({
          contentType,
          excerpt: '<html>login</html>',
          byteOffset: 0,
        })
      }
    },
  )

  test('fault 34: an error page with the media type of a file is refused by its first bytes', async () => {
    const page = new TextEncoder().encode('{"errors":[]}'.repeat(9))
    for (const script of [
      undefined,
      () => ({ status: 200, body: [page.slice(0, 1), page.slice(1)] }),
    ] satisfies (Script | undefined)[]) {
      const fetcher = fetcherOver(new ScriptedTransport(page, script))
      await failureOf(fetcher, 'HTTP_CONTENT_TYPE')
      expect(fetcher.counters.itemsOut).toBe(0)
    }
    const fetcher = fetcherOver(new ScriptedTransport(page), { signature: null })
    expect(await bytesOf(fetcher)).toEqual(Uint8Array.from(page))
  })

  describe('in a pipeline', () => {
    const csv = new TextEncoder().encode('id,title\n1,Lamp\n2,Chair\n')
    const overCsv = (options: Partial<RangeFetcherOptions> = {}) =>
      new RangeFetcher({
        url: URL_,
        transport: new ScriptedTransport(csv),
        retry: { patienceMs: 0, backoffBaseMs: 0 },
        ...options,
      })

    test('a file that a parser reads as it is may begin with any bytes', async () => {
      const rows = await pipeline(overCsv())
        .to(new ChunkReassembler())
        .to(new TsvRowParser({ dialect: { delimiter: ',' } }))
        .map(row => row.get('title'))
        .toArray()
      expect(rows).toEqual(['Lamp', 'Chair'])
    })

    test('fault 34: what Gunzip reads begins as gzip, and the error knows the media type', async () => {
      const zipped = pipeline(overCsv()).to(new ChunkReassembler()).to(new Gunzip())
      await expect(zipped.toArray()).rejects.toMatchObject({
        code: 'HTTP_CONTENT_TYPE',
        message: expect.stringContaining('leave Gunzip out for a file that is not compressed'),
        context: { contentType: expect.any(String), excerpt: 'id,titl' },
      })
    })

    test('the option signature comes before what the stages require', async () => {
      const unchecked = pipeline(overCsv({ signature: null }))
        .to(new ChunkReassembler())
        .to(new Gunzip())
      await expect(unchecked.toArray()).rejects.toMatchObject({ code: 'GZIP_HEADER_INVALID' })
      const other = pipeline(overCsv({ signature: Uint8Array.of(0x50) })).to(new ChunkReassembler())
      await expect(other.toArray()).rejects.toMatchObject({ code: 'HTTP_CONTENT_TYPE' })
    })
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
        index === 0
          ? { ...transport.whole(), body: [...transport.parts(0, cut), reset()] }
          : transport.whole(),
      )
      expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    }
  })

  test('fault 36: continues by ranges where the repeated request is answered with one', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(
      file,
      at(0, () => ({ ...transport.whole(), body: [...transport.parts(0, 33), reset()] })),
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.requests.map(asked => asked.start)).toEqual([0, 33, 53, 73, 93])
  })

  test('fault 36: without a length, the end of the body is the end of the file', async () => {
    const unsized = (body: Reply['body'] = []): Reply => ({ status: 200, body })
    const accepting = { acceptUnknownEnd: true }
    const plain = new ScriptedTransport(file, () => unsized([file]))
    expect(await bytesOf(fetcherOver(plain, accepting))).toEqual(file)
    const shorter: ScriptedTransport = new ScriptedTransport(file, ({ index }) =>
      index === 0
        ? unsized([file.slice(0, 50), reset()])
        : unsized([file.slice(0, index === 1 ? 40 : 100)]),
    )
    expect(await bytesOf(fetcherOver(shorter, accepting))).toEqual(file)
    expect(shorter.requests.length).toBe(3)
    await failureOf(
      fetcherOver(new ScriptedTransport(file, () => unsized())),
      'RANGE_RETRIES_EXHAUSTED',
    )
  })

  test('fault 36: a 416 with the streamed bytes as its total ends the file', async () => {
    const transport = new ScriptedTransport(file, ({ index }) =>
      index === 0
        ? { status: 200, headers: DATED, body: [file, reset()] }
        : { status: 416, headers: { ...DATED, 'content-range': '*/100' } },
    )
    expect(await bytesOf(fetcherOver(transport, { acceptUnknownEnd: true }))).toEqual(file)
    expect(transport.requests.length).toBe(2)
  })

  test('fault 36: another file in the middle is refused', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, ({ index }) =>
      index === 0
        ? { ...transport.whole(), body: [...transport.parts(0, 33), reset()] }
        : {
            ...transport.whole(),
            headers: { 'content-length': '100', 'last-modified': 'Mon, 07 Nov 1994 08:49:37 GMT' },
            body: [file.map(byte => byte ^ 1)],
          },
    )
    await failureOf(fetcherOver(transport), 'RANGE_FILE_REPLACED')
  })
})
