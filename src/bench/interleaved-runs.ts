// Runs every benchmark on every side, round by round. The runs that are compared with each other
// are neighbours in time, so that what slows a whole round down cancels out.

import type { BenchPlan } from './bench-plan'
import { seededRandom, sideOrders } from './statistics/side-orders'

export interface InterleavedRuns<Side extends string, Run> {
  readonly sides: readonly Side[]
  readonly names: readonly string[]
  readonly plan: Pick<BenchPlan, 'rounds' | 'onProgress'>
  /** Chooses the orders of the sides. */
  readonly seed: number
  run(side: Side, name: string): Promise<Run>
}

/** The runs of each side, one for each round. */
export type SideRuns<Side extends string, Run> = Readonly<Record<Side, readonly Run[]>>

export async function interleavedRuns<Side extends string, Run>({
  sides,
  names,
  plan: { rounds, onProgress },
  seed,
  run,
}: InterleavedRuns<Side, Run>): Promise<ReadonlyMap<string, SideRuns<Side, Run>>> {
  const noRuns = () => Object.fromEntries(sides.map(side => [side, []])) as unknown
  const runs = new Map(names.map(name => [name, noRuns() as Record<Side, Run[]>]))
  const random = seededRandom(seed)
  const orders = new Map(names.map(name => [name, sideOrders(sides, random)]))
  for (let round = 0; round < rounds; round++) {
    for (const [at, name] of names.entries()) {
      const done = (round + at / names.length) / rounds
      onProgress({ done, what: `round ${round + 1} of ${rounds}: ${name}` })
      for (const side of orders.get(name)!.next().value)
        runs.get(name)![side].push(await run(side, name))
    }
  }
  return runs
}
