// The forms that trackers of benchmarks read: the arrays of github-action-benchmark, and the Bencher
// Metric Format.

import type { BenchReport, BenchResult } from '../bench-report'
import { type Machine, machineLine } from '../machine'
import { MEASURES, type MeasureName } from '../statistics/measures'
import { median } from '../statistics/median'
import { trimmedMean } from '../statistics/trimmed-mean'
import { figure, measureText, percent, signed, verdictText } from './words'

/** benchmark.js gives its margin of error for this level. */
const LEVEL = 0.95
/** A tracker shows every digit. */
const DIGITS = 6

/**
 * Returns two entries for each benchmark in the form `customBiggerIsBetter`: by the clock, and by the
 * processor. Peak memory, of which less is better, is in `extra`.
 */
export function speedEntries({ benches, machine }: BenchReport) {
  return benches.flatMap(bench => {
    const { name, bytes, count } = bench
    const [unit, amount] = bytes === undefined ? ['count/s', count] : ['MB/s', bytes / 1e6]
    const extra = `peak memory: ${bench.peakRssMb.toFixed(0)} MB\n${extraText(bench, machine)}`
    const entry = (label: string, seconds: number, times: readonly number[]) => {
      const value = Math.round((amount / seconds) * 100) / 100
      return { name: label, unit, value, range: rangeOf(times), extra }
    }
    const [elapsed, cpu] = [bench.runs.map(run => run.elapsedMs), bench.runs.map(run => run.cpuMs)]
    return [
      entry(name, bench.seconds, elapsed),
      entry(`${name} per CPU second`, bench.cpuSeconds, cpu),
    ]
  })
}

/** Returns an entry for each measure of each benchmark in the form `customSmallerIsBetter`. */
export function costEntries({ benches, machine }: BenchReport) {
  return benches.flatMap(bench =>
    MEASURES.map(({ name, unit, of }) => {
      const values = bench.runs.map(of)
      return {
        name: `${bench.name} ${name}`,
        unit,
        value: rounded(median(values)),
        range: rangeOf(values),
        extra: extraText(bench, machine),
      }
    }),
  )
}

/** Bencher measures `latency` in nanoseconds. Other measures take the units of the project there. */
const BENCHER: Readonly<Record<MeasureName, { readonly slug: string; readonly perUnit: number }>> =
  {
    time: { slug: 'latency', perUnit: 1e9 },
    cpu: { slug: 'cpu-time', perUnit: 1e9 },
    memory: { slug: 'peak-memory', perUnit: 1e6 },
  }

/**
 * Returns the measures of each benchmark by its name in the Bencher Metric Format: nanoseconds, and
 * bytes of memory, with the interval of the mean where there is more than one run.
 */
export function bencherMetrics({ benches }: BenchReport) {
  return Object.fromEntries(
    benches.map(({ name, runs }) => {
      const metrics = MEASURES.map(measure => {
        const { slug, perUnit } = BENCHER[measure.name]
        return [slug, metricOf(runs.map(run => measure.of(run) * perUnit))]
      })
      return [name, Object.fromEntries(metrics)]
    }),
  )
}

function metricOf(values: readonly number[]) {
  const value = median(values)
  if (values.length < 2) return { value: rounded(value) }
  const { low, high } = trimmedMean(values, LEVEL)
  // The median may lie beside the interval of the mean, and less than nothing is no measure.
  const [lower, upper] = [Math.max(0, Math.min(value, low)), Math.max(value, high)]
  return { value: rounded(value), lower_value: rounded(lower), upper_value: rounded(upper) }
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS))
}

/** What is compared, the shares of the stages, and the machine. */
function extraText({ measures = [], stages }: BenchResult, machine: Machine): string {
  return [
    ...measures.map(
      judged =>
        `${measureText(judged)}: ${figure(judged, judged.head)}, base ${figure(judged, judged.base)}, ${signed(judged.change.mean)}, ${verdictText(judged)}`,
    ),
    ...stages.map(({ stage, share }) => `${stage}: ${percent(share)}`),
    machineLine(machine),
  ].join('\n')
}

/** The range around the mean, in the form of benchmark.js. A single run tells of none. */
function rangeOf(values: readonly number[]): string {
  if (values.length < 2) return '±0.00%'
  const { mean, low } = trimmedMean(values, LEVEL)
  return `±${((1 - low / mean) * 100).toFixed(2)}%`
}
