// The head's speeds in the two forms that trackers of benchmarks read: the array of
// `customBiggerIsBetter`, and the lines of benchmark.js.

import type { BenchFeed } from '../bench-feed'
import { type Machine, machineLine } from '../machine'
import { type CaseComparison, signed } from './comparison'
import type { MeasureName } from './measures'
import { medianInterval } from './median-interval'
import { seededRandom } from './random'

export interface SpeedEntry {
  readonly name: string
  readonly unit: string
  readonly value: number
  /** The range around the median, in the form of benchmark.js. */
  readonly range: string
  readonly extra: string
}

/** What benchmark.js gives its margin of error for. */
const LEVEL = 0.95

/**
 * Two entries a case: by the clock, and by the processor. Peak memory, which is the smaller the
 * better, stands in `extra`.
 */
export function biggerIsBetter(
  comparisons: readonly CaseComparison[],
  feed: Pick<BenchFeed, 'rawBytes'>,
  machine: Machine,
): SpeedEntry[] {
  return comparisons.flatMap(comparison => {
    const extra = [...comparison.measures.map(lineOf), machineLine(machine)].join('\n')
    const entry = (name: string, measure: MeasureName): SpeedEntry => {
      const { seconds, margin } = headSeconds(comparison, measure)
      return {
        name,
        unit: 'MB/s',
        value: rounded(feed.rawBytes / 1e6 / seconds),
        range: `±${margin}%`,
        extra,
      }
    }
    return [entry(comparison.name, 'time'), entry(`${comparison.name} per CPU second`, 'cpu')]
  })
}

/** Once through the file is one operation. */
export function benchmarkText(comparisons: readonly CaseComparison[]): string {
  const lines = comparisons.map(comparison => {
    const { seconds, margin, runs } = headSeconds(comparison, 'time')
    return `${comparison.name} x ${(1 / seconds).toFixed(2)} ops/sec ±${margin}% (${runs} runs sampled)\n`
  })
  return lines.join('')
}

function headSeconds({ runs, measures }: CaseComparison, name: MeasureName) {
  const { measure } = measures.find(judged => judged.measure.name === name)!
  const { median, low, high } = medianInterval(runs.head.map(measure.of), LEVEL, seededRandom(1))
  const margin = ((Math.max(high - median, median - low) / median) * 100).toFixed(2)
  return { seconds: median, margin, runs: runs.head.length }
}

function lineOf({
  measure,
  base,
  head,
  change,
  verdict,
}: CaseComparison['measures'][number]): string {
  const figure = (value: number) => value.toFixed(measure.digits)
  return `${measure.name}: ${figure(head)} ${measure.unit}, base ${figure(base)} ${measure.unit}, ${signed(change.median)}, ${verdict}`
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
