// How long a comparison will take: from one run of each case, which also finds the cases that a
// build cannot run.

import type { BenchFeed } from '../bench-feed'
import type { ComparedCase } from './compared-cases'
import { measured } from './interleaved-runs'
import { SIDES } from './side'

export interface Trial {
  readonly runnable: readonly ComparedCase[]
  /** The time of one round over the runnable cases. */
  readonly roundSeconds: number
}

/** What a failing case says goes to the standard error. */
export async function tryCases(
  directory: string,
  cases: readonly ComparedCase[],
  feed: BenchFeed,
): Promise<Trial> {
  const runnable: ComparedCase[] = []
  let seconds = 0
  for (const name of cases) {
    const startedAt = performance.now()
    const ran = await measured(directory, name, feed).then(
      () => true,
      () => false,
    )
    if (!ran) continue
    runnable.push(name)
    seconds += (performance.now() - startedAt) / 1000
  }
  return { runnable, roundSeconds: seconds * SIDES.length }
}

export function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} minutes`
}
