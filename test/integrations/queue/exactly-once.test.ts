// Three workers bring six categories into PostgreSQL while random processes and connections are
// killed: workers, sessions of the database, connections to Redis, and both servers. Afterwards the
// tables and the ledger equal those of runs that nothing has disturbed, and a trigger has seen no
// file twice. `npm run test:crash` kills a hundred times, and `npm test` once in each way.

import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresTarget } from '../../../src/integrations/postgres'
import { scheduleCategories } from '../../../src/integrations/queue'
import { runCategory } from '../../../src/sync'
import { runsWith } from '../../tools'
import { buildsChildren, Fleet, LOCK_MS } from './child'
import { type OwnServer, ownPostgres, ownRedis } from './own-servers'
import { QueueShop, until } from './queue-shop'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const MARKETPLACE = 'MKT_US'
const CATEGORIES = ['220', '267', '281', '293', '550', '619']
const WORKERS = 3
const WORLD = { seed: 8, items: ALL ? 3_000 : 300, churn: 20, hours: 96, categories: CATEGORIES }
/** The age of the world in hours: each category has a file for each. */
const HOURS = ALL ? 70.3 : 8.3
/** Longer than a kill takes, so that there is work until the last one. */
const FILE_MS = ALL ? 250 : 150

/** The ways to disturb the workers, with how often each comes in a hundred. */
const WAYS = {
  'SIGKILL of a worker': 30,
  'SIGSTOP past the lock': 12,
  'SIGSTOP past the lock, and the end of all sessions': 12,
  pg_terminate_backend: 22,
  'CLIENT KILL of Redis': 14,
  'a restart of PostgreSQL': 5,
  'a restart of Redis': 5,
} as const
type Way = keyof typeof WAYS

