import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../../src/emulator'
import { FAULT_KINDS } from '../../../src/emulator/faults/fault'
import {
  cannedAnswer,
  failingRequest,
  unreadableFault,
} from '../../../src/emulator/faults/fault-injector'
import { bodyOf, client, token } from '../emulator-client'

const ITEM = '/item?feed_scope=ALL_ACTIVE&category_id=220'
const WHOLE = { range: 'bytes=0-90000000' }

interface Seen {
  readonly status: number
  readonly headers: Record<string, string>
  readonly bytes: Buffer
  /** `end`, or how the connection broke. */
  readonly outcome: string
}

type Ask = (headers: Record<string, string>, path?: string) => Promise<Seen>

/** Sends a request in process, as a fetch does. */
async function inProcess(
  options?: Partial<EmulatorOptions>,
): Promise<{ emulator: Emulator; ask: Ask }> {
  const { emulator, get } = await client(options)
  const ask: Ask = async (headers, path = ITEM) => {
    let seen: Seen = { status: 0, headers: {}, bytes: Buffer.alloc(0), outcome: 'end' }
    try {
      const response = await get(path, headers)
      seen = { ...seen, status: response.status, headers: Object.fromEntries(response.headers) }
      for await (const chunk of response.body ?? [])
        seen = { ...seen, bytes: Buffer.concat([seen.bytes, chunk]) }
      return seen
    } catch (error) {
      return { ...seen, outcome: (error as { code: string }).code }
    }
  }
  return { emulator, ask }
}

/** Sends a request on a socket, as a plain client does. */
async function onSocket(
  options?: Partial<EmulatorOptions>,
): Promise<{ emulator: Emulator; ask: Ask }> {
  const { emulator } = await client(options)
  const { url } = await emulator.listen()
  const authorization = `Bearer ${await token(emulator)}`
  const ask: Ask = (headers, path = ITEM) =>
    new Promise(resolve => {
      let seen: Seen = { status: 0, headers: {}, bytes: Buffer.alloc(0), outcome: 'end' }
      const settle = (error?: NodeJS.ErrnoException) =>
        resolve(error === undefined ? seen : { ...seen, outcome: error.code ?? '' })
      const asked = request(
        `${url}${emulator.feedBasePath}${path}`,
        {
          agent: false,
          headers: { authorization, 'X-MKT-C-MARKETPLACE-ID': 'MKT_US', ...headers },
        },
        response => {
          const named = Object.entries(response.headers).map(([name, value]) => [
            name,
            String(value),
          ])
          seen = { ...seen, status: response.statusCode ?? 0, headers: Object.fromEntries(named) }
          response.on(
            'data',
            (chunk: Buffer) => (seen = { ...seen, bytes: Buffer.concat([seen.bytes, chunk]) }),
          )
          response.on('end', () => settle())
          response.on('error', settle)
        },
      )
      asked.on('error', settle)
      asked.end()
    })
  return { emulator, ask }
}

const fault = (text: string) => ({ ...WHOLE, 'x-feedmill-fault': text })
const world = { seed: 7, items: 200 }

