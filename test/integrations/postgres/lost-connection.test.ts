// A connection that ends at each of its calls in turn, in each of the ways in which a client learns
// of it. `npm run test:crash` takes every call, and `npm test` some of them.
// Long: it repeats a session for each of its calls.

import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineSchema, pipeline, TsvRowParser, text } from '../../../src/index'
import { postgresSink, postgresTarget } from '../../../src/integrations/postgres'
import { addressOf } from '../../../src/integrations/postgres/address'
import { COPY_BLOCK_BYTES, PgConnection } from '../../../src/integrations/postgres/pg-adapter'
import { runsWithService } from '../../services'
import { type Cut, type CuttingProxy, cuttingProxy } from './cutting-proxy'
import { bootstrapOf, CATEGORY, hourOf, ORIGIN, smallFile } from './small-file'
import { type TestDatabase, testDatabase } from './test-database'

const LIMITS = { connectTimeoutMs: 5_000, lockTimeoutMs: 300, statementTimeoutMs: 10_000 }
const ALL = process.env.FEEDMILL_CRASH === 'all'
const CUTS: readonly Cut[] = ['lost', 'last', 'terminated']
const BOOTSTRAP = 'itemId\ttitle\nv1|1|0\tone\nv1|2|0\ttwo\n'
const TWICE = `${BOOTSTRAP}v1|2|0\ttwo again\n`
const CONTENT = `SELECT
  array(SELECT item_id || ' ' || rtrim(title) FROM feedmill.items ORDER BY 1) AS rows,
  array(SELECT sequence FROM feedmill.files ORDER BY 1) AS files`
const WHOLE = {
  rows: ['v1|1|0 one', 'v1|2|0 new', 'v1|3|0 three', 'v1|4|0 four'],
  files: [1, 2],
}
/** Each row is more than a block of a COPY. */
const HOUR = `itemId\ttitle\n${['v1|2|0\tnew', 'v1|3|0\tthree', 'v1|4|0\tfour'].map(row => `${row}${' '.repeat(COPY_BLOCK_BYTES)}\n`).join('')}`

describe.runIf(await runsWithService('postgres'))('a connection that ends', () => {
  let database: TestDatabase
  let proxy: CuttingProxy
  beforeAll(async () => {
    database = await testDatabase()
    proxy = await cuttingProxy(database.url)
  })
  afterAll(async () => {
    await proxy?.close()
    await database?.drop()
  })

  /** The end of the connection, which this process sees too, is known before the next call. */
  const between = async () => {
    for (let n = 0; n < 10; n++) await turn()
  }

  /** All that a run does with a target. */
  async function session(): Promise<void> {
    const target = postgresTarget(proxy.url, { retry: { backoffBaseMs: 1, backoffCapMs: 20 } })
    const { signal } = new AbortController()
    const opened = await target.open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal })
    const category = await opened.category(CATEGORY)
    await category.apply(smallFile(bootstrapOf(1), TWICE, between))
    await category.apply(smallFile(hourOf(5), HOUR, between))
    await category.forgetRemovals(new Date(0))
    await category.removalsForgotten()
    await opened.close()
    await target.contents?.()
  }

  async function content() {
    const [found] = await database.sql(CONTENT)
    await database.sql(
      'TRUNCATE feedmill.items, feedmill.removals, feedmill.files, feedmill.categories',
    )
    return found
  }

  test('fault 111: the server ends a session whose client is gone within the promised minute', async () => {
    const connection = await PgConnection.open(addressOf(database.url), LIMITS)
    const rows = await connection.query(
      `SELECT name, setting::int FROM pg_settings
       WHERE name LIKE 'tcp\\_%' OR name = 'client_connection_check_interval'`,
    )
    await connection.end()
    const set = Object.fromEntries(rows.map(({ name, setting }) => [String(name), Number(setting)]))
    const { tcp_keepalives_idle: idle, tcp_keepalives_interval: each } = set
    const silentMs = (idle! + each! * set.tcp_keepalives_count!) * 1_000
    // Bytes under way are given up by the second of these, and a client that owes none by the first.
    for (const lostMs of [silentMs, set.tcp_user_timeout!])
      expect(lostMs + (set.client_connection_check_interval ?? 0)).toBeLessThan(60_000)
    // Where no limit is set the system's own holds, which is hours.
    expect(Math.min(...Object.values(set))).toBeGreaterThan(0)
  })

  test.each([0, 1, 2, 3])(
    'fault 112: before the call %i of a COPY, and every later call says so',
    async before => {
      await database.sql('CREATE TABLE IF NOT EXISTS texts (text text)')
      const connection = await PgConnection.open(addressOf(database.url), LIMITS)
      const copy = await connection.copy('COPY texts FROM STDIN')
      const block = Buffer.alloc(COPY_BLOCK_BYTES, 'text\n')
      const calls = [() => copy.write(block), () => copy.write(block), () => copy.write(block)]
      for (const call of calls.slice(0, before)) await call()
      await database.sql('SELECT pg_terminate_backend($1)', [connection.processId])
      await expect.poll(() => connection.isLost).toBe(true)
      const lost = { code: 'STATE_IO', retryable: true }
      // A block is sent while the next one is made, so the first call may still succeed.
      await calls[before]?.().catch(error => expect(error).toMatchObject(lost))
      for (const call of calls.slice(before + 1)) await expect(call()).rejects.toMatchObject(lost)
      await expect(copy.end()).rejects.toMatchObject(lost)
      await expect(connection.query('SELECT 1')).rejects.toMatchObject(lost)
    },
  )

  test.each(CUTS)(
    'fault 112: at any call of a run, and the run connects again and goes on (%s)',
    async cut => {
      let n = 1
      for (; ; n += ALL ? 1 : 25) {
        proxy.cutAt(n, cut)
        await session().catch(error => expect([n, error]).toEqual([n, undefined]))
        expect([n, await content()]).toEqual([n, WHOLE])
        if (!proxy.isDone) break
      }
      expect(n).toBeGreaterThan(40)
    },
    600_000,
  )

  test.each(CUTS)(
    'fault 112: at any call of a sink, which leaves all rows or none (%s)',
    async cut => {
      const schema = defineSchema({ name: 'keys', columns: { key: text() } })
      await database.sql('DROP TABLE IF EXISTS sunk; CREATE TABLE sunk (key text)')
      for (let n = 1; ; n += ALL ? 1 : 4) {
        proxy.cutAt(n, cut)
        const error = await pipeline([Buffer.from('key\na\nb\n')])
          .to(new TsvRowParser({ schema }))
          .run(postgresSink(proxy.url, { table: 'sunk', mode: 'append' }))
          .then(
            () => undefined,
            failure => failure,
          )
        if (!proxy.isDone) break
        const [{ rows }] = (await database.sql('SELECT count(*)::int AS rows FROM sunk')) as [
          { rows: number },
        ]
        if (error === undefined) expect([n, rows]).toEqual([n, 2])
        else {
          // Only the answer to a COMMIT leaves a doubt, and then nobody may repeat the run blindly.
          const { retryable } = error
          const doubt = retryable ? {} : { mayBeCommitted: true }
          expect([n, error]).toMatchObject([n, { code: 'SINK_FAILED', context: doubt }])
          expect([n, retryable ? [0] : [0, 2]]).toEqual([n, expect.arrayContaining([rows])])
        }
        await database.sql('TRUNCATE sunk')
      }
    },
    600_000,
  )
})
