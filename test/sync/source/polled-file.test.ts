// One place whose content is replaced: on a disk, and on servers that state what they state.

import { readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import type { OwnId } from '../../../src/sync/file-id'
import { openState } from '../../../src/sync/read/open-state'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { lineOf, rowsIn, SmallFeed, type SmallRow, schema, textOf } from './small-feed'

const URL_OF_IT = 'https://shop.test/stock.csv.gz?token=4711'
const rowsOf = (n: number): SmallRow[] =>
  Array.from({ length: 3 + (n % 4) }, (_, at) => {
    return { sku: `s${at}`, revision: n, gone: false, title: `content ${n}` }
  })
const contentOf = (n: number) => gzipSync(textOf(rowsOf(n)))

interface Habits {
  /** What the server states of a file. */
  readonly states: 'etag' | 'weak' | 'date' | 'fresh' | 'nothing'
  readonly hasRanges: boolean
  readonly hasConditions: boolean
}

/** A server of one file whose number says what is in it. */
class Server {
  content = 0
  /** The time of the content in seconds. */
  made = 1_000_000
  bodyBytes = 0
  readonly asked: Headers[] = []
  readonly #habits: Habits

  constructor(habits: Habits) {
    this.#habits = habits
  }

  readonly transport = fetchTransport(async ({ headers }) => {
    this.asked.push(headers)
    const { states, hasRanges, hasConditions } = this.#habits
    const dateOf = (second: number) => new Date(1.7e12 + second * 1000).toUTCString()
    const tag = `"t${this.content}"`
    const stated: Record<string, string> = {
      date: dateOf(this.made + (states === 'fresh' ? 3 : 90)),
    }
    if (states === 'etag') stated.etag = tag
    if (states === 'weak') stated.etag = `W/${tag}`
    if (states === 'date' || states === 'fresh') stated['last-modified'] = dateOf(this.made)
    const [ifNone, ifSince] = [headers.get('if-none-match'), headers.get('if-modified-since')]
    const isSame = ifNone ? ifNone === stated.etag : ifSince === stated['last-modified']
    if (hasConditions && isSame && (ifNone ?? ifSince) !== null)
      return new Response(null, { status: 304, headers: stated })
    const bytes = contentOf(this.content)
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.get('range') ?? '') ?? []
    const isRange = hasRanges && from !== undefined
    const end = isRange ? Math.min(Number(to) + 1, bytes.length) : bytes.length
    const body = bytes.subarray(isRange ? Number(from) : 0, end)
    this.bodyBytes += body.length
    stated['content-length'] = String(body.length)
    if (isRange) stated['content-range'] = `bytes ${from}-${end - 1}/${bytes.length}`
    return new Response(body, { status: isRange ? 206 : 200, headers: stated })
  })
}

const habits = fc.record<Habits>({
  states: fc.constantFrom('etag', 'weak', 'date', 'fresh', 'nothing'),
  hasRanges: fc.boolean(),
  hasConditions: fc.boolean(),
})

