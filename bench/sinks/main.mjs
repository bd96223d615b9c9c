// Measures the benchmarks of databases in one run: those of DuckDB, and those of PostgreSQL in a
// database that is removed at the end. The two sides of a comparison take turns, so that what slows
// the machine down slows both; it prints their ratio in each round. It fails where a goal is missed.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { parseArgs, promisify } from 'node:util'
import { benchText, measureBenches } from 'feedmill/bench'
import pg from 'pg'

const run = promisify(execFile)
const SERVER = process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test'
/** How often each benchmark runs by default. */
const ROUNDS = 7

/** The comparisons: `slowest` is the time of `target` that is allowed, as a part of `other`. */
const COMPARISONS = [
  { target: 'load-target', other: 'load-read-csv', slowest: 1 / 0.7 },
  { target: 'hourly-target', other: 'hourly-sql', slowest: 1.3 },
  { target: 'postgres-load-target', other: 'postgres-load-copy', slowest: 1 / 0.8 },
  { target: 'postgres-hourly-target', other: 'postgres-hourly-sql', slowest: 1.3 },
]
/** The peak memory of a process that loads a file of any size, in 10^6 bytes. */
const PEAKS_MB = { 'load-raw': 384, 'postgres-load-target': 256, 'postgres-load-raw': 256 }

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: String(ROUNDS) }, only: { type: 'string' } },
})

/** Makes a database for the run, or says why there is none. */
async function newDatabase() {
  const server = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: 5_000 })
  try {
    await run('psql', ['--version'])
    await server.connect()
    const name = `feedmill_bench_${randomBytes(6).toString('hex')}`
    await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
    const url = new URL(SERVER)
    url.pathname = name
    const drop = async () => {
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.end()
    }
    return { url: url.href, drop }
  } catch (error) {
    await server.end().catch(() => {})
    const why = error.code ?? error.message
    console.log(
      `The benchmarks of PostgreSQL are left out (${why}): they need psql and a server, ` +
        `${new URL(SERVER).host} or that of FEEDMILL_TEST_POSTGRES.`,
    )
    return undefined
  }
}

function ratiosOf(report, { target, other }) {
  const [ours, theirs] = [target, other].map(name => report.benches.find(b => b.name === name))
  if (ours === undefined || theirs === undefined) return undefined
  return ours.runs
    .map(({ elapsedMs }, round) => elapsedMs / theirs.runs[round].elapsedMs)
    .sort((a, b) => a - b)
}

function say(words, isMet) {
  console.log(`${words}${isMet ? '' : ': the goal is missed'}`)
  if (!isMet) process.exitCode = 1
}

const database = await newDatabase()
let report
try {
  const files = ['bench/sinks.bench.mjs']
  if (database !== undefined) {
    process.env.FEEDMILL_BENCH_POSTGRES = database.url
    files.push('bench/postgres.bench.mjs')
  }
  report = await measureBenches({
    files,
    rounds: Number(values.rounds),
    ...(values.only !== undefined && { only: values.only.split(',') }),
    onProgress: ({ what }) => console.error(what),
  })
} finally {
  await database?.drop()
}
console.log(`${benchText(report, 'table')}\n`)
for (const comparison of COMPARISONS) {
  const ratios = ratiosOf(report, comparison)
  if (ratios === undefined) continue
  const { target, other, slowest } = comparison
  const half = ratios.length / 2
  const middle = (ratios[Math.ceil(half) - 1] + ratios[Math.floor(half)]) / 2
  const [lowest, highest] = [ratios[0], ratios.at(-1)].map(ratio => ratio.toFixed(2))
  say(
    `${target}: ${middle.toFixed(2)} × the time of ${other} (${lowest} to ${highest}, goal at most ${slowest.toFixed(2)})`,
    middle <= slowest,
  )
}
for (const [name, most] of Object.entries(PEAKS_MB)) {
  const bench = report.benches.find(each => each.name === name)
  if (bench === undefined) continue
  const words = `${name}: peak memory ${bench.peakRssMb.toFixed(0)} MB for ${bench.count} rows`
  say(`${words} (goal at most ${most})`, bench.peakRssMb <= most)
}
