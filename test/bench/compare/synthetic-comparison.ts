// A comparison made of given seconds, without a process having run.

import type { CaseComparison } from '../../../bench/compare/comparison'
import type { SideRuns } from '../../../bench/compare/interleaved-runs'
import { judge } from '../../../bench/compare/judge'
import { MEASURES, type MeasureName } from '../../../bench/compare/measures'
import { seededRandom } from '../../../bench/compare/random'

const ROUNDS = 12

/** @param factors by which the head takes more than the base */
export function syntheticComparison(
  factors: Readonly<Record<MeasureName, number>>,
): CaseComparison {
  const sideRuns = (time: number, cpu: number, rss: number) =>
    Array.from({ length: ROUNDS }, (_, round) => {
      const jitter = 1 + (round % 3) / 1000
      return {
        rows: 1000,
        seconds: 0.5 * time * jitter,
        cpuSeconds: 0.6 * cpu * jitter,
        peakRssMb: 100 * rss,
      }
    })
  const base = sideRuns(1, 1, 1)
  const runs: SideRuns = {
    base,
    again: base.toReversed(),
    head: sideRuns(factors.time, factors.cpu, factors.rss),
  }
  const measures = MEASURES.map(measure => {
    const values = {
      base: runs.base.map(measure.of),
      again: runs.again.map(measure.of),
      head: runs.head.map(measure.of),
    }
    return {
      measure,
      ...judge(values, { level: 0.99, floor: measure.floor, random: seededRandom(1) }),
    }
  })
  return { name: 'objects', runs, measures }
}
