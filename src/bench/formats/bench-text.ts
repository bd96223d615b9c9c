// A report in one of the formats of `feedmill bench --format`.

import { choice } from '../../engine/index'
import { type BenchReport, checkedReport } from '../bench-report'
import { markdownText } from './markdown-text'
import { tableText } from './table-text'
import { benchmarkJsText, speedEntries } from './tracker-texts'

/**
 * `table` is for a terminal, `json` the whole report, `github` the form `customBiggerIsBetter` of
 * github-action-benchmark, `benchmarkjs` the lines of benchmark.js, and `markdown` for a comment on
 * a pull request.
 */
export type BenchFormat = 'table' | 'json' | 'github' | 'benchmarkjs' | 'markdown'

const FORMATS: Readonly<Record<BenchFormat, (report: BenchReport) => string>> = {
  table: tableText,
  json: report => JSON.stringify(report, null, 2),
  github: report => JSON.stringify(speedEntries(report), null, 2),
  benchmarkjs: benchmarkJsText,
  markdown: markdownText,
}

export const BENCH_FORMATS = Object.keys(FORMATS) as BenchFormat[]

/**
 * Returns a report as text, without a line end at its end.
 * @throws FeedError OPTION_INVALID
 */
export function benchText(report: BenchReport, format: BenchFormat): string {
  const checked = checkedReport(report)
  return FORMATS[choice('format', format, BENCH_FORMATS)](checked)
}
