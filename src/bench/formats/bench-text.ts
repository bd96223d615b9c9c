// A report in one of the formats of `feedmill bench --format`.

import { is } from '../../engine/index'
import { type BenchReport, checkedReport, regressionsIn } from '../bench-report'
import { bencherMetrics, costEntries, speedEntries } from './tracker-entries'
import { comparisonRows, figureRows, headLines, type Rows, regressionText } from './words'

/**
 * `table` is for a terminal, `json` the whole report, `github` the form `customBiggerIsBetter` of
 * github-action-benchmark, `github-smaller` its form `customSmallerIsBetter`, `bencher` the Bencher
 * Metric Format, and `markdown` for a comment on a pull request.
 */
export type BenchFormat = 'table' | 'json' | 'github' | 'github-smaller' | 'bencher' | 'markdown'

const FORMATS: Readonly<Record<BenchFormat, (report: BenchReport) => string>> = {
  table: tableText,
  json: report => JSON.stringify(report, null, 2),
  github: report => JSON.stringify(speedEntries(report), null, 2),
  'github-smaller': report => JSON.stringify(costEntries(report), null, 2),
  bencher: report => JSON.stringify(bencherMetrics(report), null, 2),
  markdown: markdownText,
}

export const BENCH_FORMATS = Object.keys(FORMATS) as BenchFormat[]

/**
 * Returns a report as text, without a line end at its end.
 * @throws FeedError OPTION_INVALID
 */
export function benchText(report: BenchReport, format: BenchFormat): string {
  const checked = checkedReport(report)
  return FORMATS[is.choice(...BENCH_FORMATS)('format', format)](checked)
}

/** A report for a terminal. */
export function tableText(report: BenchReport): string {
  const comparison = comparisonRows(report)
  return [
    ...headLines(report),
    '',
    ...aligned(figureRows(report)),
    ...(comparison === undefined ? [] : ['', ...aligned(comparison)]),
  ].join('\n')
}

/**
 * Returns lines of columns: words to the left, numbers to the right.
 * @param words the columns of words; by default the first and the last
 */
export function aligned(rows: Rows, words = [0, rows[0]!.length - 1]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows.map(row =>
    row
      .map((cell, column) =>
        words.includes(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
}

/** A report for a comment on a pull request or the summary of a job. */
function markdownText(report: BenchReport): string {
  const comparison = comparisonRows(report)
  const figures = table(figureRows(report))
  const paragraph = headLines(report).map(escaped).join('  \n')
  if (comparison === undefined) return ['### Benchmarks', '', ...figures, '', paragraph].join('\n')
  return [
    `### Benchmarks: ${verdictOf(report)}`,
    '',
    ...table(comparison),
    '',
    '<details><summary>Figures and stages</summary>',
    '',
    ...figures,
    '',
    '</details>',
    '',
    paragraph,
  ].join('\n')
}

function verdictOf(report: BenchReport): string {
  const worse = regressionsIn(report).map(judged => escaped(regressionText(judged.bench, judged)))
  return worse.length === 0 ? 'no proven regression' : `**worse**: ${worse.join('; ')}`
}

function table([heading, ...rows]: Rows): string[] {
  const rule = heading!.map((_, column) => (column === 0 ? '---' : '---:'))
  return [heading!, rule, ...rows].map(row => `| ${row.map(escaped).join(' | ')} |`)
}

/** The name of a benchmark may hold what Markdown or a table reads as its own. */
function escaped(text: string): string {
  return text.replace(/[\\|<>*_`[\]]/g, '\\$&').replace(/\s+/g, ' ')
}
