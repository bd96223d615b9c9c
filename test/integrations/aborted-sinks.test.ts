// Sinks of databases that are aborted while the database does not answer: a server of PostgreSQL
// behind a proxy that stalls, and a table that another session has locked.
//
// Long: it asks a server of PostgreSQL.

import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineSchema, type FeedError, int32, pipeline, text } from '../../src/index'
import { postgresSink, postgresTarget } from '../../src/integrations/postgres'
import { runsWithService } from '../services'
import { type SmallShop, shopAfterBootstrap } from '../sync/small-run'
import { cuttingProxy } from './postgres/cutting-proxy'
import { type TestDatabase, testDatabase } from './postgres/test-database'

/** A second, and what a busy machine takes. */
const BOUND_MS = 1_500
const schema = defineSchema({ name: 'keys', columns: { key: text({ notNull: true }), n: int32() } })
const MODES = [
  { mode: 'create' },
  { mode: 'append' },
  { mode: 'upsert', key: ['key'] },
  { mode: 'replace' },
] as const

/** Resolves with the error of a run, and checks that it comes in time. */
async function endOf(run: Promise<unknown>): Promise<FeedError | undefined> {
  const late = sleep(BOUND_MS, 'late' as const, { ref: false })
  const end = run.then(
    () => undefined,
    (error: FeedError) => error,
  )
  const error = await Promise.race([end, late])
  expect(error).not.toBe('late')
  return error as FeedError | undefined
}

describe.runIf(await runsWithService('postgres'))('PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database?.drop())

  /** The sessions of feedmill go, and their locks with them. */
  const left = () =>
    expect
      .poll(
        () =>
          database.sql(`SELECT query, wait_event_type, wait_event FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'feedmill'`),
        { timeout: 15_000 },
      )
      .toEqual([])

  test('fault 161: a run into a server that stalls at any call ends within a second, and leaves all or nothing', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 34 }),
        fc.constantFrom(...MODES),
        fc.constantFrom(0, 5, 100),
        fc.constantFrom(3, 20_000),
        async (block, mode, delayMs, rows) => {
          await database.sql('DROP TABLE IF EXISTS t')
          const proxy = await cuttingProxy(database.url)
          proxy.cutAt(block, 'stalled')
          const abort = new AbortController()
          const batch = Array.from({ length: rows }, (_, n) => ({
            key: `${n} ${'x'.repeat(60)}`,
            n,
          }))
          const sink = postgresSink(proxy.url, { ...mode, table: 't', schema })
          const run = pipeline([batch], { signal: abort.signal }).run(sink)
          run.catch(() => {})
          await expect.poll(() => proxy.isDone || Promise.race([run, sleep(1)])).toBeTruthy()
          await sleep(delayMs)
          abort.abort()
          const error = await endOf(run)
          if (error !== undefined) {
            expect(error).toMatchObject({ code: 'ABORTED', retryable: false })
            // The connection is cut, so no call is left, and the sink serves another run.
            expect(error.message).not.toContain('has not returned')
          }
          await left()
          const [found] = await database.sql("SELECT to_regclass('t') IS NOT NULL AS is_there")
          const mayBe = error !== undefined && 'mayBeCommitted' in error.context
          if (!mayBe) expect(found!.is_there).toBe(error === undefined)
          else expect(error.message).toContain('may have been committed')
          seen.add(mayBe ? `doubt ${found!.is_there}` : String(error?.code))
          await proxy.close()
        },
      ),
      { numRuns: 60 },
    )
    expect([...seen]).toEqual(expect.arrayContaining(['ABORTED', 'undefined']))
  }, 120_000)

  test('fault 161: the answer to a COMMIT that stalls leaves a doubt, which the error states', async () => {
    const doubts = []
    for (let block = 10; block < 34; block++) {
      await database.sql('DROP TABLE IF EXISTS t')
      const proxy = await cuttingProxy(database.url)
      proxy.cutAt(block, 'stalled')
      const signal = AbortSignal.timeout(150)
      const sink = postgresSink(proxy.url, { table: 't', schema })
      const error = await endOf(
        Promise.all([sleep(150), pipeline([{ key: 'a', n: 1 }], { signal }).run(sink)]),
      )
      if (error?.context && 'mayBeCommitted' in error.context) doubts.push(error.message)
      await proxy.close()
    }
    // The block with the COMMIT, and that with its answer.
    expect(doubts.length).toBeGreaterThanOrEqual(2)
    for (const doubt of doubts) expect(doubt).toContain('look before you write')
  }, 60_000)

  test.each(MODES.slice(1))(
    'fault 161: a run that waits for a lock of another session ends within a second: %j',
    async mode => {
      await database.sql('DROP TABLE IF EXISTS t; CREATE TABLE t (key text PRIMARY KEY, n int)')
      await database.sql('BEGIN')
      await database.sql('LOCK TABLE t')
      try {
        const limits = { lockTimeoutMs: 3_000 }
        const sink = postgresSink(database.url, { ...mode, ...limits, table: 't', schema })
        const signal = AbortSignal.timeout(200)
        const error = await endOf(pipeline([{ key: 'a', n: 1 }], { signal }).run(sink))
        expect(error).toMatchObject({ code: 'ABORTED', context: { stage: 'pipeline' } })
      } finally {
        await database.sql('COMMIT')
      }
      await left()
      expect(await database.sql('SELECT * FROM t')).toEqual([])
    },
    30_000,
  )

  describe('as a target of sync', () => {
    let shop: SmallShop
    beforeAll(() => {
      shop = shopAfterBootstrap(new Date(Date.UTC(2026, 2, 1)), Date.UTC(2026, 2, 2))
    })
    afterAll(() => shop?.close())

    test('fault 161: a run into a server that stalls at any call ends within a second, and the next run goes on', async () => {
      for (let block = 1; block < 160; block += block < 8 ? 1 : 19) {
        const proxy = await cuttingProxy(database.url)
        proxy.cutAt(block, 'stalled')
        const abort = new AbortController()
        const run = shop.syncInto(postgresTarget(proxy.url), { signal: abort.signal })
        run.summary.catch(() => {})
        await expect
          .poll(() => proxy.isDone || Promise.race([run.summary, sleep(1)]), { timeout: 10_000 })
          .toBeTruthy()
        abort.abort()
        const error = await endOf(run.summary)
        if (error !== undefined) expect(error).toMatchObject({ code: 'ABORTED' })
        await proxy.close()
        await left()
      }
      const summary = await shop.syncInto(postgresTarget(database.url)).summary
      expect(summary.failed).toEqual([])
    }, 120_000)
  })
})
