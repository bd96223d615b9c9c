// Measures benchmarks, alone or against an earlier version: a commit, or a saved report.

import { baseTree } from './base-tree'
import { judgedAgainst, savedReport } from './baseline'
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
 * disturbance meets both sides. The working tree must be built already.
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
  const { base, baseline } = plan
  const processes = benchProcesses()
  if (base !== undefined) return comparedWithCommit(plan, base, processes)
  if (baseline === undefined) return measuredReport(plan, processes)
  const before = await savedReport(baseline)
  return judgedAgainst(await measuredReport(plan, processes), before, baseline, plan)
}

async function comparedWithCommit(
  plan: BenchPlan,
  base: string,
  processes: BenchProcesses,
): Promise<BenchReport> {
  const tree = await baseTree({ ...plan, base })
  try {
    const name = `${base} (${tree.commit.slice(0, 12)})`
    const trees = { inBase: tree.inBase, base: { kind: 'commit', name }, seed: 1 } as const
    return await compareTrees(plan, trees, processes)
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
