// The failures after which RangeFetcher repeats a request or fails: a replaced file, bodies with a
// wrong end, and statuses.

import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  DATED,
  LAST_MODIFIED,
  type Reply,
  reset,
  ScriptedTransport,
  sampleFile,
} from '../scripted-transport'
import { at, bytesOf, failureOf, fetcherOver, file, part, SHOWN_URL } from './scripted-fetcher'

afterEach(() => vi.useRealTimers())

describe('the file is replaced', () => {
  const other = sampleFile(120)
  const newer = { 'last-modified': 'Mon, 07 Nov 1994 08:49:37 GMT' }
  /** From request `from` on, another file of the same size with these headers stands there. */
  const otherFrom = (from: number, headers: Record<string, string>) => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
      if (asked.index < from) return undefined
      transport.file = file.map((byte, n) => (n < 2 ? byte : byte ^ 1))
      const reply = asked.whole ? transport.whole() : transport.honest(asked)
      return { ...reply, headers: { ...reply.headers, ...headers } }
    })
    return transport
  }
  const withEtag = (reply: Reply, etag: string): Reply => ({
    ...reply,
    headers: { ...reply.headers, etag },
  })
  /**
   * Answers by `then` after the second request has come, so that nothing was handed out before.
   */
  const swap = (
    then: (
      transport: ScriptedTransport,
      asked: { start: number; end: number; index: number },
    ) => Reply,
  ) => {
    const transport: ScriptedTransport = new ScriptedTransport(file, async asked => {
      if (asked.index > 0) return then(transport, asked)
      // The first range completes after the others were answered.
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
    const twice = new ScriptedTransport(file, ({ start, end, index, whole }) =>
      whole
        ? { status: 400 }
        : start === 0
          ? { ...part(0, 20, '0-19/100'), body: [file.slice(0, 7), 'stall'] }
          : part(start, end, `${start}-${end - 1}/${101 + index}`),
    )
    const error = await failureOf(fetcherOver(twice), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ what: 'total', before: '100' })
    expect(error.retryable).toBe(true)
    expect(twice.requests.filter(asked => asked.start === 0).length).toBe(3)
    const late: ScriptedTransport = new ScriptedTransport(file, ({ index, start, end, whole }) => {
      if (index < 3) return undefined
      return whole
        ? { ...late.whole(), headers: { 'content-length': '101' } }
        : part(start, end, `${start}-${end - 1}/101`)
    })
    await failureOf(fetcherOver(late, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(late.requests.length).toBe(5)
  })

  test('fault 11: a changed Last-Modified', async () => {
    const late = otherFrom(3, newer)
    const error = await failureOf(fetcherOver(late, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({
      what: 'last-modified',
      before: LAST_MODIFIED,
      after: newer['last-modified'],
    })
    const early = swap((self, asked) => ({
      ...self.honest(asked),
      headers: { ...self.honest(asked).headers, ...newer },
    }))
    expect(await bytesOf(fetcherOver(early))).toEqual(file)
  })

  test('fault 11: is seen on a resume inside one chunk, too', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(
      file,
      ({ index, start, end, whole }) => {
        if (index === 1)
          return {
            ...part(20, 26, '20-39/100', { 'last-modified': LAST_MODIFIED }),
            body: [file.slice(20, 26), reset()],
          }
        if (index < 2) return undefined
        return whole
          ? { ...transport.whole(), body: [file.map(byte => byte ^ 1)] }
          : part(start, end, `${start}-${end - 1}/100`, newer)
      },
    )
    const error = await failureOf(fetcherOver(transport, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ byteOffset: 26 })
  })

  test('fault 13: a changed strong ETag', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
      if (asked.index > 2) transport.file = file.map(byte => byte ^ 1)
      const reply = asked.whole ? transport.whole() : transport.honest(asked)
      return withEtag(reply, asked.index < 3 ? '"a"' : '"b"')
    })
    const fetcher = fetcherOver(transport, { concurrency: 1 })
    const error = await failureOf(fetcher, 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ what: 'etag', before: '"a"', after: '"b"' })
    expect(await fetcher.info).toMatchObject({ etag: '"a"' })
  })

  test('fault 14: a weak ETag is no validator, but its change says something', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked =>
      withEtag(asked.whole ? transport.whole() : transport.honest(asked), `W/"${asked.index}"`),
    )
    const fetcher = fetcherOver(transport)
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(transport.requests.at(-1)).toMatchObject({ whole: true })
    expect(await fetcher.info).not.toHaveProperty('etag')
  })

  test('fault 24: a 416 with another total', async () => {
    const gone = (): Reply => ({ status: 416, headers: { 'content-range': '*/50' } })
    const halved: ScriptedTransport = new ScriptedTransport(file, ({ index, whole }) => {
      if (index < 3) return undefined
      halved.file = file.slice(0, 50)
      return whole ? halved.whole() : gone()
    })
    const error = await failureOf(fetcherOver(halved, { concurrency: 1 }), 'RANGE_FILE_REPLACED')
    expect(error.context).toMatchObject({ what: 'total', before: '100', after: '50' })
    const early: ScriptedTransport = swap((self, asked) =>
      asked.index === 1 ? gone() : self.honest(asked),
    )
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
    const always = new ScriptedTransport(file, asked =>
      asked.start === 20 ? overlong(asked) : undefined,
    )
    const fetcher = fetcherOver(always, { concurrency: 1 })
    const error = await failureOf(fetcher, 'RANGE_BODY_TOO_LONG')
    expect(error.context).toEqual({ url: SHOWN_URL, byteOffset: 20, expectedBytes: 20 })
    expect(fetcher.counters.bytesOut).toBe(20)
  })

  test('fault 19: what was received before the over-long body is dropped with it', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
      if (asked.index === 1)
        return { ...transport.honest(asked), body: [file.slice(20, 30), reset()] }
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
    expect(
      await bytesOf(fetcherOver(transport, { concurrency: 1, retry: { patienceMs: 1 } })),
    ).toEqual(file)
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

  test.each([
    ['a range', false],
    ['a whole file', true],
  ])(
    'fault 166: %s that comes byte by byte is given up after the idle limit',
    async (_, isWhole) => {
      const large = sampleFile(2 ** 21)
      const transport: ScriptedTransport = new ScriptedTransport(large, asked => ({
        ...(isWhole ? transport.whole() : transport.honest(asked)),
        body: ['drip'],
      }))
      const options = { chunkBytes: 2 ** 21, windowBytes: 2 ** 22, idleMs: 15, signature: null }
      const error = await failureOf(fetcherOver(transport, options), 'RANGE_RETRIES_EXHAUSTED')
      expect(error.cause).toMatchObject({ code: 'HTTP_TIMEOUT', context: { phase: 'body' } })
      expect(transport.requests.length).toBeLessThan(9)
    },
  )

  test('fault 166: answers of one byte each are given up', async () => {
    const large = sampleFile(2 ** 21)
    const transport: ScriptedTransport = new ScriptedTransport(large, ({ start }) =>
      transport.honest({ start, end: start + 1 }),
    )
    const options = { chunkBytes: 2 ** 20, windowBytes: 2 ** 21, concurrency: 1 }
    await failureOf(fetcherOver(transport, options), 'RANGE_RETRIES_EXHAUSTED')
    expect(transport.requests.length).toBeLessThan(20)
  })

  test('fault 31: a server that never answers is typed when it goes on', async () => {
    const fetcher = fetcherOver(new ScriptedTransport(file, () => 'stall'), {
      headersTimeoutMs: 5,
      retry: { patienceMs: 1 },
    })
    const error = await failureOf(fetcher, 'RANGE_RETRIES_EXHAUSTED')
    expect(error.cause).toMatchObject({
      code: 'HTTP_TIMEOUT',
      context: { phase: 'headers', limitMs: 5, byteOffset: 0 },
    })
  })

  test('fault 31: the idle limit does not run while the reader is paused', async () => {
    const transport: ScriptedTransport = new ScriptedTransport(file, () => transport.whole())
    const fetcher = fetcherOver(transport, { idleMs: 10 })
    for await (const piece of fetcher)
      if (piece.offset < 21) await new Promise(resolve => setTimeout(resolve, 30))
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
    const transport = new ScriptedTransport(file, ({ start, end }) =>
      start < 100
        ? part(start, end, `${start}-${end - 1}/*`)
        : { status: 416, headers: { ...DATED, 'content-range': '*/100' } },
    )
    expect(await bytesOf(fetcherOver(transport))).toEqual(file)
    expect(transport.requests.at(-1)?.start).toBe(100)
  })

  test('fault 25: 416, or 400 with 13017, without a total is fatal', async () => {
    for (const reply of [
      { status: 416 },
      json(400, { errorId: 13017 }),
      json(416, { errors: [{ errorId: 13017 }] }),
    ]) {
      const transport = new ScriptedTransport(
        file,
        at(1, () => reply),
      )
      const error = await failureOf(
        fetcherOver(transport, { concurrency: 1 }),
        'RANGE_UNSATISFIABLE',
      )
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
    const expired = new ScriptedTransport(file, () =>
      json(404, { errorId: 14004, category: 'REQUEST', message: 'expired' }),
    )
    const error = await failureOf(fetcherOver(expired), 'HTTP_STATUS')
    expect(error.context).toEqual({
      url: SHOWN_URL,
      status: 404,
      errorId: 14004,
      category: 'REQUEST',
      message: 'expired',
      byteOffset: 0,
    })
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
        retry: {
          patienceMs: 30_000,
          backoffBaseMs: 100,
          backoffCapMs: 1000,
          retryAfterCapMs: 5000,
          random: () => 1 - Number.EPSILON,
        },
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
    const transport = new ScriptedTransport(file, ({ start }) =>
      start === 20 ? json(500, { errorId: 13006 }) : undefined,
    )
    const error = await failureOf(
      fetcherOver(transport, { retry: { patienceMs: 2 } }),
      'RANGE_RETRIES_EXHAUSTED',
    )
    expect(error.context).toEqual({ url: SHOWN_URL, byteOffset: 20, attempts: 3 })
    expect(error.cause).toMatchObject({
      code: 'HTTP_STATUS',
      context: { status: 500, errorId: 13006 },
    })
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
    await failureOf(
      fetcherOver(new ScriptedTransport(file, () => ({ status: 401 })), { headers }),
      'HTTP_STATUS',
    )
    expect(reasons).toEqual(['first', 'unauthorized'])
  })

  test('a header function that fails is not retried, and one that hangs times out', async () => {
    const transport = new ScriptedTransport(file)
    const failing = fetcherOver(transport, {
      headers: () => Promise.reject(new TypeError('no token')),
    })
    await failureOf(failing, 'STAGE_FAILED')
    const hanging = fetcherOver(transport, {
      headers: () => new Promise(() => {}),
      headersTimeoutMs: 5,
      retry: { patienceMs: 1 },
    })
    await failureOf(hanging, 'RANGE_RETRIES_EXHAUSTED')
    expect(transport.requests.length).toBe(0)
  })
})
