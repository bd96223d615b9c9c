// The messages of whole runs over the emulated service, compared with what the service, the options
// and the summaries say by themselves.

import { channel } from 'node:diagnostics_channel'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isAnyoneWatching } from '../../../src/engine/diagnostics/channels'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { Gunzip } from '../../../src/index'
import { fileIdKey } from '../../../src/sync/file-id'
import { type Emulated, type EmulatedOptions, emulated } from '../../service/emulated'
import { SimulatedMachine } from '../../sync/simulated-machine'
import { HOUR_MS, NO_EARLIER_DAYS, SmallShop } from '../../sync/small-run'
import { CHANNELS, Recorded } from './recorded'

const closing: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(closing.splice(0).map(open => open.close())))

function serviceWith(options: EmulatedOptions = {}): Emulated {
  const opened = emulated(options)
  closing.push(opened.emulator, opened.service)
  return opened
}

const QUERY = { marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' } as const
/** The faults of the first requests for the file, in their order. */
const FAULTS = ['503', '401', 'reset;after=700']

/** A service that fails on the first requests. @param see is given each request and response */
function faulty(
  see: (request: Request, response: Response) => Response = (_, response) => response,
) {
  let files = 0
  return serviceWith({
    between: async (request, forward) => {
      const fault = request.method === 'GET' ? FAULTS[files++] : undefined
      const headers = new Headers(request.headers)
      if (fault !== undefined) headers.set('x-feedmill-fault', fault)
      return see(request, await forward(new Request(request, { headers })))
    },
  })
}

/** Reads one file of the faulty service, and says what the service and the options have counted. */
async function faultyRead(service: Emulated) {
  let retries = 0
  const rows = await service.service.feeds
    .getItemFeed(QUERY)
    .rows({ ranges: { chunkBytes: 1_000, concurrency: 1, retry: { onRetry: () => retries++ } } })
    .toArray()
  return { rows: rows.map(row => row.toStrings()), retries }
}

describe('a run over a service with faults', () => {
  test('each request, repetition and token is told once', async () => {
    let sentBytes = 0
    const service = faulty((_, response) => {
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          sentBytes += part.length
          controller.enqueue(part)
        },
      })
      const { status, headers } = response
      return new Response(response.body?.pipeThrough(counted) ?? null, { status, headers })
    })
    using told = new Recorded()
    const { retries } = await faultyRead(service)
    const requests = told.of('feedmill:request')
    expect(
      requests.map(({ method, url }) => `${method} ${url.replace(/^https:..[^/]*/, '')}`),
    ).toEqual(service.sent.map(sent => sent.replaceAll(/=[^&]*/g, '=…')))
    expect(requests.map(({ status }) => status)).toEqual(expect.arrayContaining([503, 401, 206]))
    expect(requests.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sentBytes)
    expect(retries).toBeGreaterThanOrEqual(2)
    expect(told.of('feedmill:retry')).toHaveLength(retries)
    expect(told.of('feedmill:retry')[0]).toMatchObject({
      code: 'HTTP_STATUS',
      status: 503,
      failures: 1,
      url: requests.find(({ status }) => status === 503)?.url,
    })
    expect(requests.find(({ status }) => status === 503)?.attempt).toBe(1)
    expect(requests.find(({ status }) => status === 401)?.attempt).toBe(2)
    expect(told.of('feedmill:token').map(({ reason }) => reason)).toEqual(['first', 'refused'])
    // The failure of a body that broke off stands in its message.
    expect(requests.filter(({ code }) => code !== undefined).map(({ code }) => code)).toEqual([
      'HTTP_TRANSPORT',
    ])
  })

  test('the run is told at its start and its end, and all its work has its number', async () => {
    const service = faulty()
    using told = new Recorded()
    const { rows } = await faultyRead(service)
    expect(told.all[0]?.name).toBe('feedmill:run:start')
    expect(told.all.at(-1)?.name).toBe('feedmill:run')
    const [started] = told.of('feedmill:run:start')
    const [settled] = told.of('feedmill:run')
    expect(settled).toMatchObject({ run: started?.run, kind: 'pipeline', outcome: 'completed' })
    expect(told.all.map(({ message }) => (message as { run?: number }).run)).toEqual(
      told.all.map(() => started?.run),
    )
    const parsed = told.of('feedmill:batch').filter(({ stage }) => stage === 'TsvRowParser')
    expect(parsed.reduce((sum, batch) => sum + batch.rows, 0)).toBe(rows.length)
    for (const { stage, rows: count, bytes } of settled?.stages ?? []) {
      const given = told.of('feedmill:batch').filter(batch => batch.stage === stage)
      expect(given.reduce((sum, batch) => sum + batch.rows, 0)).toBe(count)
      expect(given.reduce((sum, batch) => sum + batch.bytes, 0)).toBe(bytes)
    }
    expect(settled?.stages?.map(({ stage }) => stage)).toEqual([
      'RangeFetcher',
      'ChunkReassembler',
      'Gunzip',
      'TsvRowParser',
    ])
  })

  test('no message contains a secret or a cell', async () => {
    const seen = new Set<string>()
    const service = faulty((request, response) => {
      const authorization = request.headers.get('authorization') ?? ''
      if (authorization !== '') seen.add(authorization.replace(/^\S+ /, ''))
      return response
    })
    using told = new Recorded()
    const { rows } = await faultyRead(service)
    seen.add(service.emulator.clientSecret)
    expect(seen.size).toBeGreaterThanOrEqual(4)
    const text = JSON.stringify(told.all)
    for (const secret of seen) expect(text).not.toContain(secret)
    const titles = rows.map(({ title }) => title).filter(title => (title ?? '').length > 10)
    expect(titles.length).toBeGreaterThan(0)
    for (const title of titles) expect(text).not.toContain(title)
  })

  test('a secret in the address is covered', async () => {
    const { emulator } = serviceWith()
    const { RangeFetcher, fetchTransport } = await import('../../../src/index')
    using told = new Recorded()
    const url = 'https://service.test/nowhere?access_token=hidden-0815&page=given-4711'
    const headers = { Authorization: 'Bearer given-4711' }
    const transport = fetchTransport(emulator.fetch)
    const fetcher = new RangeFetcher({ url, headers, transport, retry: { patienceMs: 0 } })
    await expect(pipeline(fetcher).toArray()).rejects.toMatchObject({ code: 'HTTP_STATUS' })
    expect(told.of('feedmill:request').map(request => request.url)).toEqual([
      'https://service.test/nowhere?access_token=…&page=…',
    ])
    expect(told.of('feedmill:run')).toMatchObject([{ outcome: 'failed', code: 'HTTP_STATUS' }])
  })

  test('nothing is published without a subscriber, and the result is the same', async () => {
    const watchedService = faulty()
    const told = new Recorded()
    const watched = await faultyRead(watchedService)
    told.stop()
    expect(isAnyoneWatching()).toBe(false)
    const prototypes = new Set(CHANNELS.map(name => Object.getPrototypeOf(channel(name))))
    const spies = [...prototypes].map(prototype => vi.spyOn(prototype, 'publish'))
    const alone = await faultyRead(faulty())
    const calls = spies.map(spy => spy.mock.calls.length)
    vi.restoreAllMocks()
    expect(calls).toEqual(spies.map(() => 0))
    expect(alone.rows).toEqual(watched.rows)
  })

  test('a subscriber that throws changes nothing in the run, and Node reports what it threw', async () => {
    const expected = (await faultyRead(faulty())).rows
    const thrown: unknown[] = []
    const listeners = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', error => thrown.push(error))
    const failing = () => {
      throw new RangeError('a bug of a subscriber')
    }
    for (const name of CHANNELS) channel(name).subscribe(failing)
    try {
      const { rows } = await faultyRead(faulty())
      await new Promise(resolve => setImmediate(resolve))
      expect(rows).toEqual(expected)
      expect(thrown.length).toBeGreaterThan(5)
      expect(thrown.every(error => error instanceof RangeError)).toBe(true)
    } finally {
      for (const name of CHANNELS) channel(name).unsubscribe(failing)
      process.removeAllListeners('uncaughtException')
      for (const listener of listeners) process.on('uncaughtException', listener)
    }
  })
})

