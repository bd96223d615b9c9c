// The form that trackers of benchmarks read, such as github-action-benchmark: the array of
// `customBiggerIsBetter`.

import type { BenchReport, BenchResult } from '../bench-report'
import { machineLine } from '../machine'
import { trimmedMean } from '../statistics/trimmed-mean'
import { figure, percent, signed } from './words'

interface SpeedEntry {
  readonly name: string
  readonly unit: string
  readonly value: number
  /** The range around the mean, in the form of benchmark.js. */
  readonly range: string
  readonly extra: string
}

/** benchmark.js gives its margin of error for this level. */
const LEVEL = 0.95

/**
 * Returns two entries for each benchmark: by the clock, and by the processor. Peak memory, of which
 * less is better, is in `extra`.
 */
export function speedEntries({ benches, machine }: BenchReport): SpeedEntry[] {
  return benches.flatMap(bench => {
    const { name, bytes, count } = bench
    const [unit, amount] = bytes === undefined ? ['count/s', count] : ['MB/s', bytes / 1e6]
    const extra = [
      `peak memory: ${bench.peakRssMb.toFixed(0)} MB`,
      ...(bench.measures ?? []).map(
        judged =>
          `${judged.measure}: ${figure(judged, judged.head)}, base ${figure(judged, judged.base)}, ${signed(judged.change.mean)}, ${judged.verdict}`,
      ),
      ...bench.stages.map(({ stage, share }) => `${stage}: ${percent(share)}`),
      machineLine(machine),
    ].join('\n')
    const entry = (label: string, seconds: number, range: string): SpeedEntry => ({
      name: label,
      unit,
      value: Math.round((amount / seconds) * 100) / 100,
      range,
      extra,
    })
    return [
      entry(name, bench.seconds, `±${margin(bench, ({ elapsedMs }) => elapsedMs)}%`),
      entry(`${name} per CPU second`, bench.cpuSeconds, `±${margin(bench, ({ cpuMs }) => cpuMs)}%`),
    ]
  })
}

/** A single run tells of no margin. */
function margin({ runs }: BenchResult, of: (run: BenchResult['runs'][number]) => number): string {
  if (runs.length < 2) return '0.00'
  const { mean, low } = trimmedMean(runs.map(of), LEVEL)
  return ((1 - low / mean) * 100).toFixed(2)
}
