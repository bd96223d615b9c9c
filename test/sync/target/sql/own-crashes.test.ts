// The random worlds of a feed of one's own in databases while connections are lost, processes are killed and
// disks are full. Whatever happens, the rows are those of a naive merge of the files in the ledger, each
// of which is there once, and the next run goes on. `npm run test:crash` takes more worlds.
// Long: it synchronises many small lists, some of them in processes of their own.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FeedError } from '../../../../src/engine/errors'
import { postgresTarget } from '../../../../src/integrations/postgres'
import type { OwnId } from '../../../../src/sync/file-id'
import { sync } from '../../../../src/sync/run/sync'
import type { AppliedFile } from '../../../../src/sync/target/target'
import { builtScripts } from '../../../built-scripts'
import { type Cut, cuttingProxy } from '../../../integrations/postgres/cutting-proxy'
import { type World, worlds } from '../../source/law-worlds'
import { SmallFeed } from '../../source/small-feed'
import type { LoaderOrder } from './own-loader'
import {
  duckdbPlace,
  filesFor,
  foundRows,
  hasPostgres,
  type Place,
  postgresPlace,
  sourceOf,
  wantedRows,
} from './own-places'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'feedmill'`

/** Lets a world happen in a place, with a feed of all files that the place takes. */
async function inWorld<P extends Place>(
  world: World,
  newPlace: () => Promise<P>,
  happen: (place: P, feed: SmallFeed, hasCome: (count: number) => void) => Promise<void>,
): Promise<void> {
  const atEnd: (() => void)[] = []
  const feed = new SmallFeed(remove => atEnd.push(remove))
  const place = await newPlace()
  const files = filesFor(world)
  let arrived = 0
  try {
    await happen(place, feed, count => {
      for (const each of files.slice(arrived, arrived + count)) feed.add(each)
      arrived += count
    })
  } finally {
    await place.drop()
    for (const remove of atEnd) remove()
  }
}

/** Checks the rows and the ledger, and returns the number of files in it. */
async function checkPlace(world: World, place: Place): Promise<number> {
  const contents = await place.target().contents!().catch(error => {
    if (FeedError.is(error) && error.code === 'STATE_MISSING') return { categories: [] }
    throw error
  })
  const ledger: readonly AppliedFile[] = contents.categories[0]?.files ?? []
  const ids = ledger.map(({ id }) => (id as OwnId).id)
  expect(ids).toEqual([...new Set(ids)])
  expect(ledger.map(({ sequence }) => sequence)).toEqual(ids.map((_, n) => n + 1))
  if (ids.length === 0) return 0
  const applied = world.files.filter(({ id }) => ids.includes(id))
  const rows = await foundRows(place)
  expect(rows).toEqual(wantedRows(applied, world.hasVersion))
  // A file that was counted twice, or whose rows were, would have more of them.
  const counted = ledger.reduce((sum, { rows }) => sum + rows.inserted - rows.deleted, 0)
  expect(counted).toBe(rows.length)
  return ids.length
}

const isAway = (error: unknown) =>
  FeedError.is(error) && (error.code === 'STATE_IO' || error.code === 'STATE_LOCKED')

describe.runIf(hasPostgres)('PostgreSQL whose connections end', () => {
  /** How a connection ends: at a block of its bytes, or by the server after some milliseconds. */
  const loss = fc.record({
    how: fc.constantFrom<Cut | 'killed'>('lost', 'last', 'terminated', 'killed', 'killed'),
    at: fc.integer({ min: 1, max: 60 }),
  })

  test('has the rows of the files in its ledger, each of them once.', async () => {
    let happened = 0
    let failures = 0
    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.array(loss, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 2_000),
        async (world, losses, atOnce, patienceMs) =>
          inWorld(world, postgresPlace, async (place, feed, hasCome) => {
            const proxy = await cuttingProxy(place.address)
            const left = [...losses]
            const retry = { patienceMs, backoffBaseMs: 1, backoffCapMs: 10 }
            const run = async () => {
              const { how, at } = left.shift() ?? {}
              if (how !== undefined && how !== 'killed') proxy.cutAt(at!, how)
              const source = sourceOf(feed, world.hasVersion)
              const running = sync({
                source,
                target: postgresTarget(proxy.url, { retry, lockTimeoutMs: 500 }),
                parallelFiles: 3,
                maxRemovedShare: 1,
                maxBadShare: 1,
              }).summary
              const killing =
                how === 'killed' && setTimeout(at! / 2).then(() => place.database.sql(KILL))
              const [end] = await Promise.allSettled([running, killing])
              if (killing ? (await killing).length > 0 : how !== undefined && proxy.isDone)
                happened++
              if (end.status === 'rejected') throw end.reason
            }
            try {
              for (let n = 0; n < world.files.length; n += atOnce) {
                hasCome(atOnce)
                for (let isDone = false; !isDone; ) {
                  isDone = await run().then(
                    () => true,
                    error => {
                      if (!isAway(error)) throw error
                      failures++
                      return false
                    },
                  )
                  await checkPlace(world, place)
                }
                expect(await foundRows(place)).toEqual(
                  wantedRows(filesFor(world).slice(0, n + atOnce), world.hasVersion),
                )
              }
            } finally {
              await proxy.close()
            }
          }),
      ),
      { numRuns: ALL ? 150 : 12 },
    )
    expect(happened).toBeGreaterThan(0)
    expect(failures).toBeGreaterThan(0)
  }, 1_800_000)
})

describe('a process that loads', () => {
  let built: string
  beforeAll(async () => {
    built = await builtScripts('own-loader', { loader: 'test/sync/target/sql/own-loader.ts' })
  }, 60_000)
  afterAll(() => rm(built, { recursive: true, force: true }))

  /**
   * Runs a process to its end, or kills it some milliseconds after a line. Returns its last line.
   * @param before words before the command
   */
  async function load(
    kind: LoaderOrder['kind'],
    place: Place,
    feed: SmallFeed,
    hasVersion: boolean,
    { line = Number.POSITIVE_INFINITY, ms = 0, before = [] as readonly string[] } = {},
  ): Promise<string> {
    const { files } = feed
    const source = { ...sourceOf(feed, hasVersion), files }
    const order: LoaderOrder = { kind, address: place.address, source }
    const [command = '', ...words] = [
      ...before,
      process.execPath,
      join(built, 'loader.js'),
      JSON.stringify(order),
    ]
    const child: ChildProcess = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout?.on('data', (part: Buffer) => {
      text += part
      const lines = text.split('\n').length - 1
      if (lines >= line) void setTimeout(ms).then(() => child.kill('SIGKILL'))
    })
    await once(child, 'close')
    return text.trim().split('\n').at(-1)!
  }

  const kill = fc.record({
    /** The part of the lines of a run after which it is killed. */
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    ms: fc.integer({ min: 0, max: 12 }),
  })

  test.each([
    ['duckdb', true, duckdbPlace],
    ['postgres', hasPostgres, postgresPlace],
  ] as const)(
    'is killed, and the next one ends with the same rows (%s).',
    async (kind, isThere, newPlace) => {
      if (!isThere) return
      let kills = 0
      await fc.assert(
        fc.asyncProperty(worlds, fc.array(kill, { minLength: 1, maxLength: 3 }), (world, moments) =>
          inWorld(world, newPlace, async (place, feed, hasCome) => {
            hasCome(world.files.length)
            const lines = world.files.reduce((sum, { rows }) => sum + rows.length + 2, 0)
            for (const { share, ms } of moments) {
              const at = { line: Math.ceil(share * lines), ms }
              if ((await load(kind, place, feed, world.hasVersion, at)) !== 'closed') kills++
              await checkPlace(world, place)
            }
            expect(await load(kind, place, feed, world.hasVersion)).toBe('closed')
            await checkPlace(world, place)
            expect(await foundRows(place)).toEqual(wantedRows(filesFor(world), world.hasVersion))
          }),
        ),
        { numRuns: ALL ? 40 : 3, endOnFailure: true },
      )
      expect(kills).toBeGreaterThan(0)
    },
    1_800_000,
  )

  test('finds its disk full, and the next one ends with the same rows (duckdb).', async () => {
    // A file of DuckDB is larger than its log, in which the rows of a commit are safe. Of the first
    // limit a new file has no room for its headers.
    const small = fc.integer({ min: 0, max: 3 })
    const kib = fc.oneof(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: 700 }))
    const limits = fc
      .tuple(small, fc.array(kib, { maxLength: 2, size: 'max' }))
      .map(([first, more]) => [first, ...more])
    let failures = 0
    await fc.assert(
      fc.asyncProperty(worlds, fc.nat({ max: 2 }), limits, (world, first, limits) =>
        inWorld(world, duckdbPlace, async (place, feed, hasCome) => {
          hasCome(first)
          const end = (before: readonly string[] = []) =>
            load('duckdb', place, feed, world.hasVersion, { before })
          if (first > 0) expect(await end()).toBe('closed')
          hasCome(world.files.length)
          for (const limit of limits) {
            // A limit of the size of files ends a write within it, as a full disk does.
            const failed = await end(['bash', '-c', `ulimit -f ${limit} && exec "$@"`, 'bash'])
            expect(['closed', 'STATE_IO']).toContain(failed)
            if (failed !== 'closed') failures++
            await checkPlace(world, place)
          }
          expect(await end()).toBe('closed')
          await checkPlace(world, place)
          expect(await foundRows(place)).toEqual(wantedRows(filesFor(world), world.hasVersion))
        }),
      ),
      { numRuns: ALL ? 30 : 3, endOnFailure: true },
    )
    expect(failures).toBeGreaterThan(0)
  }, 1_800_000)
})
