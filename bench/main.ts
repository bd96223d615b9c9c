// The macro benchmark: whole files, each case checked first, then rounds in which every case runs
// once in a fresh process.

import { readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { thisMachine } from '../src/bench/machine'
import { type ProgressBar, progressBar } from '../src/cli/progress-bar'
import type { BenchFeed } from './bench-feed'
import { type BenchOptions, benchOptions, USAGE } from './bench-options'
import type { CheckedCase, Measurement } from './case-process'
import type { WantedFeed } from './data'
import { figuresOf, type Rounds } from './figures'
import { failuresOf } from './floor'
import { inFreshProcess } from './fresh-process'
import { judgedGoals } from './goals'
import { type Inputs, prepareInputs } from './inputs'
import { casesOn, type MacroCaseName, TABLE_CASE_NAMES, TABLE_CASES } from './macro/cases'
import type { Verdict } from './macro/check'
import { type BenchReport, type CaseResult, tableOf } from './report'
import { plannedRounds } from './round-plan'
import type { ShapeName } from './shapes/shape'

/** Packages whose versions a result is told with. */
const PACKAGES = [
  'papaparse',
  'csv-parse',
  'fast-csv',
  'csv-parser',
  'udsv',
  'hyparquet-writer',
  '@duckdb/node-api',
  'fflate',
]

/**
 * The size of the file that the contenders are checked with. Checking takes longer than measuring,
 * and the rows that a contender reads wrongly are no fewer in a smaller file. The check of Parquet
 * holds all rows, of which the shape `narrow` has half a million here.
 */
const CHECKED_MEGABYTES = 20

async function bench(all: BenchOptions, shape: ShapeName): Promise<BenchReport> {
  const options = { ...all, cases: casesOn(shape, all.cases) }
  const machine = thisMachine()
  const minutes = options.minutes / options.shapes.length
  const deadline = performance.now() + minutes * 60_000
  const wanted = { ...options, shape }
  const bar = progressBar(1, true)
  bar.update(0, 'writing the files')
  const checked = await checkCases(wanted, bar)
  const inputs = await prepareInputs(options.cases, wanted)
  try {
    const rounds = await measureRounds(options, inputs, deadline, bar)
    const results = checked.map(checkedCase => resultOf(checkedCase, rounds, inputs))
    const goals = judgedGoals(rounds, { shape, cores: machine.cores })
    const failures = failuresOf(results, goals, options.floor)
    return {
      machine,
      packages: await packageVersions(),
      feed: inputs.gzip,
      rounds: options.rounds,
      cases: inTable(results),
      goals,
      failures,
    }
  } finally {
    bar.stop()
    await inputs.close()
  }
}

async function checkCases(
  { cases, shape, seed, megabytes }: WantedFeed & Pick<BenchOptions, 'cases'>,
  bar: ProgressBar,
): Promise<CheckedCase[]> {
  const size = Math.min(megabytes, CHECKED_MEGABYTES)
  const inputs = await prepareInputs(cases, { shape, seed, megabytes: size })
  const checked: CheckedCase[] = []
  try {
    for (const name of cases) {
      bar.update(0, `checking ${name}`)
      checked.push(await inFreshProcess({ kind: 'check', case: name, feed: inputs.feedOf(name) }))
    }
  } finally {
    await inputs.close()
  }
  return checked
}

/** The first round, in which every case runs, tells how many rounds of each case there is time for. */
async function measureRounds(
  { cases, rounds: most }: BenchOptions,
  inputs: Inputs,
  deadline: number,
  bar: ProgressBar,
): Promise<Rounds> {
  const rounds = new Map<MacroCaseName, Measurement[]>(cases.map(name => [name, []]))
  const seconds = new Map<MacroCaseName, number>()
  let planned = new Map(cases.map(name => [name, most]))
  for (let round = 0; round < most; round++) {
    if (round === 1) {
      const times = cases.map(name => seconds.get(name)!)
      const spent = times.reduce((sum, time) => sum + time, 0)
      const budget = (deadline - performance.now()) / 1000 + spent
      const counts = plannedRounds(times, most, budget)
      planned = new Map(cases.map((name, at) => [name, counts[at]!]))
    }
    // To and fro, so that no case always has the same one before it.
    for (const name of round % 2 === 0 ? cases : cases.toReversed()) {
      if (round >= planned.get(name)!) continue
      const left = secondsLeft(planned, rounds, seconds)
      const minutes = round === 0 ? '' : `, ${(left / 60).toFixed(1)} minutes left`
      const done = round === 0 ? 0 : 1 - left / (left + secondsDone(rounds, seconds))
      bar.update(done, `round ${round + 1} of ${planned.get(name)}: ${name}${minutes}`)
      const startedAt = performance.now()
      const { path } = inputs.feedOf(name)
      rounds.get(name)!.push(await inFreshProcess({ kind: 'measure', case: name, path }))
      if (round === 0) seconds.set(name, (performance.now() - startedAt) / 1000)
    }
  }
  return Object.fromEntries(rounds)
}

type RunsOf = ReadonlyMap<MacroCaseName, readonly Measurement[]>
type Numbers = ReadonlyMap<MacroCaseName, number>

function secondsLeft(planned: Numbers, runs: RunsOf, seconds: Numbers): number {
  const rest = [...planned].map(
    ([name, count]) => (count - runs.get(name)!.length) * (seconds.get(name) ?? 0),
  )
  return rest.reduce((sum, time) => sum + time, 0)
}

function secondsDone(runs: RunsOf, seconds: Numbers): number {
  const spent = [...runs].map(([name, done]) => done.length * (seconds.get(name) ?? 0))
  return spent.reduce((sum, time) => sum + time, 0)
}

function resultOf(checkedCase: CheckedCase, rounds: Rounds, inputs: Inputs): CaseResult {
  const runs = rounds[checkedCase.name]!
  const feed = inputs.feedOf(checkedCase.name)
  const zlib = feed.rawBytes === inputs.gzip.rawBytes ? rounds.zlib : undefined
  const verdict = measuredVerdict(checkedCase.verdict, runs, feed)
  const { rawBytes } = feed
  return { ...checkedCase, verdict, rawBytes, ...figuresOf(runs, zlib, { rawBytes }), runs }
}

/** A contender that is right on the checked file must also give all rows of the measured one. */
function measuredVerdict(verdict: Verdict, runs: readonly Measurement[], feed: BenchFeed): Verdict {
  const wrong = runs.find(({ rows }) => rows !== undefined && rows !== feed.rows)
  if (!verdict.right || wrong === undefined) return verdict
  // The identical rows were counted on the other file.
  const { identicalRows: _, ...rest } = verdict
  return { ...rest, right: false, count: wrong.rows!, expectedCount: feed.rows }
}

/** The cases of the table as far as they were measured. */
function inTable(results: readonly CaseResult[]): BenchReport['cases'] {
  return TABLE_CASE_NAMES.map(name => ({
    name,
    contenders: TABLE_CASES[name].flatMap(
      contender => results.find(result => result.name === contender) ?? [],
    ),
  })).filter(({ contenders }) => contenders.length > 0)
}

/** The installed versions: package.json may name ranges. */
async function packageVersions(): Promise<Record<string, string>> {
  const versions = PACKAGES.map(async name => {
    const text = await readFile(`node_modules/${name}/package.json`, 'utf8')
    return [name, (JSON.parse(text) as { version: string }).version] as const
  })
  return Object.fromEntries(await Promise.all(versions))
}

function readOptions(): BenchOptions {
  try {
    return benchOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    process.exit(2)
  }
}

/** `peers.json`, of several shapes `peers-varied.json`. */
function jsonPath(path: string, shape: ShapeName): string {
  if (options.shapes.length === 1) return path
  const { dir, name, ext } = parse(path)
  return join(dir, `${name}-${shape}${ext}`)
}

const options = readOptions()
for (const shape of options.shapes) {
  const report = await bench(options, shape)
  console.log(`${tableOf(report)}\n`)
  if (options.json !== undefined)
    await writeFile(jsonPath(options.json, shape), `${JSON.stringify(report, null, 2)}\n`)
  for (const failure of report.failures) console.error(`failed: ${failure}`)
  if (report.failures.length > 0) process.exitCode = 1
}
