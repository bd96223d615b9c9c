// Decides whether one measure of one benchmark got worse between two versions. The file does not
// know how the runs were made. Of every measure here, less is better: seconds, bytes.

import { median } from './median'
import { differenceOfMeans, type Interval, trimmedMean } from './trimmed-mean'

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
  /** The largest share by which the base may differ from itself, at the level of `NOISE_LEVEL`. */
  readonly noise: number
  readonly verdict: Verdict
}

/**
 * The level of the change bounds how often equal versions fail. The noise is a second check, for
 * what makes equal versions differ although their runs are interleaved. At the level of the change,
 * it would hide every change below the width of its interval.
 */
const NOISE_LEVEL = 0.8

export interface JudgeOptions {
  /** The confidence of each interval, corrected for how many of them can fail the run. */
  readonly level: number
  /** A smaller difference of the medians, in the measure's own unit, is never a change. */
  readonly floor: number
}

export function judge(
  { base, again, head }: SideValues,
  { level, floor }: JudgeOptions,
): Judgement {
  // Both copies of the base stand for it: their geometric mean is steadier than either.
  const changes = head.map(
    (value, round) => Math.log(value) - (Math.log(base[round]!) + Math.log(again[round]!)) / 2,
  )
  const idle = again.map((value, round) => Math.log(value / base[round]!))
  const change = asShares(trimmedMean(changes, level))
  const { low, high } = asShares(trimmedMean(idle, NOISE_LEVEL))
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
  if (!excludesZero || Math.abs(change.mean) <= noise || Math.abs(head - base) < floor)
    return 'same'
  return change.mean > 0 ? 'worse' : 'better'
}

/** The values of two versions whose runs were made at different times. */
export type ApartValues = Pick<SideValues, 'base' | 'head'>

/**
 * Judges runs that were not interleaved, by the same rule. Rounds do not belong together here, so
 * both sides are drawn independently, and the noise is the difference between neighbouring runs of
 * one side. A machine that has become slower between the two times looks like a slower version.
 */
export function judgeApart({ base, head }: ApartValues, { level, floor }: JudgeOptions): Judgement {
  const [before, now] = [base.map(Math.log), head.map(Math.log)]
  const figures = {
    base: median(base),
    head: median(head),
    change: asShares(differenceOfMeans(before, now, level)),
    noise: Math.max(...[before, now].map(values => noiseOfNeighbours(values))),
  }
  return { ...figures, verdict: verdictOf(figures, floor) }
}

function noiseOfNeighbours(values: readonly number[]): number {
  const steps = values.flatMap((value, at) => (at % 2 === 1 ? [value - values[at - 1]!] : []))
  const { low, high } = asShares(trimmedMean(steps, NOISE_LEVEL))
  return Math.max(-low, high)
}

/** Returns the shares of an interval that holds differences of logarithms. */
function asShares(interval: Interval): Interval {
  return {
    mean: Math.expm1(interval.mean),
    low: Math.expm1(interval.low),
    high: Math.expm1(interval.high),
  }
}
