// A comparison as a table: a line for each measure of each case.

import { aligned } from '../report'
import { type CaseComparison, type JudgedMeasure, percent, signed } from './comparison'

/** Where nothing was built on purpose to differ, most lines say nothing. */
const VERDICTS = { worse: 'WORSE', better: 'better', same: '' } as const

export function comparisonTable(comparisons: readonly CaseComparison[], level: number): string {
  const heading = [
    'case',
    'base',
    'head',
    'change',
    `${percent(level)} interval`,
    'A/A noise',
    'verdict',
  ]
  const lines = comparisons.flatMap(({ name, measures }) =>
    measures.map(judged => lineOf(name, judged)),
  )
  return aligned([heading, ...lines], [0, heading.length - 1]).join('\n')
}

function lineOf(
  name: string,
  { measure, base, head, change, noise, verdict }: JudgedMeasure,
): string[] {
  const figure = (value: number) => `${value.toFixed(measure.digits)} ${measure.unit}`
  const interval = `${signed(change.low)} to ${signed(change.high)}`
  return [
    `${name} ${measure.name}`,
    figure(base),
    figure(head),
    signed(change.median),
    interval,
    percent(noise),
    VERDICTS[verdict],
  ]
}
