// Whether one measure of one case got worse between two builds: the rule of the gate, and nothing
// of how the runs were made. The measure is of the smaller-is-better kind: seconds, MB.

import { median } from '../../src/cli/profile/median'
import { type Interval, medianInterval } from './median-interval'
import type { Random } from './random'

/**
 * One value a round. `again` is a second copy of the base: what it differs from the base by is
 * noise.
 */
export interface SideValues {
  readonly base: readonly number[]
  readonly again: readonly number[]
  readonly head: readonly number[]
}

export type Verdict = 'worse' | 'better' | 'same'

export interface Judgement {
  /** Median over all runs of the base, both copies. */
  readonly base: number
  readonly head: number
  /**
   * By what share the head takes more than the base (0.1 is a tenth more); negative where it takes
   * less.
   */
  readonly change: Interval
  /** The largest share that the base, against itself, may have differed by. */
  readonly noise: number
  readonly verdict: Verdict
}

export interface JudgeOptions {
  /** The confidence of each interval, corrected for how many of them can fail the run. */
  readonly level: number
  /** A smaller difference of the medians, in the measure's own unit, is never a change. */
  readonly floor: number
  readonly random: Random
}

export function judge(
  { base, again, head }: SideValues,
  { level, floor, random }: JudgeOptions,
): Judgement {
  // Both copies of the base stand for it: their geometric mean is steadier than either.
  const changes = head.map(
    (value, round) => Math.log(value) - (Math.log(base[round]!) + Math.log(again[round]!)) / 2,
  )
  const idle = again.map((value, round) => Math.log(value / base[round]!))
  const change = asShares(medianInterval(changes, level, random))
  const { low, high } = asShares(medianInterval(idle, level, random))
  const figures = {
    base: median([...base, ...again]),
    head: median(head),
    change,
    noise: Math.max(-low, high),
  }
  return { ...figures, verdict: verdictOf(figures, floor) }
}

function verdictOf(
  { base, head, change, noise }: Omit<Judgement, 'verdict'>,
  floor: number,
): Verdict {
  const excludesZero = change.low > 0 || change.high < 0
  if (!excludesZero || Math.abs(change.median) <= noise || Math.abs(head - base) < floor)
    return 'same'
  return change.median > 0 ? 'worse' : 'better'
}

/** From differences of logarithms. */
function asShares(interval: Interval): Interval {
  return {
    median: Math.expm1(interval.median),
    low: Math.expm1(interval.low),
    high: Math.expm1(interval.high),
  }
}
