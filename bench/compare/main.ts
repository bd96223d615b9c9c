// The comparison of the working tree with a commit: builds both, checks the working tree's cases,
// measures, judges, and fails on what got worse.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchFeed } from '../bench-feed'
import { inFreshProcess } from '../fresh-process'
import { machineLine, thisMachine } from '../machine'
import { progress } from '../progress'
import { verdictText } from '../report'
import { type CompareOptions, compareOptions, USAGE } from './compare-options'
import type { ComparedCase } from './compared-cases'
import { compare, correctedLevel, regressionsOf } from './comparison'
import { comparisonTable } from './comparison-table'
import { benchmarkText, biggerIsBetter } from './head-speeds'
import { buildSide, casesOf, copySide, type Sides } from './side'
import { commitOf, writeCommit, writeWorkingTree } from './source-tree'
import { minutes, tryCases } from './trial'

const REPOSITORY = process.cwd()
const SIDES_DIRECTORY = join(REPOSITORY, '.tmp/compare')
const DATA_DIRECTORY = '.tmp/bench-data'

/**
 * The seed of the measured file and of all random choices. Two runs with one seed differ only by
 * what the machine does.
 */
const SEED = 1

async function buildSides(commit: string): Promise<Sides> {
  const sides = {
    base: join(SIDES_DIRECTORY, 'base'),
    again: join(SIDES_DIRECTORY, 'again'),
    head: join(SIDES_DIRECTORY, 'head'),
  }
  progress('building the base')
  await writeCommit(REPOSITORY, commit, sides.base)
  await buildSide(REPOSITORY, sides.base)
  await copySide(sides.base, sides.again)
  progress('building the working tree')
  await writeWorkingTree(REPOSITORY, sides.head)
  await buildSide(REPOSITORY, sides.head)
  return sides
}

/** @returns the cases that the working tree gets wrong, a sentence each */
async function wrongCases(
  head: string,
  cases: readonly ComparedCase[],
  feed: BenchFeed,
): Promise<string[]> {
  const wrong: string[] = []
  for (const name of cases) {
    progress(`checking ${name}`)
    const { verdict } = await inFreshProcess({ kind: 'check', case: name, feed }, casesOf(head))
    if (!verdict.right) wrong.push(`${name} is ${verdictText(verdict)}`)
  }
  return wrong
}

/** @returns what failed */
async function run(
  { base, cases, rounds, megabytes, alpha, json, text }: CompareOptions,
  commit: string,
): Promise<string[]> {
  const machine = thisMachine()
  const sides = await buildSides(commit)
  progress('writing the file')
  const feed = await inFreshProcess(
    { kind: 'data', seed: SEED, megabytes, directory: DATA_DIRECTORY },
    casesOf(sides.head),
  )
  const wrong = await wrongCases(sides.head, cases, feed)
  const { runnable, roundSeconds } = await tryCases(sides.base, cases, feed)
  progress('')
  console.log(machineLine(machine))
  console.log(
    `the working tree beside ${base} (${commit.slice(0, 12)}), ${rounds} rounds, about ${minutes(roundSeconds * rounds)}\n`,
  )
  for (const name of cases)
    if (!runnable.includes(name)) console.log(`${name} is not compared: the base cannot run it\n`)
  if (runnable.length === 0) return [...wrong, 'no case could be compared']
  const comparisons = await compare({
    sides,
    feed,
    cases: runnable,
    rounds,
    seed: SEED,
    alpha,
    progress,
  })
  progress('')
  console.log(comparisonTable(comparisons, correctedLevel(alpha, runnable.length)))
  if (json !== undefined)
    await writeFile(
      json,
      `${JSON.stringify(biggerIsBetter(comparisons, feed, machine), null, 2)}\n`,
    )
  if (text !== undefined) await writeFile(text, benchmarkText(comparisons))
  return [...wrong, ...regressionsOf(comparisons)]
}

function refuse(message: string): never {
  console.error(`${message}\n${USAGE}`)
  process.exit(2)
}

function readOptions(): CompareOptions {
  try {
    return compareOptions(process.argv.slice(2))
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const options = readOptions()
const failures = await run(
  options,
  (await commitOf(REPOSITORY, options.base)) ?? refuse(`${options.base} is not a commit`),
)
for (const failure of failures) console.error(`\nfailed: ${failure}`)
if (failures.length > 0) process.exitCode = 1
