// A COMMIT that fails in a sink of a table: the answer that is lost, and the refusal of the database.
//
// Long: it loads DuckDB, and asks a server of PostgreSQL.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  csvSink,
  defineSchema,
  type FeedError,
  int32,
  pipeline,
  type Sink,
  sqliteSink,
  tee,
  text,
} from '../../src/index'
import { duckdbSink } from '../../src/integrations/duckdb'
import { Database } from '../../src/integrations/duckdb/database'
import { postgresSink } from '../../src/integrations/postgres'
import { readSqlite, SQLITE_DRIVERS } from '../engine/sinks/sqlite-drivers'
import { runsWithService } from '../services'
import { type Cut, cuttingProxy } from './postgres/cutting-proxy'
import { type TestDatabase, testDatabase } from './postgres/test-database'

const schema = defineSchema({ name: 'keys', columns: { key: text({ notNull: true }), n: int32() } })
const ROWS = [{ key: 'a', n: 1 }]
const folder = await mkdtemp(join(tmpdir(), 'feedmill-lost-'))
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

const MODES = [
  { mode: 'create' },
  { mode: 'append' },
  { mode: 'upsert', key: ['key'] },
  { mode: 'replace' },
] as const
const runInto = (sink: Sink<unknown>) =>
  pipeline(ROWS)
    .run(sink)
    .then(
      () => undefined,
      (error: FeedError) => error,
    )
const MAY_BE = {
  code: 'SINK_FAILED',
  retryable: false,
  message: expect.stringContaining('may have been committed'),
  context: { mayBeCommitted: true },
}

describe.runIf(SQLITE_DRIVERS.length > 0)('SQLite', () => {
  /** A database whose COMMIT fails, before it has done its work or behind that. */
  const failing = (path: string, isDone: boolean) => {
    const database = SQLITE_DRIVERS[0]![1](path)
    let isOver = false
    return {
      prepare: sql => database.prepare(sql),
      close: () => database.close(),
      exec(sql) {
        if (sql === 'ROLLBACK' && isOver)
          throw new RangeError('cannot rollback - no transaction is active')
        if (sql !== 'COMMIT') return database.exec(sql)
        if (isDone) database.exec(sql)
        isOver = isDone
        throw Object.assign(new RangeError('disk I/O error'), { code: 'SQLITE_IOERR' })
      },
    } satisfies ReturnType<(typeof SQLITE_DRIVERS)[0][1]>
  }
  test.each(MODES)(
    'fault 162: a COMMIT that fails says whether its rows may be there: %j',
    async mode => {
      for (const isDone of [true, false]) {
        const path = join(folder, `${mode.mode}-${isDone}.sqlite`)
        const options = { ...mode, table: 't', schema, open: (at: string) => failing(at, isDone) }
        const error = await runInto(sqliteSink(path, options))
        const read = () => readSqlite(path, 'SELECT key FROM t')
        if (isDone) {
          expect(error).toMatchObject(MAY_BE)
          expect(read()).toEqual([{ key: 'a' }])
        } else {
          expect(error).toMatchObject({ code: 'SINK_FAILED', context: { reason: 'SQLITE_IOERR' } })
          expect(error!.context).not.toHaveProperty('mayBeCommitted')
          expect(read).toThrow('no such table')
        }
      }
    },
  )

  test('fault 162: tee says of such a sink that it is neither committed nor aborted', async () => {
    const lost = (name: string) =>
      sqliteSink(join(folder, name), { table: 't', schema, open: at => failing(at, true) })
    const csv = () => csvSink(join(folder, 'x.csv')) as Sink<unknown>
    expect(await runInto(tee([lost('1'), csv()]))).toMatchObject({
      code: 'SINK_PARTLY_COMMITTED',
      message: expect.stringContaining('may have been committed'),
      context: { committed: [], failed: 'sink 1 (sqlite)', aborted: ['sink 2 (csv)'] },
      cause: MAY_BE,
    })
    expect(await runInto(tee([csv(), lost('2')]))).toMatchObject({
      context: { committed: ['sink 1 (csv)'], failed: 'sink 2 (sqlite)', aborted: [] },
    })
  })
})

describe('DuckDB', () => {
  test.each(MODES)(
    'fault 162: a COMMIT that fails says whether its rows may be there: %j',
    async mode => {
      const { run } = Database.prototype
      for (const isDone of [true, false]) {
        const path = join(folder, `${mode.mode}-${isDone}.duckdb`)
        vi.spyOn(Database.prototype, 'run').mockImplementation(async function (
          this: Database,
          sql,
        ) {
          if (sql !== 'COMMIT') return run.call(this, sql)
          if (isDone) await run.call(this, sql)
          throw new RangeError('Failed to commit: could not write')
        })
        const error = await runInto(duckdbSink(path, { ...mode, table: 't', schema }))
        vi.restoreAllMocks()
        const instance = await DuckDBInstance.create(path)
        const connection = await instance.connect()
        const read = async () => (await connection.runAndReadAll('SELECT key FROM t')).getRows()
        if (isDone) {
          expect(error).toMatchObject(MAY_BE)
          expect(await read()).toEqual([['a']])
        } else {
          expect(error).toMatchObject({ code: 'SINK_FAILED', retryable: false })
          expect(error!.context).not.toHaveProperty('mayBeCommitted')
          await expect(read()).rejects.toThrow('does not exist')
        }
        connection.closeSync()
        instance.closeSync()
      }
    },
  )
})

describe.runIf(await runsWithService('postgres'))('PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database?.drop())

  const CUTS: readonly Cut[] = ['lost', 'last', 'terminated']
  test.each(CUTS.flatMap(cut => MODES.map(mode => [cut, mode] as const)))(
    'fault 162: a connection that ends (%s) at any call of a sink: what may be repeated has left no row (%j)',
    async (cut, mode) => {
      const proxy = await cuttingProxy(database.url)
      let lost = 0
      for (let n = 1; ; n++) {
        await database.sql('DROP TABLE IF EXISTS t')
        proxy.cutAt(n, cut)
        const error = await runInto(postgresSink(proxy.url, { ...mode, table: 't', schema }))
        if (!proxy.isDone) break
        const [found] = await database.sql("SELECT to_regclass('t') IS NOT NULL AS is_there")
        const isThere = found!.is_there
        if (error === undefined) expect([n, isThere]).toEqual([n, true])
        else if (error.retryable) expect([n, isThere]).toEqual([n, false])
        else {
          expect([n, error]).toMatchObject([n, MAY_BE])
          lost++
        }
      }
      await proxy.close()
      expect(lost).toBeGreaterThan(0)
    },
    60_000,
  )

  test('fault 162: a COMMIT that the server refuses has left no row, and says so', async () => {
    await database.sql(
      'DROP TABLE IF EXISTS t; CREATE TABLE t (key text UNIQUE DEFERRABLE INITIALLY DEFERRED, n int)',
    )
    const sink = postgresSink(database.url, { table: 't', schema, mode: 'append' })
    const error = await pipeline([...ROWS, ...ROWS])
      .run(sink)
      .then(
        () => undefined,
        (failure: FeedError) => failure,
      )
    expect(error).toMatchObject({ code: 'SINK_FAILED', context: { reason: '23505' } })
    expect(error!.context).not.toHaveProperty('mayBeCommitted')
    expect(await database.sql('SELECT * FROM t')).toEqual([])
  })
})
