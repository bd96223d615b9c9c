// Compares two versions whose files lie beside each other on this machine: the base and the head.
// Where the trees come from is base-tree.ts.

import { messageOf } from '../engine/index'
import { benchFailed } from './bench-failed'
import { type BenchPlan, LEAST_ROUNDS, type PlannedBench, preparedBenches } from './bench-plan'
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
import { provableLine } from './formats/provable-line'
import { interleavedRuns, type RunsByBench } from './interleaved-runs'
import { thisMachine } from './machine'

/**
 * The base, the base once more, whose difference from the first is noise, the head, and the stated
 * base where there is one.
 */
const SIDES = ['base', 'again', 'head', 'stated'] as const

export interface TreesToCompare {
  /** Returns the path in the base of a file of the head. */
  readonly inBase: (file: string) => string
  readonly base: Pick<BenchBase, 'kind' | 'name' | 'stated'>
  /** Returns the path in the stated base. */
  readonly inStated?: (file: string) => string
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
  trees: TreesToCompare,
  processes: BenchProcesses,
): Promise<BenchReport> {
  const { inBase, inStated = inBase, base, seed } = trees
  const { rounds } = plan
  const machine = thisMachine()
  const benches = await preparedBenches(plan, processes)
  const { inBoth, stated, leftOut, headOnly } = await triedBenches(benches, plan, trees, processes)
  const placeOf = { base: inBase, again: inBase, head: (file: string) => file, stated: inStated }
  const judging = { ...plan, benches: inBoth.length, stated: base.stated }
  const tellProvable = (runsSoFar: RunsByBench<(typeof SIDES)[number], BenchRun>) => {
    const judged = [...runsSoFar.values()].flatMap(sides => judgedMeasures(sides, judging))
    const provable = provableLine(judged, LEAST_ROUNDS, rounds, judging)
    plan.onProgress({ done: LEAST_ROUNDS / rounds, what: provable, provable })
  }
  const runs = await interleavedRuns({
    sides: SIDES,
    benches: inBoth,
    plan,
    seed,
    run: (side, { file, name }) => processes.run(placeOf[side](file), name),
    isRun: (side, bench) => side !== 'stated' || stated.includes(bench),
    onRound: (round, runsSoFar) => {
      if (round === LEAST_ROUNDS) tellProvable(runsSoFar)
    },
  })
  return {
    kind: 'feedmill-bench',
    version: REPORT_VERSION,
    machine,
    rounds,
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
  { inBase, inStated, base: names }: TreesToCompare,
  processes: BenchProcesses,
) {
  const inBoth: PlannedBench[] = []
  const stated: PlannedBench[] = []
  const leftOut: string[] = []
  const headOnly = new Map<string, BenchRun>()
  for (const bench of benches) {
    const { file, name } = bench
    onProgress({ done: 0, what: `trying ${name}` })
    headOnly.set(name, await processes.run(file, name))
    const isRun = async (path: string, what: string) => {
      const failure = await processes.run(path, name).then(() => undefined, messageOf)
      if (failure !== undefined) leftOut.push(`${what}: ${failure}`)
      return failure === undefined
    }
    if (!(await isRun(inBase(file), name))) continue
    inBoth.push(bench)
    if (inStated !== undefined && (await isRun(inStated(file), `${name} since ${names.stated}`)))
      stated.push(bench)
  }
  if (inBoth.length === 0) throw benchFailed('every benchmark of the base', leftOut.join('; '))
  return { inBoth, stated, leftOut, headOnly }
}
