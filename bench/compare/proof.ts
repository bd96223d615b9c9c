// Proves the gate on this machine: each part that is made slower on purpose must fail, and equal
// builds must pass. The measurement is that of `bench:gate`; only the trees come from elsewhere.
//
//   npm run bench:compare:proof                     four slow parts, and ten comparisons of equal builds
//   npm run bench:compare:proof -- --part joiner    one part, or `equal`; may be repeated

import { cp, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { benchPlan, LEAST_ROUNDS } from '../../src/bench/bench-plan'
import { benchProcesses } from '../../src/bench/bench-process'
import { type BenchReport, regressionsIn } from '../../src/bench/bench-report'
import { compareTrees } from '../../src/bench/compare-trees'
import { aligned, tableText } from '../../src/bench/formats/bench-text'
import { regressionText } from '../../src/bench/formats/words'
import { progressBar } from '../../src/cli/progress-bar'
import { wholeNumber } from '../bench-options'
import { SLOWED_PARTS, type SlowedPartName, slowPart } from './slow-part'
import { buildTree, writeWorkingTree } from './source-tree'

const REPOSITORY = process.cwd()
const TREES = join(REPOSITORY, '.tmp/compare-proof')
const FILE = 'bench/feedmill.bench.mjs'
// The environment, the benchmarks, the measures and the rounds are those of `bench:gate` in
// package.json.
process.env.FEEDMILL_BENCH_THREADS = '1'
const GATE = {
  only: ['rows-5', 'typed', 'joined', 'merged', 'rows-5-varied', 'objects-varied'],
  measures: ['cpu', 'memory'],
} as const
const GATE_ROUNDS = 36
const EQUAL = 'equal'
const PARTS = Object.keys(SLOWED_PARTS) as SlowedPartName[]

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    part: { ...text, multiple: true, default: [...PARTS, EQUAL] },
    rounds: { ...text, default: `${GATE_ROUNDS}` },
    equal: { ...text, default: '10' },
    share: { ...text, default: '10' },
  },
})
const wanted = values.part.map(part => {
  if (part === EQUAL) return EQUAL
  const name = PARTS.find(known => known === part)
  if (name === undefined) throw new RangeError(`--part must be of ${PARTS.join(', ')}, ${EQUAL}`)
  return name
})
const rounds = wholeNumber('--rounds', values.rounds, LEAST_ROUNDS)
const percent = wholeNumber('--share', values.share)
const bar = progressBar(1, true)
const tree = (name: string) => join(TREES, name)

await writeWorkingTree(REPOSITORY, tree('base'))
await buildTree(tree('base'))
// Where files lie counts as noise too.
await rm(tree(EQUAL), { recursive: true, force: true })
await cp(tree('base'), tree(EQUAL), { recursive: true })

async function compareWith(head: string, seed: number): Promise<BenchReport> {
  const files = [join(tree(head), FILE)]
  const onProgress = ({ done, what }: { done: number; what: string }) =>
    bar.update(done, `${head} ${seed}: ${what}`)
  const plan = benchPlan({ ...GATE, files, rounds, onProgress })
  const inBase = (file: string) => join(tree('base'), relative(tree(head), file))
  const base = { kind: 'commit', name: 'the working tree' } as const
  return compareTrees(plan, { inBase, base, seed }, benchProcesses())
}

const results: string[][] = [['comparison', 'expected', 'found', '']]
let isProved = true

function judged(name: string, mustFail: boolean, report: BenchReport): void {
  const found = regressionsIn(report)
  const isRight = mustFail === found.length > 0
  isProved &&= isRight
  const words = found.map(each => regressionText(each.bench, each)).join('; ')
  const expected = mustFail ? 'fails' : 'passes'
  results.push([name, expected, words || 'passes', isRight ? 'right' : 'WRONG'])
  bar.above(`\n${name}: ${isRight ? 'right' : 'WRONG'}\n${tableText(report)}`)
}

for (const part of wanted) {
  if (part === EQUAL) {
    const count = wholeNumber('--equal', values.equal)
    for (let n = 1; n <= count; n++)
      judged(`equal builds, ${n} of ${count}`, false, await compareWith(EQUAL, n))
  } else {
    await writeWorkingTree(REPOSITORY, tree(part))
    await slowPart(tree(part), part, percent / 100)
    await buildTree(tree(part))
    judged(`${percent} % busy work in the ${part}`, true, await compareWith(part, 0))
  }
}
bar.stop()
console.log(
  `\n${aligned(results, [0, 1, 2, 3]).join('\n')}\n\n${isProved ? 'proved' : 'not proved'}`,
)
if (!isProved) process.exitCode = 1
