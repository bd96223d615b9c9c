// The words, numbers and tables that all formats for people share.

import type { BenchReport, JudgedMeasure } from '../bench-report'
import { machineLine } from '../machine'
import { MEASURES } from '../statistics/measures'

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}

export function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`
}

/** Returns a value of a measure with its unit. */
export function figure({ measure }: Pick<JudgedMeasure, 'measure'>, value: number): string {
  const { digits, unit } = MEASURES.find(({ name }) => name === measure)!
  return `${value.toFixed(digits)} ${unit}`
}

/** The machine and the way of the measurement, one line each. */
export function headLines({ machine, rounds, against }: BenchReport): string[] {
  const runs = `${rounds} ${rounds === 1 ? 'run' : 'runs'} of each benchmark, each in a fresh process`
  if (against === undefined) return [machineLine(machine), `medians of ${runs}`]
  const stated = against.stated === undefined ? '' : ` and ${against.stated}`
  return [
    machineLine(machine),
    `compared with ${against.name}${stated}: ${runs}`,
    ...(against.kind === 'baseline'
      ? ['The baseline was measured at another time: the state of the machine may have changed.']
      : []),
    ...against.leftOut.map(reason => `not compared: ${reason}`),
  ]
}

/** Returns the name of a measure, with the stated base where it is compared with that one. */
export function measureText({ measure, since }: JudgedMeasure): string {
  return since === undefined ? measure : `${measure} since ${since}`
}

/** Says a measure that got worse in a sentence. */
export function regressionText(bench: string, judged: JudgedMeasure): string {
  const { change, noise } = judged
  return `${bench} ${measureText(judged)} ${signed(change.mean)} (between ${signed(change.low)} and ${signed(change.high)}; A/A noise ${percent(noise)})`
}

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
      bench.stages.map(({ stage, share }) => `${stage} ${percent(share)}`).join(', '),
    ]),
  ]
}

/** Returns the verdict; where nothing is proved, with how far the sides may lie apart. */
export function verdictText({ verdict, change }: JudgedMeasure): string {
  if (verdict !== 'same') return verdict
  return `same within ${percent(Math.max(-change.low, change.high))}`
}

/** One row for each measure of each benchmark; undefined where nothing was compared. */
export function comparisonRows({ benches, against }: BenchReport): Rows | undefined {
  if (against === undefined) return undefined
  const interval = `${percent(against.level)} interval`
  return [
    ['benchmark', 'base', 'head', 'change', interval, 'A/A noise', 'verdict'],
    ...benches.flatMap(({ name, measures = [] }) =>
      measures.map(judged => [
        `${name} ${measureText(judged)}`,
        figure(judged, judged.base),
        figure(judged, judged.head),
        signed(judged.change.mean),
        `${signed(judged.change.low)} to ${signed(judged.change.high)}`,
        percent(judged.noise),
        judged.verdict === 'worse' ? 'WORSE' : verdictText(judged),
      ]),
    ),
  ]
}
