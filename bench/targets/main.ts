// Compares whole first runs of `feedmill sync` into a state folder, a DuckDB file and PostgreSQL:
// the same files of one emulated service, fresh processes, in turns; and with them one statement of
// DuckDB's own, which makes an equal table of items of the same gzip files. A missed goal fails the
// run. PostgreSQL is left out where FEEDMILL_TEST_POSTGRES (or the local server) does not answer.

import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { wholeNumber } from '../bench-options'
import { checkEqual } from './duckdb-items'
import { itemsStatement } from './items-statement'
import { inTurns, printPeak, printRatio, printRuns } from './turns'
import { startService, wholeDuckdb, wholeSync } from './whole-sync'

const SERVER = process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test'
/** The most that DuckDB may take, as a multiple of the time of the folder and of its own statement. */
const MOST_RATIO = { folder: 4, alone: 1.2 }
const MOST_MB = { folder: 256, duckdb: 512, postgres: 256 }

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '300000' },
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

const folder = await mkdtemp(join(tmpdir(), 'feedmill-targets-'))
const items = wholeNumber('--items', values.items, 1, 50_000_000)
const rounds = wholeNumber('--rounds', values.rounds)
const service = await startService(items)
const server = await postgresServer()
const schema = `feedmill_bench_${randomBytes(6).toString('hex')}`
const address = new URL(SERVER)
address.searchParams.set('schema', schema)
const place = join(folder, 'places')
const duckdbFile = join(place, 'items.duckdb')
const aloneFile = join(folder, 'alone.duckdb')
try {
  // The service makes its files when they are first asked for.
  console.error('making the files')
  const first = join(folder, 'first')
  await wholeSync(service, ['--state', first, '--keep-files', '1TB'])
  const kept = join(first, 'files')
  const paths = (await readdir(kept)).sort().map(name => join(kept, name))
  const { statement, columns } = await itemsStatement(paths)
  const cases = {
    folder: () => wholeSync(service, ['--state', join(place, 'state')]),
    'DuckDB alone': () => wholeDuckdb(aloneFile, statement),
    duckdb: async () => {
      const run = await wholeSync(service, ['--to', duckdbFile])
      const files = [duckdbFile, aloneFile].map((path, n) => `ATTACH '${path}' AS ${'ab'[n]}`)
      await checkEqual(files.join(';'), ['a.items', 'b.items'], columns)
      return run
    },
    ...(server && { postgres: () => wholeSync(service, ['--to', address.href]) }),
  }
  const runs = await inTurns(cases, rounds, async name => {
    await rm(place, { recursive: true, force: true })
    await mkdir(place)
    if (name === 'DuckDB alone') await rm(aloneFile, { force: true })
    await server?.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  })
  console.log(`${items} items and 25 hours\n`)
  printRuns(runs)
  printRatio(runs, 'duckdb', 'DuckDB alone', MOST_RATIO.alone)
  printRatio(runs, 'duckdb', 'folder', MOST_RATIO.folder)
  if (server) printRatio(runs, 'postgres', 'folder')
  for (const name of ['folder', 'duckdb', ...(server ? (['postgres'] as const) : [])] as const)
    printPeak(runs, name, MOST_MB[name])
  console.log(`\n${statement.replaceAll(`${kept}/`, '')}`)
} finally {
  await server?.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await server?.end()
  await service.close()
  await rm(folder, { recursive: true, force: true })
}
