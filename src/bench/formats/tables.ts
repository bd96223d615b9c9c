// The tables of a report, as rows of cells. The text of the terminal and Markdown show the same rows.

import type { BenchReport } from '../bench-report'
import { figure, intervalText, percent, signed, stagesText } from './words'

/** The first row is the heading. */
export type Rows = readonly (readonly string[])[]

const FIGURES = ['benchmark', 'MB/s', 'count/s', 's', 'spread', 'CPU s', 'peak MB', 'stages']

export function figureRows({ benches }: BenchReport): Rows {
  return [
    FIGURES,
    ...benches.map(bench => [
      bench.name,
      bench.mbPerSecond === undefined ? '' : bench.mbPerSecond.toFixed(1),
      bench.countPerSecond.toFixed(0),
      bench.seconds.toFixed(3),
      percent(bench.spread),
      bench.cpuSeconds.toFixed(3),
      bench.peakRssMb.toFixed(0),
      stagesText(bench),
    ]),
  ]
}

/** Where nothing was built to differ, most lines say nothing. */
export const VERDICTS = { worse: 'WORSE', better: 'better', same: '' } as const

/** One row for each measure of each benchmark; undefined where nothing was compared. */
export function comparisonRows({ benches, against }: BenchReport): Rows | undefined {
  if (against === undefined) return undefined
  const interval = `${percent(against.level)} interval`
  return [
    ['benchmark', 'base', 'head', 'change', interval, 'A/A noise', 'verdict'],
    ...benches.flatMap(({ name, measures = [] }) =>
      measures.map(judged => [
        `${name} ${judged.measure}`,
        figure(judged, judged.base),
        figure(judged, judged.head),
        signed(judged.change.mean),
        intervalText(judged),
        percent(judged.noise),
        VERDICTS[judged.verdict],
      ]),
    ),
  ]
}
