// The macro benchmark: whole files, each case checked first, then rounds in which every case runs
// once in a fresh process.

import { readFile, writeFile } from 'node:fs/promises'
import { thisMachine } from '../src/bench/machine'
import { type BenchOptions, benchOptions, USAGE } from './bench-options'
import type { CheckedCase, Measurement } from './case-process'
import { figuresOf, type Rounds } from './figures'
import { failuresOf } from './floor'
import { inFreshProcess } from './fresh-process'
import { judgedGoals } from './goals'
import { type Inputs, prepareInputs } from './inputs'
import { type MacroCaseName, TABLE_CASE_NAMES, TABLE_CASES } from './macro/cases'
import { progress } from './progress'
import { type BenchReport, type CaseResult, tableOf } from './report'

/** Packages whose versions a result is told with. */
const PACKAGES = [
  'papaparse',
  'csv-parse',
  'fast-csv',
  'csv-parser',
  'udsv',
  '@duckdb/node-api',
  'fflate',
]

async function bench(options: BenchOptions): Promise<BenchReport> {
  const machine = thisMachine()
  progress('writing the files')
  const inputs = await prepareInputs(options.cases, options)
  try {
    const checked = await checkCases(options.cases, inputs)
    const rounds = await measureRounds(options.cases, options.rounds, inputs)
    const results = checked.map(checkedCase => resultOf(checkedCase, rounds, inputs))
    const goals = judgedGoals(rounds)
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
    progress('')
    await inputs.close()
  }
}

async function checkCases(names: readonly MacroCaseName[], inputs: Inputs): Promise<CheckedCase[]> {
  const checked: CheckedCase[] = []
  for (const name of names) {
    progress(`checking ${name}`)
    checked.push(await inFreshProcess({ kind: 'check', case: name, feed: inputs.feedOf(name) }))
  }
  return checked
}

async function measureRounds(
  names: readonly MacroCaseName[],
  count: number,
  inputs: Inputs,
): Promise<Rounds> {
  const rounds = new Map<MacroCaseName, Measurement[]>(names.map(name => [name, []]))
  for (let round = 0; round < count; round++) {
    // To and fro, so that no case always has the same one before it.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      progress(`round ${round + 1} of ${count}: ${name}`)
      rounds
        .get(name)!
        .push(await inFreshProcess({ kind: 'measure', case: name, path: inputs.feedOf(name).path }))
    }
  }
  return Object.fromEntries(rounds)
}

function resultOf(checkedCase: CheckedCase, rounds: Rounds, inputs: Inputs): CaseResult {
  const runs = rounds[checkedCase.name]!
  const { rawBytes } = inputs.feedOf(checkedCase.name)
  const zlib = rawBytes === inputs.gzip.rawBytes ? rounds.zlib : undefined
  return { ...checkedCase, rawBytes, ...figuresOf(runs, zlib, { rawBytes }), runs }
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

async function packageVersions(): Promise<Record<string, string>> {
  const { dependencies, devDependencies } = JSON.parse(
    await readFile('package.json', 'utf8'),
  ) as Record<string, Record<string, string>>
  const versions: Record<string, string> = { ...dependencies, ...devDependencies }
  return Object.fromEntries(PACKAGES.map(name => [name, versions[name]!]))
}

function readOptions(): BenchOptions {
  try {
    return benchOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    process.exit(2)
  }
}

const options = readOptions()
const report = await bench(options)
console.log(tableOf(report))
if (options.json !== undefined)
  await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
for (const failure of report.failures) console.error(`\nfailed: ${failure}`)
if (report.failures.length > 0) process.exitCode = 1
