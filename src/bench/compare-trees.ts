// Compares two versions whose files lie beside each other on this machine: the base and the head.
// Where the trees come from is base-tree.ts.

import { messageOf } from '../engine/index'
import { benchFailed } from './bench-failed'
import { type BenchPlan, type PlannedBench, preparedBenches } from './bench-plan'
import type { BenchProcesses } from './bench-process'
import {
  type BenchBase,
  type BenchReport,
  benchResult,
  correctedLevel,
  judgedMeasures,
  REPORT_VERSION,
} from './bench-report'
import type { BenchRun } from './bench-run'
import { interleavedRuns } from './interleaved-runs'
import { thisMachine } from './machine'

/** The base, the base once more, whose difference from the first is noise, and the head. */
const SIDES = ['base', 'again', 'head'] as const

export interface TreesToCompare {
  /** Returns the path in the base of a file of the head. */
  readonly inBase: (file: string) => string
  readonly base: Pick<BenchBase, 'kind' | 'name'>
  /** Chooses the orders of the sides. */
  readonly seed: number
}

/**
 * Runs each benchmark once on both sides, leaves out those that the base cannot run, and compares
 * the others.
 * @throws FeedError as measureBenches
 */
export async function compareTrees(
  plan: BenchPlan,
  { inBase, base, seed }: TreesToCompare,
  processes: BenchProcesses,
): Promise<BenchReport> {
  const machine = thisMachine()
  const benches = await preparedBenches(plan, processes)
  const { inBoth, leftOut, headOnly } = await triedBenches(benches, plan, inBase, processes)
  const runs = await interleavedRuns({
    sides: SIDES,
    benches: inBoth,
    plan,
    seed,
    run: (side, { file, name }) => processes.run(side === 'head' ? file : inBase(file), name),
  })
  const judging = { ...plan, benches: inBoth.length }
  return {
    kind: 'feedmill-bench',
    version: REPORT_VERSION,
    machine,
    rounds: plan.rounds,
    against: { ...base, level: correctedLevel(judging), leftOut },
    benches: benches.map(({ name }) => {
      const sides = runs.get(name)
      return sides === undefined
        ? benchResult(name, [headOnly.get(name)!])
        : benchResult(name, sides.head, judgedMeasures(sides, judging))
    }),
  }
}

/** A run of the head must succeed; the base may be too old for a benchmark. */
async function triedBenches(
  benches: readonly PlannedBench[],
  { onProgress }: BenchPlan,
  inBase: TreesToCompare['inBase'],
  processes: BenchProcesses,
) {
  const inBoth: PlannedBench[] = []
  const leftOut: string[] = []
  const headOnly = new Map<string, BenchRun>()
  for (const bench of benches) {
    const { file, name } = bench
    onProgress({ done: 0, what: `trying ${name}` })
    headOnly.set(name, await processes.run(file, name))
    try {
      await processes.run(inBase(file), name)
      inBoth.push(bench)
    } catch (error) {
      leftOut.push(`${name}: ${messageOf(error)}`)
    }
  }
  if (inBoth.length === 0) throw benchFailed('every benchmark of the base', leftOut.join('; '))
  return { inBoth, leftOut, headOnly }
}
