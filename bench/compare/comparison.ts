// One comparison: interleaved runs, and the judgement of every measure of every case, each at the
// level that their number asks for.

import type { ComparedCase } from './compared-cases'
import { type InterleavedRuns, interleavedRuns, type SideRuns } from './interleaved-runs'
import { type Judgement, judge } from './judge'
import { MEASURES, type Measure } from './measures'
import { type Random, seededRandom } from './random'
import { SIDES, type Side } from './side'

export interface JudgedMeasure extends Judgement {
  readonly measure: Measure
}

export interface CaseComparison {
  readonly name: ComparedCase
  readonly runs: SideRuns
  readonly measures: readonly JudgedMeasure[]
}

export interface CompareRequest extends InterleavedRuns {
  /** How often, at most, a comparison of equal builds may fail. */
  readonly alpha: number
}

export async function compare(request: CompareRequest): Promise<CaseComparison[]> {
  const runsOf = await interleavedRuns(request)
  const random = seededRandom(request.seed)
  const level = correctedLevel(request.alpha, request.cases.length)
  return request.cases.map(name => ({
    name,
    runs: runsOf.get(name)!,
    measures: judgedMeasures(runsOf.get(name)!, level, random),
  }))
}

/**
 * Bonferroni's: of all intervals together, `alpha` of the comparisons have one that misses its true
 * value.
 */
export function correctedLevel(alpha: number, cases: number): number {
  return 1 - alpha / (cases * MEASURES.length)
}

/** The measures that got worse, a sentence each. */
export function regressionsOf(comparisons: readonly CaseComparison[]): string[] {
  return comparisons.flatMap(({ name, measures }) =>
    measures
      .filter(({ verdict }) => verdict === 'worse')
      .map(({ measure, change, noise }) => {
        return `${name} ${measure.name} ${signed(change.median)} (between ${signed(change.low)} and ${signed(change.high)}; A/A noise ${percent(noise)})`
      }),
  )
}

export function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}

function judgedMeasures(runs: SideRuns, level: number, random: Random): JudgedMeasure[] {
  return MEASURES.map(measure => {
    const values = Object.fromEntries(
      SIDES.map(side => [side, runs[side].map(measure.of)]),
    ) as Record<Side, number[]>
    return { measure, ...judge(values, { level, floor: measure.floor, random }) }
  })
}
