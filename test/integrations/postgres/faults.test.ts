// What happens to the rows when connections, writers and the process fail. A trigger of the database
// counts what the ledger gets, and feedmill does not know it.
// Long: it synchronises a world while its connections are cut.

import { Client } from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { type PostgresTargetOptions, postgresTarget } from '../../../src/integrations/postgres'
import type { SyncTarget } from '../../../src/sync/target/target'
import { runsWithService } from '../../services'
import { changedTarget, withRows } from '../../sync/target/changed-target'
import { targetLaws } from '../../sync/target/target-laws'
import { deafProxy } from './deaf-proxy'
import { type PostgresPlace, postgresPlace } from './postgres-place'
import { bootstrapOf, CATEGORY, hourOf, ORIGIN, smallFile } from './small-file'
import type { TestDatabase } from './test-database'

const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'feedmill'`
const WAITING = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'feedmill' AND wait_event_type = 'Lock'`
const COUNTING = `
CREATE TABLE applied (file text);
CREATE FUNCTION count_file() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO public.applied VALUES (NEW.file); RETURN NEW; END $$`

const TRIGGER =
  'CREATE TRIGGER counting BEFORE INSERT ON feedmill.files FOR EACH ROW EXECUTE FUNCTION count_file()'

describe.runIf(await runsWithService('postgres'))('PostgreSQL under faults', () => {
  const places: PostgresPlace[] = []
  afterEach(async () => {
    for (const place of places.splice(0)) await place.drop()
  })

  async function placed(options: PostgresTargetOptions = {}): Promise<PostgresPlace> {
    const place = await postgresPlace(options)
    places.push(place)
    return place
  }

  async function open(target: SyncTarget) {
    const { signal } = new AbortController()
    const opened = await target.open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal })
    return { opened, category: await opened.category(CATEGORY) }
  }

  const titles = ({ sql }: TestDatabase, table = 'feedmill.items') =>
    sql(`SELECT item_id AS id, title FROM ${table} ORDER BY item_id`)
  const files = ({ sql }: TestDatabase) =>
    sql('SELECT count(*)::int AS files FROM feedmill.files').then(([row]) => row?.files)

  // By default, queue/exactly-once.test.ts cuts the connections of whole synchronisations.
  if (process.env.FEEDMILL_CRASH === 'all')
    targetLaws({
      name: 'PostgreSQL whose connections are cut',
      seeds: [4],
      newPlace: () => postgresPlace({}, (target, database) => cutting(target, database)),
    })

  test('A connection that is cut between batches loses no row and doubles no file.', async () => {
    const place = await placed()
    const { opened, category } = await open(place.target())
    await place.database.sql(COUNTING)
    await place.database.sql(TRIGGER)
    let kills = 0
    const cut = async () => {
      if (kills++ < 2) await place.database.sql(KILL)
    }
    const rows = Array.from({ length: 400 }, (_, n) => `v1|${n}|0\ttitle ${n}\n`).join('')
    await category.apply(smallFile(bootstrapOf(1), `itemId\ttitle\n${rows}`, cut))
    kills = 1
    await category.apply(smallFile(hourOf(5), 'itemId\ttitle\nv1|0|0\tnew\n', cut))
    await opened.close()
    expect(await titles(place.database)).toHaveLength(400)
    const applied = await place.database.sql('SELECT count(*)::int AS n FROM applied GROUP BY file')
    expect(applied).toEqual([{ n: 1 }, { n: 1 }])
  })

  test('A connection that is lost during a COPY leaves no timer that keeps the process.', async () => {
    const place = await placed()
    const { opened, category } = await open(place.target())
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
    const before = timers()
    let kills = 0
    const cut = async () => {
      if (kills++ === 0) await place.database.sql(KILL)
    }
    await category.apply(smallFile(hourOf(1), 'itemId\ttitle\nv1|1|0\tone\n', cut))
    await opened.close()
    expect(timers()).toBeLessThanOrEqual(before)
  })

  test('A file whose commit is not answered is applied once.', async () => {
    const place = await placed()
    await open(place.target()).then(({ opened }) => opened.close())
    await place.database.sql(COUNTING)
    await place.database.sql(TRIGGER)
    const proxy = await deafProxy(place.database.url)
    const { opened, category } = await open(
      postgresTarget(proxy.url, { retry: { backoffBaseMs: 1 } }),
    )
    proxy.loseNextCommit()
    const entry = await category.apply(smallFile(hourOf(1), 'itemId\ttitle\nv1|1|0\tone\n'))
    expect([entry.sequence, proxy.lost]).toEqual([1, 1])
    await category.apply(smallFile(hourOf(2), 'itemId\ttitle\nv1|2|0\ttwo\n'))
    await opened.close()
    await proxy.close()
    const applied = await place.database.sql('SELECT count(*)::int AS n FROM applied GROUP BY file')
    expect(applied).toEqual([{ n: 1 }, { n: 1 }])
  })

  test('A server that does not come back is a typed, retryable error, within the limit.', async () => {
    const limits = { retry: { patienceMs: 20, backoffBaseMs: 1 } }
    const away = postgresTarget('postgres://postgres@127.0.0.1:1/none', limits)
    await expect(open(away)).rejects.toMatchObject({
      code: 'STATE_IO',
      retryable: true,
      context: { path: 'postgres://postgres@127.0.0.1:1/none', reason: 'ECONNREFUSED' },
    })
  })

  test('A writer whose lock another has taken changes nothing.', async () => {
    const place = await placed()
    const first = await open(place.target())
    await first.category.apply(smallFile(hourOf(1), 'itemId\ttitle\nv1|1|0\tone\n'))
    const later = () => first.category.apply(smallFile(hourOf(2), 'itemId\ttitle\nv1|1|0\told\n'))
    await place.database.sql(KILL)
    const second = await open(place.target())
    await expect(later()).rejects.toMatchObject({ code: 'STATE_LOCKED' })
    await second.category.apply(smallFile(hourOf(2), 'itemId\ttitle\nv1|1|0\ttwo\n'))
    await second.opened.close()
    await expect(later()).rejects.toMatchObject({ code: 'STATE_LOCKED' })
    await first.opened.close()
    expect(await titles(place.database)).toEqual([{ id: 'v1|1|0', title: 'two' }])
    expect(await files(place.database)).toBe(2)
  })

  test('The fencing number refuses a writer whose connection still has its lock.', async () => {
    const place = await placed()
    const { opened, category } = await open(place.target())
    await place.database.sql('UPDATE feedmill.categories SET writer = writer + 1')
    const applying = category.apply(smallFile(hourOf(1), 'itemId\ttitle\nv1|1|0\tone\n'))
    await expect(applying).rejects.toMatchObject({ code: 'STATE_LOCKED' })
    await expect(category.forgetRemovals(new Date())).rejects.toMatchObject({
      code: 'STATE_LOCKED',
    })
    await opened.close()
    expect([await titles(place.database), await files(place.database)]).toEqual([[], 0])
  })

  test('A file is merged once more where a stranger changes one of its rows meanwhile.', async () => {
    const place = await placed({ retry: { backoffBaseMs: 1 } })
    const { opened, category } = await open(place.target())
    await category.apply(smallFile(hourOf(1), 'itemId\ttitle\nv1|1|0\tone\n'))
    const stranger = new Client({ connectionString: place.database.url })
    await stranger.connect()
    await stranger.query('BEGIN')
    await stranger.query("UPDATE feedmill.items SET title = 'of a stranger'")
    const applying = category.apply(smallFile(hourOf(2), 'itemId\ttitle\nv1|1|0\ttwo\n'))
    await expect.poll(() => place.database.sql(WAITING), { timeout: 5_000 }).toHaveLength(1)
    await stranger.query('COMMIT')
    await stranger.end()
    expect(await applying).toMatchObject({ sequence: 2, rows: { updated: 1 } })
    await opened.close()
    expect(await titles(place.database)).toEqual([{ id: 'v1|1|0', title: 'two' }])
  })

  test('An abort ends a file at once, and nothing of it stays.', async () => {
    const place = await placed()
    const stop = new AbortController()
    const opened = await place
      .target()
      .open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal: stop.signal })
    const category = await opened.category(CATEGORY)
    const reason = new RangeError('stopped')
    const file = smallFile(hourOf(1), 'itemId\ttitle\nv1|1|0\tone\n', async () =>
      stop.abort(reason),
    )
    await expect(category.apply(file)).rejects.toBe(reason)
    await opened.close()
    expect([await titles(place.database), await files(place.database)]).toEqual([[], 0])
  })
})

/** Cuts the connections in the middle of every third file, and before every fifth. */
function cutting(target: SyncTarget, { sql }: TestDatabase): SyncTarget {
  let files = 0
  return changedTarget(target, async file => {
    let isCut = ++files % 3 === 0
    if (files % 5 === 0) await sql(KILL)
    return withRows(file, async function* () {
      for await (const rows of file.rows()) {
        if (isCut) await sql(KILL)
        isCut = false
        yield rows
      }
    })
  })
}
