// Measures benchmarks without comparing them with anything.

import {
  BENCH_OPTION_NAMES,
  type BenchOptions,
  type BenchPlan,
  benchPlan,
  preparedBenches,
} from './bench-plan'
import { type BenchProcesses, benchProcesses } from './bench-process'
import { type BenchReport, benchResult, REPORT_VERSION } from './bench-report'
import { interleavedRuns } from './interleaved-runs'
import { thisMachine } from './machine'

/**
 * Runs each benchmark `rounds` times, each time in a process of its own, and returns the figures.
 * The files are code that these processes load.
 *
 * @throws FeedError OPTION_INVALID, BENCH_FILE_INVALID, BENCH_RESULT_WRONG, BENCH_FAILED, and the
 * errors of the pipelines
 */
export async function measureBenches(options: BenchOptions): Promise<BenchReport> {
  return measuredReport(benchPlan(options, BENCH_OPTION_NAMES, 1), benchProcesses())
}

export async function measuredReport(
  plan: BenchPlan,
  processes: BenchProcesses,
): Promise<BenchReport> {
  const machine = thisMachine()
  const benches = await preparedBenches(plan, processes)
  const fileOf = new Map(benches.map(({ name, file }) => [name, file]))
  const runs = await interleavedRuns({
    sides: ['head'],
    names: [...fileOf.keys()],
    rounds: plan.rounds,
    seed: 1,
    run: (_, name) => processes.run(fileOf.get(name)!, name),
    onGroup: (name, round, done) =>
      plan.onProgress({ done, what: `round ${round + 1} of ${plan.rounds}: ${name}` }),
  })
  return {
    kind: 'feedmill-bench',
    version: REPORT_VERSION,
    machine,
    rounds: plan.rounds,
    benches: benches.map(({ name }) => benchResult(name, runs.get(name)!.head)),
  }
}
