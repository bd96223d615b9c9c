// Measures benchmarks, alone or against an earlier version: a commit, or a saved report.

import { baseTree, commitOfFolder } from './base-tree'
import { judgedAgainst, provableAgainst, savedReport } from './baseline'
import { type BenchOptions, type BenchPlan, benchPlan, preparedBenches } from './bench-plan'
import { type BenchProcesses, benchProcesses } from './bench-process'
import { type BenchReport, benchResult, REPORT_VERSION } from './bench-report'
import { compareTrees } from './compare-trees'
import { interleavedRuns } from './interleaved-runs'
import { thisMachine } from './machine'

/**
 * Runs each benchmark `rounds` times, each time in a process of its own, and returns the figures.
 * The files are code that these processes load.
 *
 * With `base` it checks out that commit into the folder `.feedmill-bench` of the repository, builds
 * it, and runs the same files of benchmarks in both trees. A relative import of a file leads to its
 * own tree; the working directory is the same for both. The runs are interleaved, so that a
 * disturbance meets both sides. The working tree must be built already. With `against` the runs of
 * that commit are made between the others, and the working tree is compared with it as well.
 *
 * With `baseline` it compares the runs with those of a saved report. The report must come from the
 * same processor, number of cores, platform and version of Node, because another machine proves
 * nothing. The state of the machine may still have changed since then, which a comparison with a
 * commit is free of.
 *
 * @throws FeedError OPTION_INVALID, BENCH_FILE_INVALID, BENCH_RESULT_WRONG, BENCH_FAILED, and the
 * errors of the pipelines
 */
export async function measureBenches(options: BenchOptions): Promise<BenchReport> {
  const plan = benchPlan(options)
  // A commit that is made during the runs is not the one that they measure.
  const commit = await commitOfFolder(process.cwd())
  const report = await reportOf(plan, benchProcesses())
  return { ...report, ...(commit !== undefined && { commit }) }
}

async function reportOf(plan: BenchPlan, processes: BenchProcesses): Promise<BenchReport> {
  const { base, baseline } = plan
  if (base !== undefined) return comparedWithCommit(plan, base, processes)
  if (baseline === undefined) return measuredReport(plan, processes)
  const before = await savedReport(baseline)
  const provable = provableAgainst(before, plan)
  plan.onProgress({ done: 0, what: provable, provable })
  return judgedAgainst(await measuredReport(plan, processes), before, baseline, plan)
}

function comparedWithCommit(
  plan: BenchPlan,
  base: string,
  processes: BenchProcesses,
): Promise<BenchReport> {
  const { against } = plan
  return inTree({ ...plan, base }, ({ inBase, name }) => {
    const trees = { inBase, base: { kind: 'commit', name }, seed: 1 } as const
    if (against === undefined) return compareTrees(plan, trees, processes)
    return inTree({ ...plan, base: against, option: 'against' }, other => {
      const stated = { base: { ...trees.base, stated: other.name }, inStated: other.inBase }
      return compareTrees(plan, { ...trees, ...stated }, processes)
    })
  })
}

/** Calls `use` with the tree of a commit and the name of this, and removes the tree. */
async function inTree<Result>(
  options: Parameters<typeof baseTree>[0],
  use: (tree: Awaited<ReturnType<typeof baseTree>> & { name: string }) => Promise<Result>,
): Promise<Result> {
  const tree = await baseTree(options)
  try {
    return await use({ ...tree, name: `${options.base} (${tree.commit.slice(0, 12)})` })
  } finally {
    await tree.drop()
  }
}

async function measuredReport(plan: BenchPlan, processes: BenchProcesses): Promise<BenchReport> {
  const machine = thisMachine()
  const benches = await preparedBenches(plan, processes)
  const runs = await interleavedRuns({
    sides: ['head'],
    benches,
    plan,
    seed: 1,
    run: (_, { file, name }) => processes.run(file, name),
  })
  return {
    kind: 'feedmill-bench',
    version: REPORT_VERSION,
    machine,
    rounds: plan.rounds,
    benches: benches.map(({ name }) => benchResult(name, runs.get(name)!.head)),
  }
}
