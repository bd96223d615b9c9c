import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ReorderBuffer } from '../../../../src/engine/codec/range/reorder-buffer'
import { Gunzip } from '../../../../src/engine/stages/gunzip'
import { RangeFetcher } from '../../../../src/engine/stages/range/range-fetcher'
import type { Retry } from '../../../../src/engine/stages/range/retries'
import { DATED, LAST_MODIFIED, reset, ScriptedTransport, sampleFile } from '../scripted-transport'
import { bytesOf, failureOf, fetcherOver, file, URL_ } from './scripted-fetcher'

afterEach(() => vi.useRealTimers())

describe('a good server', () => {
  test('gives the file and its information, and sends the headers of the caller', async () => {
    const transport = new ScriptedTransport(file)
    const fetcher = fetcherOver(transport, {
      headers: { Authorization: 'Bearer t', range: 'bytes=5-6', 'ACCEPT-encoding': 'gzip' },
    })
    expect(await bytesOf(fetcher)).toEqual(file)
    expect(await fetcher.info).toEqual({
      totalBytes: 100,
      lastModified: LAST_MODIFIED,
      isDateStrong: true,
      empty: false,
    })
    expect(transport.requests.map(asked => [asked.start, asked.end])).toEqual(
      [0, 20, 40, 60, 80].map(start => [start, start + 20]),
    )
    expect(transport.requests[0]?.headers).toEqual({
      Authorization: 'Bearer t',
      Range: 'bytes=0-19',
      'Accept-Encoding': 'identity',
    })
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
    expect(await bytesOf(fetcherOver(transport, { chunkBytes: 50, maxRangeBytes: 11 }))).toEqual(
      file,
    )
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

describe('ending', () => {
  test('fault 32: abort during backoff is at once and leaves no timer', async () => {
    vi.useFakeTimers()
    const transport = new ScriptedTransport(file, () => ({
      status: 503,
      headers: { 'retry-after': '60' },
    }))
    const fetcher = fetcherOver(transport, { retry: { retryAfterCapMs: 60_000 } })
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
          ? {
              ...transport.honest(asked),
              body: [...transport.parts(asked.start, asked.start + 3), 'stall'],
            }
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
  expect(() => fetcherOver(new ScriptedTransport(file), { windowBytes: 0 })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})

test('a transport that throws, or fails with something of its own, is a failed connection', async () => {
  const transport = new ScriptedTransport(file)
  let calls = 0
  const send: ScriptedTransport['send'] = request => {
    if (++calls === 1) throw new TypeError('thrown')
    return calls === 2 ? Promise.reject(new TypeError('rejected')) : transport.send(request)
  }
  const fetcher = new RangeFetcher({ url: URL_, transport: { send }, retry: { backoffBaseMs: 0 } })
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
    // The first of every three ranges in flight takes the longest.
    await new Promise(resolve => setTimeout(resolve, 6 - 3 * ((asked.start / 20) % 3)))
    return undefined
  })
  const offsets: number[] = []
  const fetcher = fetcherOver(transport)
  const ordered = new ReorderBuffer({ windowBytes: 60, totalBytes: 100 })
  const parts: Uint8Array[] = []
  for await (const { offset, bytes } of fetcher) {
    offsets.push(offset)
    parts.push(...ordered.add(offset, bytes))
  }
  ordered.finish()
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b))
  expect(Uint8Array.from(Buffer.concat(parts))).toEqual(file)
})

test('for any sizes and faults the file comes out whole and held bytes stay under the window', async () => {
  const faults = fc.array(
    fc.constantFrom('ok', 'reset', 'short', '500', 'whole', 'refused', 'overlong', 'early'),
    { maxLength: 12 },
  )
  const sizes = fc.record({
    total: fc.integer({ min: 1, max: 400 }),
    chunkBytes: fc.integer({ min: 1, max: 120 }),
    concurrency: fc.integer({ min: 1, max: 6 }),
    windowBytes: fc.integer({ min: 1, max: 200 }),
    partBytes: fc.integer({ min: 1, max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(
      sizes,
      faults,
      fc.nat(1000),
      async ({ total, chunkBytes, concurrency, windowBytes, partBytes }, script, cutSeed) => {
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
                // At most one body is too long: a second one for the same range is an error.
                return script.indexOf('overlong') === asked.index
                  ? { ...reply, body: [...(reply.body ?? []), data.slice(0, 3)] }
                  : undefined
              case 'early':
                return cut > asked.start
                  ? {
                      ...reply,
                      headers: { 'content-range': `${asked.start}-${cut - 1}/${total}`, ...DATED },
                      body: transport.parts(asked.start, cut),
                    }
                  : undefined
            }
            return undefined
          },
          partBytes,
        )
        const fetcher = fetcherOver(transport, {
          chunkBytes,
          concurrency,
          windowBytes,
          retry: { patienceMs: 20_000 },
        })
        const ordered = new ReorderBuffer({ windowBytes, totalBytes: total })
        let [mostHeld, mostReserved] = [0, 0]
        transport.onDeliver = () => {
          mostHeld = Math.max(mostHeld, fetcher.heldBytes)
        }
        transport.onRequest = asked => {
          const reserved = asked.whole ? 0 : asked.end - fetcher.counters.bytesOut
          mostReserved = Math.max(mostReserved, reserved)
        }
        const parts: Uint8Array[] = []
        for await (const piece of fetcher) parts.push(...ordered.add(piece.offset, piece.bytes))
        ordered.finish()
        expect(Uint8Array.from(Buffer.concat(parts))).toEqual(data)
        expect(mostHeld).toBeLessThanOrEqual(windowBytes)
        expect(mostReserved).toBeLessThanOrEqual(windowBytes)
        expect(transport.open).toBe(0)
        expect(fetcher.heldBytes).toBe(0)
      },
    ),
    { numRuns: 150 },
  )
})

test.each([401, 503])(
  'fault 85: a server that repeats the token in a %i does not get it into the error',
  async status => {
    const headers = {
      'www-authenticate':
        'Bearer error="invalid_token", error_description="tok-4711-0815 is not known"',
    }
    const body = [Buffer.from('{"message":"who is TOK-4711-0815"}')]
    const transport = new ScriptedTransport(sampleFile(100), () => ({ status, headers, body }))
    const notices: Retry[] = []
    const fetcher = new RangeFetcher({
      url: 'http://feed.test/file',
      transport,
      headers: { authorization: 'Bearer tok-4711-0815' },
      retry: { patienceMs: 1, onRetry: retry => void notices.push(retry) },
    })
    const error = await fetcher.collect().catch(thrown => thrown)
    expect(status === 401 ? error : error.cause).toMatchObject({
      context: { challenge: { description: 'redacted is not known' }, message: 'who is redacted' },
    })
    expect(notices.length).toBe(status === 401 ? 0 : 1)
    expect(inspect([error, notices], { depth: 20, showHidden: true })).not.toContain('4711')
  },
)
