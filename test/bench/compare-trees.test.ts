// The comparison of trees, over processes that are made up: each version takes a time of its own.

import { expect, test } from 'vitest'
import { benchPlan } from '../../src/bench/bench-plan'
import type { BenchProcesses } from '../../src/bench/bench-process'
import { regressionsIn } from '../../src/bench/bench-report'
import type { BenchRun } from '../../src/bench/bench-run'
import { compareTrees } from '../../src/bench/compare-trees'
import { benchText } from '../../src/bench/formats/bench-text'
import { seededRandom } from '../../src/bench/statistics/side-orders'

/** The share by which a run differs from another at most. */
const NOISE = 0.06

/** Processes of the tree at each path, which take so much and have these benchmarks only. */
function madeProcesses(trees: Record<string, { takes: number; has: readonly string[] }>) {
  const random = seededRandom(3)
  return {
    list: async () => ['a', 'b'].map(name => ({ name, isPrepared: false })),
    prepare: async () => {},
    run: async (file, name): Promise<BenchRun> => {
      const { takes, has } = trees[file]!
      if (!has.includes(name)) throw new Error(`no ${name} here`)
      const elapsedMs = 500 * takes * (1 + NOISE * random())
      return { elapsedMs, cpuMs: elapsedMs, peakRssBytes: 1e8, count: 1, stages: [] }
    },
  } satisfies BenchProcesses
}

const trees = {
  inBase: (file: string) => `base/${file}`,
  inStated: (file: string) => `stated/${file}`,
  base: { kind: 'commit', name: 'main', stated: 'v1' },
  seed: 1,
} as const

async function compared(takes: number, has: { base: string[]; stated: string[] }) {
  const provable: string[] = []
  const plan = benchPlan({
    files: ['file'],
    rounds: 24,
    measures: ['cpu'],
    onProgress: progress => provable.push(progress.provable ?? ''),
  })
  const processes = madeProcesses({
    file: { takes, has: ['a', 'b'] },
    // The commit before: half a per cent less.
    'base/file': { takes: takes / 1.005, has: has.base },
    'stated/file': { takes: 1, has: has.stated },
  })
  const report = await compareTrees(plan, trees, processes)
  return { report, provable: provable.filter(line => line !== '') }
}

test('ten drifts pass the comparison with the commit before, and fail that with the stated base', async () => {
  const both = { base: ['a', 'b'], stated: ['a', 'b'] }
  const { report, provable } = await compared(1.005 ** 10, both)
  const found = regressionsIn(report).map(({ bench, measure, since }) => [bench, measure, since])
  expect(found).toEqual([
    ['a', 'cpu', 'v1'],
    ['b', 'cpu', 'v1'],
  ])
  expect(report.against).toMatchObject({ name: 'main', stated: 'v1', level: 1 - 0.1 / 4 })
  expect(provable).toEqual([
    expect.stringMatching(/^24 rounds find a change of at least \d\.\d% of cpu here$/),
  ])
  const table = benchText(report, 'table')
  expect(table).toMatch(/^compared with main and v1: 24 runs/m)
  expect(table).toMatch(/^a cpu .* same within \d\.\d%$/m)
  expect(table).toMatch(/^a cpu since v1 .*\+5\.\d%.* WORSE$/m)
})

test('a benchmark that the stated base lacks is compared with the base, and this is said', async () => {
  const { report } = await compared(1, { base: ['a', 'b'], stated: ['a'] })
  const sinces = report.benches.map(({ measures }) => measures!.map(({ since }) => since))
  expect(sinces).toEqual([[undefined, 'v1'], [undefined]])
  expect(report.against!.leftOut).toEqual(['b since v1: no b here'])
})

test('a benchmark that the base lacks is measured alone', async () => {
  const { report } = await compared(1, { base: ['b'], stated: ['a', 'b'] })
  expect(report.benches.map(({ measures }) => measures?.length)).toEqual([undefined, 2])
  expect(report.against!.leftOut).toEqual(['a: no a here'])
})