describe.each([
  ['in process', inProcess, 'HTTP_TRANSPORT'],
  ['on a socket', onSocket, 'ECONNRESET'],
] as const)('faults %s', (_, open, reset) => {
  const during = async (
    use: (ask: Ask, file: Buffer, emulator: Emulator) => Promise<void>,
    options: Partial<EmulatorOptions> = {},
  ) => {
    const { emulator, ask } = await open({ world, ...options })
    try {
      await use(ask, (await ask(WHOLE)).bytes, emulator)
    } finally {
      await emulator.close()
    }
  }

  test('reset breaks the connection, at once or after a number of bytes', () =>
    during(async (ask, file) => {
      expect(await ask(fault('reset'))).toMatchObject({ status: 0, outcome: reset })
      for (const after of [0, 1, 1_000, file.length - 1, file.length, file.length + 9]) {
        const seen = await ask(fault(`reset;after=${after}`))
        // A reader of a complete body may finish before it notices the reset.
        expect([seen.status, after < file.length ? seen.outcome : reset]).toEqual([200, reset])
        expect(seen.bytes.equals(file.subarray(0, after))).toBe(true)
      }
    }))

  test('short gives a clean end after a number of bytes', () =>
    during(async (ask, file) => {
      for (const after of [0, 500]) {
        const seen = await ask(fault(`short;after=${after}`))
        expect([seen.outcome, seen.bytes.equals(file.subarray(0, after))]).toEqual(['end', true])
        expect(seen.headers['content-range']).toBe(`0-${file.length - 1}/${file.length}`)
      }
    }))

  test('extra gives more bytes than the range has', () =>
    during(async (ask, file) => {
      const seen = await ask(fault('extra;bytes=70000'))
      expect([
        seen.outcome,
        seen.bytes.length,
        seen.bytes.subarray(0, file.length).equals(file),
      ]).toEqual(['end', file.length + 70_000, true])
    }))

  test('range-wrong, range-missing and range-repeated change Content-range', () =>
    during(async (ask, file) => {
      const total = file.length
      const range = { range: 'bytes=10-99' }
      const wrong = await ask({ ...range, 'x-feedmill-fault': 'range-wrong;bytes=5' })
      expect(wrong.headers['content-range']).toBe(`15-104/${total}`)
      expect(wrong.bytes.equals(file.subarray(15, 100))).toBe(true)
      const missing = await ask({ ...range, 'x-feedmill-fault': 'range-missing' })
      expect([missing.status, missing.headers['content-range'], missing.bytes.length]).toEqual([
        206,
        undefined,
        90,
      ])
      const repeated = await ask({ ...range, 'x-feedmill-fault': 'range-repeated' })
      expect(repeated.headers['content-range']).toBe(`10-99/${total}, 10-99/${total}`)
    }))

  test('range-ignored: the whole file, whatever was asked, and no Content-range', () =>
    during(async (ask, file) => {
      const seen = await ask({ range: 'bytes=10-99', 'x-feedmill-fault': 'range-ignored' })
      expect([seen.status, seen.headers['content-range'], seen.bytes.equals(file)]).toEqual([
        200,
        undefined,
        true,
      ])
    }))
  test('bit-flip changes one bit of one byte', () =>
    during(async (ask, file) => {
      const { bytes, outcome } = await ask(fault('bit-flip;after=300;bit=6'))
      const expected = Buffer.from(file)
      expected[300]! ^= 64
      expect([outcome, bytes.equals(expected)]).toEqual(['end', true])
      expect((await ask(WHOLE)).bytes.equals(file)).toBe(true)
    }))

  test('stall waits in place of the answer or of its rest, and then continues', () =>
    during(async (ask, file) => {
      for (const text of [
        'stall;ms=10',
        'stall;ms=10;after=1000',
        'stall;ms=10;after=0',
        'latency;ms=10',
      ]) {
        const seen = await ask(fault(text))
        expect([seen.outcome, seen.bytes.equals(file)]).toEqual(['end', true])
      }
    }))

  test('401, 404, 409, 416, 429, 500, 503 and HTML replace the answer', () =>
    during(async ask => {
      const unauthorized = await ask(fault('401'))
      expect([unauthorized.status, unauthorized.headers['www-authenticate']]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ])
      expect(await ask(fault('429;retry-after=3'))).toMatchObject({
        status: 429,
        headers: { 'retry-after': '3' },
      })
      const busy = await ask(fault('503'))
      expect([busy.status, busy.headers['retry-after']]).toEqual([503, undefined])
      expect((await ask(fault('503;retry-after=soon'))).headers['retry-after']).toBe('soon')
      const failed = await ask(fault('500'))
      expect([failed.status, JSON.parse(failed.bytes.toString()).errorId]).toEqual([500, 13006])
      for (const status of [404, 409, 416]) {
        const refused = await ask(fault(String(status)))
        expect([refused.status, JSON.parse(refused.bytes.toString()).category]).toEqual([
          status,
          'REQUEST',
        ])
      }
      const html = await ask(fault('html'))
      expect([html.status, html.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    }))

  test('replaced gives another file with the same rows from one request on', () =>
    during(async (ask, file) => {
      const [before, after, later] = [
        await ask(fault('replaced;skip=1')),
        await ask(fault('replaced;skip=1')),
        await ask({ range: 'bytes=1000-90000000' }),
      ]
      expect(before.bytes.equals(file)).toBe(true)
      expect(after.bytes.equals(file)).toBe(false)
      expect(gunzipSync(after.bytes).equals(gunzipSync(file))).toBe(true)
      expect(after.headers['last-modified']).not.toBe(before.headers['last-modified'])
      expect(later.bytes.equals(after.bytes.subarray(1_000))).toBe(true)
      expect(later.headers['content-range']).toBe(
        `1000-${after.bytes.length - 1}/${after.bytes.length}`,
      )
    }))

  test('truncated gives a file without its end from then on', () =>
    during(async (ask, file) => {
      const seen = await ask(fault('truncated;bytes=9'))
      expect(seen.bytes.equals(file.subarray(0, -9))).toBe(true)
      expect(seen.headers['content-range']).toBe(`0-${file.length - 10}/${file.length - 9}`)
      expect((await ask(WHOLE)).bytes.length).toBe(file.length - 9)
    }))

  test('an unknown word gets a 400 that lists the faults', () =>
    during(async ask => {
      const seen = await ask(fault('explode'))
      expect([seen.status, JSON.parse(seen.bytes.toString()).error]).toEqual([
        400,
        expect.stringContaining('x-feedmill-fault must be one of'),
      ])
    }))

  test('a fault leaves an answer without content unchanged', () =>
    during(
      async (ask, _file, emulator) => {
        for (const text of ['short', 'reset;after=5', 'bit-flip'])
          expect((await ask(fault(text))).status).toBe(204)
        expect(emulator.faults.log).toEqual([])
      },
      { world: { seed: 7, items: 0 } },
    ))

  test('a stall ends when the emulator closes', async () => {
    const { emulator, ask } = await open({ world })
    const [early, late] = [ask(fault('stall')), ask(fault('stall;after=100'))]
    while (emulator.faults.log.length < 2) await new Promise(resolve => setTimeout(resolve, 5))
    await emulator.close()
    await Promise.all([early, late])
  })
})

describe('the log', () => {
  test('says what each request met, in words that the header repeats', async () => {
    const { emulator, ask } = await inProcess({
      world,
      faults: { rate: 0.6, seed: 5, kinds: ['short', 'bit-flip', '503'] },
    })
    const seen = new Map<string, Seen>()
    for (let i = 0; i < 30; i++) {
      const before = emulator.faults.log.length
      const answer = await ask({ range: `bytes=${i * 50}-${i * 50 + 49}` })
      if (emulator.faults.log.length > before) seen.set(`${i}`, answer)
    }
    const log = [...emulator.faults.log]
    expect(log.length).toBeGreaterThan(8)
    expect(
      log.every(
        entry => entry.source === 'rate' && entry.path.endsWith(ITEM) && entry.method === 'GET',
      ),
    ).toBe(true)
    const answers = [...seen.values()]
    for (const [n, { range, fault: text }] of log.entries()) {
      const again = await ask({ range: range!, 'x-feedmill-fault': text })
      expect([again.status, again.bytes.equals(answers[n]!.bytes)]).toEqual([
        answers[n]!.status,
        true,
      ])
    }
    await emulator.close()
  })

  test('shows the same faults for the same requests after a restart', async () => {
    const { emulator, ask } = await inProcess({
      world,
      faults: { rate: 0.5, kinds: ['short', '503', 'replaced'] },
    })
    const run = async () => {
      for (let i = 0; i < 40; i++)
        await ask({ range: `bytes=${(i % 8) * 50}-${(i % 8) * 50 + 49}` })
      return [...emulator.faults.log]
    }
    const first = await run()
    emulator.faults.restart()
    expect(await run()).toEqual(first)
    expect(first.length).toBeGreaterThan(10)
    await emulator.close()
  })

  test('keeps only the latest entries, and no token', async () => {
    const { emulator, ask } = await inProcess({ world })
    for (let i = 0; i < 1_002; i++) await ask(fault(`latency;ms=${i % 2}`))
    expect(emulator.faults.log.map(entry => entry.fault)).toEqual(
      Array.from({ length: 1_000 }, (_, i) => `latency;ms=${i % 2}`),
    )
    expect(JSON.stringify(emulator.faults.log)).not.toContain('Bearer')
    await emulator.close()
  })

  test('shows that rules apply where no header asks', async () => {
    const rules = [{ route: '*/item_snapshot', fault: '429;retry-after=1;times=1' }]
    const { emulator, ask } = await inProcess({ world, faults: { rules } })
    const snapshot = '/item_snapshot?category_id=220&snapshot_date=2026-03-01T05:00:00.000Z'
    expect([
      (await ask(WHOLE)).status,
      (await ask(WHOLE, snapshot)).status,
      (await ask(WHOLE, snapshot)).status,
    ]).toEqual([200, 429, 200])
    await emulator.close()
  })
})

test('an abort ends a stall at once, in the same process', async () => {
  const { emulator } = await client({ world })
  const headers = {
    authorization: `Bearer ${await token(emulator)}`,
    'X-MKT-C-MARKETPLACE-ID': 'MKT_US',
    ...fault('stall'),
  }
  const url = `http://emulator${emulator.feedBasePath}${ITEM}`
  await expect(emulator.fetch(url, { headers, signal: AbortSignal.timeout(20) })).rejects.toThrow()
  const gone = new AbortController()
  const response = await emulator.fetch(url, {
    headers: { ...headers, 'x-feedmill-fault': 'stall;after=10' },
    signal: gone.signal,
  })
  const body = bodyOf(response)
  gone.abort()
  await expect(body).rejects.toThrow()
  await emulator.close()
})

describe('fault answers', () => {
  const request = new Request('http://x/', {
    headers: { authorization: 'Bearer a.b', range: 'bytes=0-1' },
  })

  test('only these kinds of faults replace the answer', () => {
    const answers = FAULT_KINDS.flatMap(kind => cannedAnswer({ kind }, request)?.status ?? [])
    expect(answers).toEqual([200, 401, 404, 409, 416, 429, 503])
  })

  test('Retry-After may be any text, or absent', () => {
    const retryAfter = (text?: string) =>
      cannedAnswer(
        { kind: '503', ...(text === undefined ? {} : { 'retry-after': text }) },
        request,
      )!.headers.get('retry-after')
    expect([retryAfter('0'), retryAfter('soon'), retryAfter()]).toEqual(['0', 'soon', null])
  })

  test('a request that is meant to fail inside keeps its token', () => {
    const failing = failingRequest(request)
    expect([failing.headers.get('authorization'), failing.headers.get('x-feedmill-fault')]).toEqual(
      ['Bearer a.b', 'error;code=internal'],
    )
  })

  test('a fault that cannot be read is a mistake of the tester', async () => {
    expect(unreadableFault(new Error('x')).status).toBe(400)
  })
})
