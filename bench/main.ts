// The macro benchmark: whole files, each case checked first, then rounds in which every case runs once in a fresh process.

import { writeFile } from 'node:fs/promises'
import type { BenchFeed } from './bench-feed'
import { type BenchOptions, benchOptions, USAGE } from './bench-options'
import type { CheckedCase, Measurement } from './case-process'
import { figuresOf } from './figures'
import { failuresOf } from './floor'
import { inFreshProcess } from './fresh-process'
import { thisMachine } from './machine'
import { MACRO_CASE_NAMES, type MacroCaseName } from './macro/cases'
import { type BenchReport, tableOf } from './report'

const DATA_DIRECTORY = '.tmp/bench-data'

async function bench({ seed, megabytes, rounds: count, floor }: BenchOptions): Promise<BenchReport> {
  const machine = thisMachine()
  progress('writing the file')
  const feed = await inFreshProcess({ kind: 'data', seed, megabytes, directory: DATA_DIRECTORY })
  const checked = await checkCases(feed)
  const rounds = await measureRounds(feed, count)
  progress('')
  const cases = checked.map(checkedCase => ({
    ...checkedCase,
    ...figuresOf(checkedCase.name, rounds, feed),
    runs: rounds[checkedCase.name],
  }))
  return { machine, feed, rounds: count, cases, failures: failuresOf(cases, floor) }
}

async function checkCases(feed: BenchFeed): Promise<CheckedCase[]> {
  const checked: CheckedCase[] = []
  for (const name of MACRO_CASE_NAMES) {
    progress(`checking ${name}`)
    checked.push(await inFreshProcess({ kind: 'check', case: name, feed }))
  }
  return checked
}

async function measureRounds({ path }: BenchFeed, count: number): Promise<Record<MacroCaseName, Measurement[]>> {
  const rounds = Object.fromEntries(MACRO_CASE_NAMES.map(name => [name, []])) as unknown as Record<MacroCaseName, Measurement[]>
  for (let round = 0; round < count; round++) {
    // To and fro, so that no case always has the same one before it.
    for (const name of round % 2 === 0 ? MACRO_CASE_NAMES : MACRO_CASE_NAMES.toReversed()) {
      progress(`round ${round + 1} of ${count}: ${name}`)
      rounds[name].push(await inFreshProcess({ kind: 'measure', case: name, path }))
    }
  }
  return rounds
}

/** What goes on, on the last line of a terminal; nothing elsewhere. */
function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${what}`)
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
if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
for (const failure of report.failures) console.error(`\nfailed: ${failure}`)
if (report.failures.length > 0) process.exitCode = 1
