// Computes the median of a sample, and a percentile bootstrap interval around it. The method assumes
// no distribution, because what a busy machine adds is one-sided and has a long tail.

import { median } from './median'
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
  return interval(median(values), resampledMedians(values, random), level)
}

/** The interval of the median of `after` minus the median of `before`, two independent samples. */
export function differenceInterval(
  before: readonly number[],
  after: readonly number[],
  level: number,
  random: Random,
): Interval {
  const differences = resampledMedians(after, random)
  const subtracted = resampledMedians(before, random)
  for (let n = 0; n < RESAMPLES; n++) differences[n]! -= subtracted[n]!
  return interval(median(after) - median(before), differences, level)
}

function interval(middle: number, resampled: Float64Array, level: number): Interval {
  resampled.sort()
  const beyond = Math.floor(((1 - level) / 2) * RESAMPLES)
  return { median: middle, low: resampled[beyond]!, high: resampled[RESAMPLES - 1 - beyond]! }
}

function resampledMedians(values: readonly number[], random: Random): Float64Array {
  const sorted = values.toSorted((a, b) => a - b)
  const drawn = new Uint32Array(sorted.length)
  const medians = new Float64Array(RESAMPLES)
  for (let n = 0; n < RESAMPLES; n++) medians[n] = resampledMedian(sorted, drawn, random)
  return medians
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
