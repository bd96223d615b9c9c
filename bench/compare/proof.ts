// Proves the gate on this machine: a scanner made slower on purpose must fail, and the same build
// ten times against itself must pass. Everything is done as in a comparison, and the options are
// the same; only where the sides come from differs.

import { join } from 'node:path'
import { inFreshProcess } from '../fresh-process'
import { progress } from '../progress'
import { compareOptions } from './compare-options'
import { type CaseComparison, compare, correctedLevel, regressionsOf } from './comparison'
import { comparisonTable } from './comparison-table'
import { buildSide, casesOf, copySide } from './side'
import { slowScanner } from './slow-scanner'
import { writeWorkingTree } from './source-tree'
import { minutes, tryCases } from './trial'

const REPOSITORY = process.cwd()
const folder = (name: string) => join(REPOSITORY, '.tmp/compare-proof', name)

const EQUAL_COMPARISONS = 10
const BUSY_SHARE = 0.1

const { cases, rounds, megabytes, alpha } = compareOptions([
  '--base',
  'the working tree',
  ...process.argv.slice(2),
])

progress('building')
await writeWorkingTree(REPOSITORY, folder('base'))
await buildSide(REPOSITORY, folder('base'))
await copySide(folder('base'), folder('again'))
await copySide(folder('base'), folder('equal'))
await writeWorkingTree(REPOSITORY, folder('slow'))
await slowScanner(folder('slow'), BUSY_SHARE)
await buildSide(REPOSITORY, folder('slow'))
const feed = await inFreshProcess(
  { kind: 'data', seed: 1, megabytes, directory: '.tmp/bench-data' },
  casesOf(folder('base')),
)
const { roundSeconds } = await tryCases(folder('base'), cases, feed)
progress('')
console.log(
  `${EQUAL_COMPARISONS + 1} comparisons: about ${minutes(roundSeconds * rounds * (EQUAL_COMPARISONS + 1))}\n`,
)

function compareWith(head: string, seed: number): Promise<CaseComparison[]> {
  const sides = { base: folder('base'), again: folder('again'), head: folder(head) }
  return compare({ sides, feed, cases, rounds, seed, alpha, progress })
}

/** Cases that scan, and that were found to be slower: nothing else can have become so. */
function slowedCases(comparisons: readonly CaseComparison[]): string[] {
  const isSlower = ({ measures }: CaseComparison) =>
    measures.some(({ measure, verdict }) => measure.name !== 'rss' && verdict === 'worse')
  return comparisons.filter(isSlower).map(({ name }) => name)
}

const slow = await compareWith('slow', 0)
const found = slowedCases(slow)
progress('')
console.log(
  `${BUSY_SHARE * 100}% busy work in the scanner: ${found.length > 0 ? `fails, as it must: ${found.join(', ')}` : 'PASSES, and must not'}`,
)
console.log(`${comparisonTable(slow, correctedLevel(alpha, cases.length))}\n`)

let falseAlarms = 0
for (let n = 1; n <= EQUAL_COMPARISONS; n++) {
  const alarms = regressionsOf(await compareWith('equal', n))
  if (alarms.length > 0) falseAlarms++
  progress('')
  console.log(
    `equal builds, ${n} of ${EQUAL_COMPARISONS}: ${alarms.length === 0 ? 'passes' : `FAILS: ${alarms.join('; ')}`}`,
  )
}
if (found.length === 0 || falseAlarms > 0) process.exitCode = 1
console.log(process.exitCode === 1 ? '\nnot proved' : '\nproved')
