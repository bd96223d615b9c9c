// Measures how the ingestion of equal categories scales: the built command brings six categories
// into PostgreSQL by one worker process and by two, in alternating rounds, and fails above the goal.
// Each round has a database and a queue of its own; the emulated service keeps the compressed files.
// The processors are shared with the servers, so their busy time says what two workers could reach.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { median } from '../../src/bench/statistics/median'
import type { ServeAddress } from '../../src/cli/serve'
import { wholeNumber } from '../bench-options'

const COMMAND = 'dist/cli.js'
const POSTGRES = process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test'
const REDIS = process.env.FEEDMILL_TEST_REDIS ?? 'redis://127.0.0.1:6379'
const CATEGORIES = ['220', '267', '293', '550', '625', '870']
/** The time of two workers, as a part of that of one. */
const GOAL = 0.65
/** Six bootstraps in much less; a round that hangs must not hang the run. */
const ROUND_LIMIT_MS = 20 * 60 * 1000

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
  },
})
const items = wholeNumber('--items', values.items)
const rounds = wholeNumber('--rounds', values.rounds)

const categoryWords = CATEGORIES.flatMap(id => ['--category', id])
const command = (words: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  spawn(process.execPath, [COMMAND, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] })

async function succeeded(child: ChildProcess, what: string): Promise<void> {
  child.stdout?.resume()
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${what} ended with ${code}`)
}

/** A line of `feedmill worker --json`. */
interface Report {
  readonly categoryId: string
  readonly watermark?: string | null
  readonly rows?: number
}

interface Round {
  readonly seconds: number
  /** Seconds for which any process of the machine had a processor. */
  readonly busySeconds: number
  readonly rows: number
}

function busySeconds(): number {
  return (
    cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) /
    1000
  )
}

/** Resolves with the rows of all categories when each has been brought up to date. */
async function caughtUp(workers: readonly ChildProcess[], limit: AbortSignal): Promise<number> {
  const rowsOf = new Map<string, number>()
  const failed = workers.map(async worker => {
    const [code] = (await once(worker, 'exit', { signal: limit })) as [number | null]
    throw new Error(`a worker ended with ${code} before its categories were up to date`)
  })
  const done = workers.map(async worker => {
    for await (const line of createInterface({ input: worker.stdout! })) {
      const { categoryId, watermark, rows = 0 } = JSON.parse(line) as Report
      if (watermark) rowsOf.set(categoryId, rows)
      if (rowsOf.size === CATEGORIES.length) return
    }
    // The pipe ends with the process, whose end is the failure.
    await new Promise<never>(() => {})
  })
  for (const promise of failed) promise.catch(() => {})
  await Promise.race([...done, ...failed])
  return [...rowsOf.values()].reduce((sum, rows) => sum + rows, 0)
}

const shown = ({ seconds, busySeconds }: Round) =>
  `${seconds.toFixed(1)} s (processors ${busySeconds.toFixed(1)} s)`

async function round(
  count: number,
  { server, redis }: { server: Client; redis: Redis },
  { env, now }: { env: NodeJS.ProcessEnv; now: string },
): Promise<Round> {
  const name = `feedmill_bench_${randomBytes(6).toString('hex')}`
  const url = new URL(POSTGRES)
  url.pathname = name
  const place = ['--queue', REDIS, '--queue-name', name]
  const to = ['--to', url.href]
  const scheduled = [...place, '--marketplace', 'MKT_US', ...categoryWords]
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
  const workers: ChildProcess[] = []
  try {
    await succeeded(command(['schedule', ...scheduled, ...to]), 'schedule')
    const start = performance.now()
    const busyBefore = busySeconds()
    for (let n = 0; n < count; n++)
      workers.push(command(['worker', ...place, ...to, '--now', now, '--json'], env))
    const rows = await caughtUp(workers, AbortSignal.timeout(ROUND_LIMIT_MS))
    const seconds = (performance.now() - start) / 1000
    return { seconds, busySeconds: busySeconds() - busyBefore, rows }
  } finally {
    await Promise.all(
      workers
        .filter(({ exitCode }) => exitCode === null)
        .map(worker => {
          worker.kill('SIGTERM')
          return once(worker, 'close')
        }),
    )
    await succeeded(command(['unschedule', ...scheduled]), 'unschedule')
    // The queue keeps the jobs that are done.
    const keys = await redis.keys(`feedmill:${name}:*`)
    if (keys.length > 0) await redis.del(keys)
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  }
}

const serve = command(['serve', '--items', String(items), ...categoryWords, '--json'])
const server = new Client({ connectionString: POSTGRES })
const redis = new Redis(REDIS)
try {
  const [line] = (await once(createInterface({ input: serve.stdout! }), 'line')) as [string]
  const address = JSON.parse(line) as ServeAddress
  const service = {
    now: address.now,
    env: {
      ...process.env,
      FEEDMILL_BASE_URL: address.url,
      FEEDMILL_TOKEN_URL: address.tokenUrl,
      FEEDMILL_SCOPE_BASE: address.scopeBase,
      FEEDMILL_CLIENT_ID: address.clientId,
      FEEDMILL_CLIENT_SECRET: address.clientSecret,
    },
  }
  await server.connect()
  const servers = { server, redis }
  // The service makes the files in this round, so that it only sends them in the others.
  const { rows } = await round(2, servers, service)
  console.log(`${CATEGORIES.length} categories, ${rows} rows`)
  const ratios: number[] = []
  const busyProcessors: number[] = []
  for (let n = 1; n <= rounds; n++) {
    const counts = n % 2 === 0 ? [2, 1] : [1, 2]
    const made: Record<number, Round> = {}
    for (const count of counts) {
      const one = await round(count, servers, service)
      if (one.rows !== rows) throw new Error(`${one.rows} rows, and not ${rows}`)
      made[count] = one
    }
    const [one, two] = [made[1]!, made[2]!]
    const ratio = two.seconds / one.seconds
    ratios.push(ratio)
    busyProcessors.push(one.busySeconds / one.seconds)
    console.log(
      `round ${n}: one worker ${shown(one)}, two workers ${shown(two)}, ${ratio.toFixed(2)} ×`,
    )
  }
  const ratio = median(ratios)
  console.log(`median ${ratio.toFixed(2)} ×, goal ${GOAL} ×: ${ratio <= GOAL ? 'held' : 'missed'}`)
  const busy = median(busyProcessors)
  const processors = cpus().length
  const least = Math.max(0.5, busy / processors)
  console.log(
    `one worker keeps ${busy.toFixed(2)} of ${processors} processors busy: two workers cannot take less than ${least.toFixed(2)} ×`,
  )
  if (ratio > GOAL) process.exitCode = 1
} finally {
  serve.kill('SIGTERM')
  redis.disconnect()
  await server.end()
}
