// Runs every benchmark on every side, round by round. The runs that are compared with each other
// are neighbours in time, so that what slows a whole round down cancels out.

import type { BenchPlan } from './bench-plan'
import { seededRandom, sideOrders } from './statistics/side-orders'

export interface InterleavedRuns<Side extends string, Bench, Run> {
  readonly sides: readonly Side[]
  readonly benches: readonly Bench[]
  readonly plan: Pick<BenchPlan, 'rounds' | 'onProgress'>
  /** Chooses the orders of the sides. */
  readonly seed: number
  run(side: Side, bench: Bench): Promise<Run>
  /** Returns false for a side that a benchmark has no run on. Default: it runs on all. */
  readonly isRun?: (side: Side, bench: Bench) => boolean
  /** Is called behind each round with all runs so far. */
  readonly onRound?: (rounds: number, runs: RunsByBench<Side, Run>) => void
}

export type RunsByBench<Side extends string, Run> = ReadonlyMap<
  string,
  Readonly<Record<Side, readonly Run[]>>
>

/** Returns the runs of each benchmark by its name: those of each side, one for each round. */
export async function interleavedRuns<Side extends string, Bench extends { name: string }, Run>(
  options: InterleavedRuns<Side, Bench, Run>,
): Promise<RunsByBench<Side, Run>> {
  const { sides, benches, seed, run, isRun = () => true, onRound } = options
  const { rounds, onProgress } = options.plan
  const noRuns = () => Object.fromEntries(sides.map(side => [side, []])) as unknown
  const runs = new Map(benches.map(({ name }) => [name, noRuns() as Record<Side, Run[]>]))
  const random = seededRandom(seed)
  const orders = benches.map(bench =>
    sideOrders(
      sides.filter(side => isRun(side, bench)),
      random,
    ),
  )
  for (let round = 0; round < rounds; round++) {
    for (const [at, bench] of benches.entries()) {
      const done = (round + at / benches.length) / rounds
      onProgress({ done, what: `round ${round + 1} of ${rounds}: ${bench.name}` })
      for (const side of orders[at]!.next().value)
        runs.get(bench.name)![side].push(await run(side, bench))
    }
    onRound?.(round + 1, runs)
  }
  return runs
}
