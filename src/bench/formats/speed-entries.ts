// The form that trackers of benchmarks read, such as github-action-benchmark: the array of
// `customBiggerIsBetter`.

import type { BenchReport } from '../bench-report'
import { machineLine } from '../machine'
import { trimmedMean } from '../statistics/trimmed-mean'
import { figure, percent, signed } from './words'

/** benchmark.js gives its margin of error for this level. */
const LEVEL = 0.95

/**
 * Returns two entries for each benchmark: by the clock, and by the processor. Peak memory, of which
 * less is better, is in `extra`.
 */
export function speedEntries({ benches, machine }: BenchReport) {
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

/** The range around the mean, in the form of benchmark.js. A single run tells of none. */
function rangeOf(times: readonly number[]): string {
  if (times.length < 2) return '±0.00%'
  const { mean, low } = trimmedMean(times, LEVEL)
  return `±${((1 - low / mean) * 100).toFixed(2)}%`
}