test.each([
  ['completed', undefined, () => pipeline([1, 2, 3]).forEach(() => {})],
  [
    'stopped',
    undefined,
    async () => {
      for await (const _ of pipeline([1, 2, 3])) break
    },
  ],
  [
    'failed',
    'STAGE_FAILED',
    async () => {
      const failing = () => {
        throw new RangeError('a bug of a caller')
      }
      await pipeline([1]).map(failing).toArray()
    },
  ],
  ['aborted', 'ABORTED', () => pipeline([1], { signal: AbortSignal.abort() }).forEach(() => {})],
] as const)('the outcome of a run is %s', async (outcome, code, work) => {
  using told = new Recorded()
  await work().catch(() => {})
  expect(told.of('feedmill:run').map(run => [run.outcome, run.code])).toEqual([[outcome, code]])
})

test('the start and the end of an inflate worker are told', async () => {
  const lines = Array.from({ length: 60_000 }, (_, n) => `v1|${n}|0\t${Math.sin(n)}`)
  const file = gzipSync(`itemId\ttitle\n${lines.join('\n')}\n`)
  const blocks = Array.from({ length: Math.ceil(file.length / 65_536) }, (_, n) =>
    file.subarray(n * 65_536, (n + 1) * 65_536),
  )
  using told = new Recorded()
  await pipeline(blocks)
    .to(new Gunzip())
    .forEach(() => {})
  const ended = () => told.of('feedmill:worker').some(({ state }) => state === 'ended')
  await vi.waitFor(() => expect(ended()).toBe(true), { interval: 5 })
  expect(told.of('feedmill:worker')).toMatchObject([
    { state: 'started', workers: 1 },
    { state: 'ended', workers: 0, failed: false },
  ])
})

