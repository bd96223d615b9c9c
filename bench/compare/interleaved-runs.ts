// Runs every case on every side in fresh processes. The three runs that are compared with each
// other lie next to each other in time.

import type { BenchFeed } from '../bench-feed'
import type { Measurement } from '../case-process'
import { inFreshProcess } from '../fresh-process'
import type { ComparedCase } from './compared-cases'
import { seededRandom } from './random'
import { casesOf, SIDES, type Side, type Sides } from './side'
import { sideOrders } from './side-orders'

/** One run a round, of each side. */
export type SideRuns = Readonly<Record<Side, readonly Measurement[]>>

export type RunsOf = ReadonlyMap<ComparedCase, SideRuns>

export interface InterleavedRuns {
  readonly sides: Sides
  readonly feed: BenchFeed
  readonly cases: readonly ComparedCase[]
  readonly rounds: number
  readonly seed: number
  progress(what: string): void
}

export async function interleavedRuns({
  sides,
  feed,
  cases,
  rounds,
  seed,
  progress,
}: InterleavedRuns): Promise<RunsOf> {
  const runs = new Map(
    cases.map(name => [name, { base: [], again: [], head: [] } as Record<Side, Measurement[]>]),
  )
  const random = seededRandom(seed)
  const orders = new Map(cases.map(name => [name, sideOrders(SIDES, random)]))
  for (let round = 0; round < rounds; round++) {
    for (const name of cases) {
      progress(`round ${round + 1} of ${rounds}: ${name}`)
      for (const side of orders.get(name)!.next().value)
        runs.get(name)![side].push(await measured(sides[side], name, feed))
    }
  }
  return runs
}

export function measured(
  directory: string,
  name: ComparedCase,
  { path }: BenchFeed,
): Promise<Measurement> {
  return inFreshProcess({ kind: 'measure', case: name, path }, casesOf(directory))
}
