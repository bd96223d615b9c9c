// The median of a sample and a percentile bootstrap interval around it. Nothing is supposed of how
// the values are spread: what a busy machine adds is one-sided and has a long tail.

import { median } from '../../src/cli/profile/median'
import type { Random } from './random'

export interface Interval {
  readonly median: number
  readonly low: number
  readonly high: number
}

/**
 * At the levels used here some twenty resamples lie beyond each end: then chance moves an end by
 * less than the gap between two values.
 */
const RESAMPLES = 10_000

/** @param level the share of samples whose interval holds the true median, about, such as 0.95 */
export function medianInterval(values: readonly number[], level: number, random: Random): Interval {
  const sorted = values.toSorted((a, b) => a - b)
  const drawn = new Uint32Array(sorted.length)
  const medians = new Float64Array(RESAMPLES)
  for (let n = 0; n < RESAMPLES; n++) medians[n] = resampledMedian(sorted, drawn, random)
  medians.sort()
  const beyond = Math.floor(((1 - level) / 2) * RESAMPLES)
  return { median: median(values), low: medians[beyond]!, high: medians[RESAMPLES - 1 - beyond]! }
}

/**
 * The median of as many values as there are, drawn with replacement. Counting how often each place
 * is drawn spares sorting them.
 */
function resampledMedian(sorted: readonly number[], drawn: Uint32Array, random: Random): number {
  const size = sorted.length
  drawn.fill(0)
  for (let n = 0; n < size; n++) drawn[Math.floor(random() * size)]!++
  const valueAt = (rank: number) => {
    let place = 0
    for (let passed = drawn[0]!; passed <= rank; passed += drawn[place]!) place++
    return sorted[place]!
  }
  return (valueAt((size - 1) >> 1) + valueAt(size >> 1)) / 2
}