describe('a synchronisation', () => {
  const START = new Date('2026-03-01T07:00:00Z')
  const shopOf = () => {
    const world = { seed: 3, items: 30, churn: 40, start: START, hours: 300 }
    const shop = new SmallShop({ world, bootstrapAt: START }, +START + 4 * HOUR_MS)
    shop.limits = NO_EARLIER_DAYS
    closing.push(shop)
    return shop
  }

  test('each committed file is told with its rows and its watermark', async () => {
    using told = new Recorded()
    const run = shopOf().sync(new SimulatedMachine(0).start())
    const done: { file: string; rows: object; bytes: number }[] = []
    const watermarks: Date[] = []
    for await (const event of run) {
      if (event.type === 'watermark') watermarks.push(event.watermark)
      if (event.type !== 'done') continue
      const { rows, totalBytes: bytes } = event.entry
      done.push({ file: fileIdKey(event.file), rows, bytes })
    }
    const summary = await run.summary
    const files = told.of('feedmill:file')
    expect(files.map(({ file, rows, bytes }) => ({ file, rows, bytes }))).toEqual(done)
    expect(files.map(({ kind }) => kind)).toEqual([
      'bootstrap',
      'bootstrap',
      'hourly',
      'hourly',
      'hourly',
    ])
    expect(files.at(-1)?.watermark).toEqual(watermarks.at(-1))
    expect(told.of('feedmill:watermark').map(({ watermark }) => watermark)).toEqual(watermarks)
    expect(told.of('feedmill:run').at(-1)).toMatchObject({
      kind: 'sync',
      outcome: 'completed',
      sync: { files: summary.files, failedFiles: 0, rows: summary.rows, bytes: summary.bytes },
    })
  })

  test('its downloads and its readings of files are runs inside it', async () => {
    using told = new Recorded()
    await shopOf().sync(new SimulatedMachine(0).start()).summary
    const [first, ...others] = told.of('feedmill:run:start')
    expect(first).toEqual({ run: first?.run, kind: 'sync' })
    expect(others).toHaveLength(10)
    expect(others.every(({ kind, parent }) => kind === 'pipeline' && parent === first?.run)).toBe(
      true,
    )
    const downloads = told.of('feedmill:request').filter(({ method }) => method === 'GET')
    const runs = new Set(others.map(({ run }) => run))
    expect(downloads.every(({ run }) => runs.has(run ?? 0))).toBe(true)
    expect(new Set(downloads.map(({ run }) => run)).size).toBe(5)
  })
})