/** Everything but the time at which a file was applied. */
const CONTENT = `
SELECT 'items' AS part, to_jsonb(r) AS row FROM feedmill.items r
UNION ALL SELECT 'groups', to_jsonb(r) FROM feedmill.item_groups r
UNION ALL SELECT 'priorities', to_jsonb(r) FROM feedmill.priorities r
UNION ALL SELECT 'files', to_jsonb(r) - 'applied_at' FROM feedmill.files r
ORDER BY 1, 2`
const COUNTING = `
CREATE TABLE applied (file text);
CREATE FUNCTION count_file() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO public.applied VALUES (NEW.file); RETURN NEW; END $$;
CREATE TRIGGER counting AFTER INSERT ON feedmill.files FOR EACH ROW EXECUTE FUNCTION count_file()`
const END_OF_SESSION = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'feedmill'`

buildsChildren()

describe.runIf(runsWith('redis-server') && runsWith('initdb'))('workers of PostgreSQL', () => {
  let postgres: OwnServer
  let redis: OwnServer
  let shop: QueueShop
  let workers: Fleet | undefined
  beforeAll(async () => {
    postgres = await ownPostgres()
    redis = await ownRedis()
    shop = await QueueShop.open(redis.url, WORLD, HOURS)
  }, 60_000)
  afterAll(async () => {
    workers?.kill()
    await shop?.close()
    await redis?.close()
    await postgres?.close()
  })

  test(
    'apply each file exactly once, whatever is killed.',
    async () => {
      const undisturbed = await newDatabase(postgres.url, 'undisturbed')
      for (const categoryId of CATEGORIES) {
        const target = postgresTarget(undisturbed)
        const options = { service: shop.service(), marketplace: MARKETPLACE, target }
        const { missing, failed } = await runCategory(categoryId, options)
        expect([missing, failed]).toEqual([[], []])
      }
      const files = await countIn(undisturbed, 'feedmill.files')
      expect(files).toBeGreaterThan(CATEGORIES.length * HOURS)

      const disturbed = await newDatabase(postgres.url, 'disturbed')
      await makeTables(disturbed, undisturbed)
      await sql(disturbed, COUNTING)
      const applied = () => countIn(disturbed, 'feedmill.files')
      const { queue } = shop
      const scheduled = { queue, marketplace: MARKETPLACE, categories: CATEGORIES }
      await scheduleCategories({ ...scheduled, everyMs: 2_000, backoffMs: 50 })
      const order = { postgres: disturbed, fileMs: FILE_MS, stopsAt: 0 }
      const running = new Fleet(shop, WORKERS, order)
      workers = running
      const ways = waysOf(ALL ? 100 : Object.keys(WAYS).length)
      const killed: Way[] = []
      const startedAt = performance.now()
      try {
        for (const [n, way] of ways.entries()) {
          // The kills are spread over the files, so that they come during the work on any machine.
          await until(async () => (await applied()) >= Math.floor((0.9 * files * n) / ways.length))
          await pause(Math.random() * FILE_MS)
          if ((await applied()) < files) killed.push(way)
          await kill(way, running, disturbed)
        }
        await until(async () => (await applied()) >= files)
      } finally {
        await running.end()
      }
      // Most kills have met work.
      expect(killed.length).toBeGreaterThanOrEqual(0.75 * ways.length)
      if (ALL) console.log(reportOf(killed, files, performance.now() - startedAt))
      expect(await countIn(disturbed, 'applied')).toBe(files)
      expect(
        await sql(disturbed, 'SELECT file FROM applied GROUP BY 1 HAVING count(*) > 1'),
      ).toEqual([])
      expect(await sql(disturbed, CONTENT)).toEqual(await sql(undisturbed, CONTENT))
    },
    ALL ? 1_800_000 : 120_000,
  )

  async function kill(way: Way, workers: Fleet, url: string): Promise<void> {
    switch (way) {
      case 'SIGKILL of a worker':
        return workers.one().kill()
      case 'SIGSTOP past the lock':
      case 'SIGSTOP past the lock, and the end of all sessions': {
        const { process } = workers.one()
        process.kill('SIGSTOP')
        // Without its session the worker loses its category too, and another one takes both.
        if (way !== 'SIGSTOP past the lock') await sql(url, END_OF_SESSION)
        await pause(LOCK_MS * 3)
        process.kill('SIGCONT')
        return
      }
      case 'pg_terminate_backend':
        await sql(url, `${END_OF_SESSION} ORDER BY random() LIMIT 1`)
        return
      case 'CLIENT KILL of Redis':
        return shop.cutConnections(lines => [oneOf(lines)])
      case 'a restart of PostgreSQL':
        return postgres.restart()
      case 'a restart of Redis':
        return redis.restart()
    }
  }
})

/** Every way before any of them comes again, then the ways by their weights. */
function waysOf(count: number): Way[] {
  const ways = Object.keys(WAYS) as Way[]
  const weighted = ways.flatMap(way => new Array<Way>(WAYS[way]).fill(way))
  const further = Array.from({ length: count - ways.length }, () => oneOf(weighted))
  return [...ways, ...further].sort(() => Math.random() - 0.5)
}

function reportOf(ways: readonly Way[], files: number, elapsedMs: number): string {
  const counts = Object.keys(WAYS).map(
    way => `${ways.filter(each => each === way).length} × ${way}`,
  )
  return `${counts.join(', ')}: ${files} files applied in ${(elapsedMs / 1000).toFixed(0)} s`
}

/** Makes the tables of a target, which its first run would make, for the service of another. */
async function makeTables(url: string, other: string): Promise<void> {
  const { signal } = new AbortController()
  const [meta] = await sql(other, 'SELECT service FROM feedmill.meta')
  const origin = { marketplace: MARKETPLACE, service: String(meta?.service) }
  await (await postgresTarget(url).open({ origin, memoryBytes: 2 ** 26, signal })).close()
}

async function newDatabase(serverUrl: string, name: string): Promise<string> {
  await sql(serverUrl, `CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = name
  return url.href
}

async function countIn(url: string, table: string): Promise<number> {
  const [row] = await sql(url, `SELECT count(*)::int AS n FROM ${table}`)
  return Number(row?.n)
}

/** Runs statements on a connection of their own, since the server may have been restarted. */
async function sql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

function oneOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