describe('an address', () => {
  test('fault 183: is asked for what is new, and the state is what stands there, whatever its server states', async () => {
    await fc.assert(
      fc.asyncProperty(
        habits,
        fc.array(fc.nat(3), { minLength: 1, maxLength: 7 }),
        fc.boolean(),
        async (given, contents, isAhead) => {
          const machine = new SimulatedMachine(1)
          const server = new Server(given)
          const feed = new SmallFeed(() => {})
          const { transport } = server
          const source = feed.source({ files: new URL(URL_OF_IT), transport })
          let applied: number | undefined
          for (const content of contents) {
            // A content that comes back has an earlier date on some servers.
            server.made += content === applied ? 0 : isAhead ? 100 : -100
            server.content = content
            server.bodyBytes = 0
            const isNew = content !== applied
            const { files } = await feed.sync(machine.start(), { source }).summary
            // A date of the same second as its content proves nothing, and the next run asks again.
            if (given.states !== 'fresh') expect([content, files]).toEqual([content, Number(isNew)])
            expect(await rowsIn(machine.start())).toEqual(rowsOf(content).map(lineOf))
            const isTold = given.states !== 'fresh' && given.states !== 'nothing'
            if (!isNew && isTold && given.hasConditions) expect(server.bodyBytes).toBe(0)
            if (!isNew && isTold && given.hasRanges) expect(server.bodyBytes).toBeLessThan(1500)
            applied = content
          }
          const state = await openState(FOLDER, { environment: machine.start() })
          const times = state
            .feed({ name: 'stock', schema })
            .files.map(({ id }) => (id as OwnId).time)
          expect(times).toEqual([...new Set(times)].sort())
          await state.close()
        },
      ),
      { numRuns: 40 },
    )
    expect(readdirSync(tmpdir()).filter(name => name.startsWith('feedmill-polled-'))).toEqual([])
  })

  test('whose content is replaced between the question and the download is asked again', async () => {
    const machine = new SimulatedMachine(1)
    const server = new Server({ states: 'etag', hasRanges: true, hasConditions: true })
    const feed = new SmallFeed()
    let requests = 0
    const transport: typeof server.transport = {
      send: request => {
        if (++requests === 2) server.content = 1
        return server.transport.send(request)
      },
    }
    const source = feed.source({ files: URL_OF_IT, transport })
    const error = await feed.sync(machine.start(), { source }).summary.catch(thrown => thrown)
    expect([error.code, error.cause.code]).toEqual(['SYNC_FILE_FAILED', 'RANGE_FILE_REPLACED'])
    expect(error.message).toContain('https://shop.test/stock.csv.gz')
    expect(error.message).not.toContain('4711')
    await feed.sync(machine.start(), { source }).summary
    expect(await rowsIn(machine.start())).toEqual(rowsOf(1).map(lineOf))
  })

  test.each(['date', 'nothing'] as const)(
    'gives its conditions beside the headers of a function, and follows: %s',
    async states => {
      const machine = new SimulatedMachine(1)
      const server = new Server({ states, hasRanges: true, hasConditions: true })
      const feed = new SmallFeed()
      const headers = async () => ({ authorization: 'Bearer x' })
      const source = feed.source({ files: URL_OF_IT, transport: server.transport, headers })
      const stop = new AbortController()
      const following = { source, mode: 'follow', pollMs: 5, signal: stop.signal } as const
      const run = feed.sync(machine.start(), following)
      for await (const event of run) {
        if (event.type !== 'done') continue
        if (server.content === 2) break
        server.content++
        server.made += 100
      }
      await run.summary.catch(() => {})
      expect(await rowsIn(machine.start())).toEqual(rowsOf(2).map(lineOf))
      const conditions = server.asked.filter(asked => asked.has('if-modified-since')).length
      expect(conditions > 1).toBe(states === 'date')
      expect(server.asked.filter(asked => !asked.has('authorization'))).toEqual([])
    },
  )

  test('is asked by the ranges of the run', async () => {
    const server = new Server({ states: 'nothing', hasRanges: true, hasConditions: true })
    const origins: unknown[] = []
    const transport: typeof server.transport = {
      send: request => {
        origins.push(request.redirectOrigins)
        return server.transport.send(request)
      },
    }
    const source = new SmallFeed().source({ files: URL_OF_IT, transport })
    const options = { source, ranges: { redirectOrigins: ['https://cdn.test'] } }
    await new SmallFeed().sync(new SimulatedMachine(1).start(), options).summary
    expect(origins.length).toBeGreaterThan(1)
    expect(origins).toEqual(origins.map(() => ['https://cdn.test']))
  })

  test.each([404, 403, 500])('that answers %i fails the run with its status', async status => {
    const transport = fetchTransport(async () => new Response('no', { status }))
    const feed = new SmallFeed()
    const source = feed.source({ files: URL_OF_IT, transport })
    const { summary } = feed.sync(new SimulatedMachine(1).start(), { source })
    const error = await summary.catch(thrown => thrown)
    expect(FeedError.is(error)).toBe(true)
    expect(error.message).toContain(String(status))
    expect(error.message).not.toContain('4711')
  })
})

describe('a path', () => {
  test('is read again where its file is another one', async () => {
    const machine = new SimulatedMachine(1)
    const feed = new SmallFeed()
    const path = join(feed.folder, 'stock.csv')
    const source = feed.source({ files: path })
    const applied: number[] = []
    for (const content of [1, 1, 2, 1, 3]) {
      const isNew = content !== applied.at(-1)
      if (isNew) writeFileSync(path, textOf(rowsOf(content)))
      const { files } = await feed.sync(machine.start(), { source }).summary
      expect(files).toBe(Number(isNew))
      expect(await rowsIn(machine.start())).toEqual(rowsOf(content).map(lineOf))
      applied.push(content)
    }
  })

  test('that is not there is STAGE_FAILED, and another kind of address OPTION_INVALID', async () => {
    const feed = new SmallFeed()
    const start = () => new SimulatedMachine(1).start()
    const missing = feed.source({ files: join(feed.folder, 'none.csv') })
    await expect(feed.sync(start(), { source: missing }).summary).rejects.toMatchObject({
      code: 'STAGE_FAILED',
      message: expect.stringContaining('none.csv'),
    })
    for (const files of ['ftp://shop.test/stock.csv', 's3://bucket/stock.csv', ''])
      expect(() => feed.sync(start(), { source: feed.source({ files }) })).toThrow(/source\.files/)
  })
})
