// Decides whether one measure of one benchmark got worse between two versions. The file does not
// know how the runs were made. Of every measure here, less is better: seconds, bytes.

import { median } from './median'
import { differenceOfMeans, type Interval, trimmedMean } from './trimmed-mean'

/**
 * One value a round. `again` is a second copy of the base, whose runs were made between the others:
 * what it differs from the base by is noise. Without it the runs of the two sides were made at
 * different times.
 */
export interface Sides<Value> {
  readonly base: readonly Value[]
  readonly again?: readonly Value[]
  readonly head: readonly Value[]
  /**
   * A stated base, whose runs were made between the others. Where it is there, the head is judged
   * against it, and the two copies of the base say the noise.
   */
  readonly stated?: readonly Value[]
}

export type SideValues = Sides<number>

export type Verdict = 'worse' | 'better' | 'same'

/** What a comparison says; values are in the unit of the measure. */
export interface Judgement {
  /** The medians of both versions; that of the base over both of its copies. */
  readonly base: number
  readonly head: number
  /**
   * The share by which the new version takes more than the base (0.1 is a tenth more), with its
   * interval. It is negative where the new version takes less.
   */
  readonly change: Interval
  /** The largest share by which the base may differ from itself. A smaller change is not one. */
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

export function judge(values: SideValues, { level, floor }: JudgeOptions): Judgement {
  const { base, again = [], head, stated } = values
  // Both copies of the base stand for it: their geometric mean is steadier than either.
  const bases = stated === undefined ? [base, again] : [stated]
  const { change, noise } =
    again.length > 0
      ? { change: interleaved(bases, head, level), noise: differenceOf(base, again) }
      : apart(base, head, level)
  const figures = { base: median(bases.flat()), head: median(head), change, noise }
  return { ...figures, verdict: verdictOf(figures, floor) }
}

type Change = Pick<Judgement, 'change' | 'noise'>
type Runs = readonly number[]

function interleaved(bases: readonly Runs[], head: Runs, level: number): Interval {
  const changes = head.map((value, round) => {
    const logarithms = bases.map(runs => Math.log(runs[round]!))
    return Math.log(value) - logarithms.reduce((sum, each) => sum + each, 0) / bases.length
  })
  return asShares(trimmedMean(changes, level))
}

function differenceOf(base: Runs, again: Runs): number {
  return noiseOf(again.map((value, round) => Math.log(value / base[round]!)))
}

/**
 * Judges runs that were not interleaved. Rounds do not belong together here, so both sides are drawn
 * independently, and the noise is the difference between neighbouring runs of one side. A machine
 * that has become slower between the two times looks like a slower version.
 */
function apart(base: Runs, head: Runs, level: number): Change {
  const sides = [base.map(Math.log), head.map(Math.log)] as const
  const change = asShares(differenceOfMeans(...sides, level))
  const steps = sides.map(values =>
    values.flatMap((value, at) => (at % 2 === 1 ? [value - values[at - 1]!] : [])),
  )
  return { change, noise: Math.max(...steps.map(noiseOf)) }
}

function noiseOf(differences: Runs): number {
  const { low, high } = asShares(trimmedMean(differences, NOISE_LEVEL))
  return Math.max(-low, high)
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

/** Returns the shares of an interval that holds differences of logarithms. */
function asShares(interval: Interval): Interval {
  return {
    mean: Math.expm1(interval.mean),
    low: Math.expm1(interval.low),
    high: Math.expm1(interval.high),
  }
}
