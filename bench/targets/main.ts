// Compares whole first runs of `feedmill sync` into a state folder, a DuckDB file and PostgreSQL:
// the same files of one emulated service, fresh processes, in turns. A missed goal fails the run.
// PostgreSQL is left out where FEEDMILL_TEST_POSTGRES (or the local server) does not answer.

import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { median } from '../../src/bench/statistics/median'
import { wholeNumber } from '../bench-options'
import { startService, type WholeRun, wholeSync } from './whole-sync'

const SERVER = process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test'
/** The most that DuckDB may take, as a multiple of the time of the folder. */
const MOST_RATIO = 4
const MOST_MB = { folder: 256, duckdb: 512, postgres: 256 }

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '3' },
  },
})

async function postgresServer(): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    return client
  } catch (error) {
    console.log(`PostgreSQL is left out: ${(error as Error).message}`)
    return undefined
  }
}

function say(words: string, isMet: boolean): void {
  console.log(`${words}: ${isMet ? 'held' : 'MISSED'}`)
  if (!isMet) process.exitCode = 1
}

const folder = await mkdtemp(join(tmpdir(), 'feedmill-targets-'))
const items = wholeNumber('--items', values.items, 1, 50_000_000)
const rounds = wholeNumber('--rounds', values.rounds)
const service = await startService(items)
const server = await postgresServer()
const schema = `feedmill_bench_${randomBytes(6).toString('hex')}`
const address = new URL(SERVER)
address.searchParams.set('schema', schema)
const TARGETS = ['folder', 'duckdb', 'postgres'] as const
type Target = (typeof TARGETS)[number]
const places: Partial<Record<Target, string[]>> = {
  folder: ['--state', join(folder, 'state')],
  duckdb: ['--to', join(folder, 'items.duckdb')],
  ...(server && { postgres: ['--to', address.href] }),
}
const names = TARGETS.filter(name => places[name] !== undefined)
const runs: Record<Target, WholeRun[]> = { folder: [], duckdb: [], postgres: [] }
try {
  // The service makes its files when they are first asked for.
  console.error('making the files')
  await wholeSync(service, ['--state', join(folder, 'first')])
  for (let round = 1; round <= rounds; round++)
    for (const name of names) {
      console.error(`round ${round} of ${rounds}: ${name}`)
      runs[name].push(await wholeSync(service, places[name]!))
      await rm(folder, { recursive: true })
      await mkdir(folder)
      await server?.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    }
} finally {
  await server?.end()
  await service.close()
  await rm(folder, { recursive: true, force: true })
}

console.log(`${items} items and 24 hours\n`)
console.log('target     wall s    CPU s   peak MB')
for (const name of names) {
  const figure = (what: keyof WholeRun, width: number, digits: number) =>
    median(runs[name].map(run => run[what]))
      .toFixed(digits)
      .padStart(width)
  console.log(
    `${name.padEnd(9)}${figure('seconds', 8, 1)} ${figure('cpuSeconds', 8, 1)} ${figure('peakMb', 9, 0)}`,
  )
}
for (const name of names.slice(1)) {
  const ratios = runs[name].map(({ seconds }, n) => seconds / runs.folder[n]!.seconds)
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map(ratio => ratio.toFixed(2))
  const words = `${name} takes ${median(ratios).toFixed(2)} × the time of the folder (${least} to ${most}`
  if (name === 'duckdb') say(`${words}, goal at most ${MOST_RATIO})`, median(ratios) <= MOST_RATIO)
  else console.log(`${words})`)
}
for (const name of names) {
  const peak = Math.max(...runs[name].map(({ peakMb }) => peakMb))
  say(`${name} takes ${peak.toFixed(0)} MB (goal at most ${MOST_MB[name]})`, peak <= MOST_MB[name])
}
