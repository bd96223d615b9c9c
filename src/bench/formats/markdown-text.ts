// A report as Markdown, for a comment on a pull request or the summary of a job.

import { type BenchReport, regressionsIn } from '../bench-report'
import { comparisonRows, figureRows, type Rows } from './tables'
import { headLines, regressionText } from './words'

export function markdownText(report: BenchReport): string {
  const comparison = comparisonRows(report)
  const figures = table(figureRows(report))
  const head = headLines(report).map(escaped)
  if (comparison === undefined)
    return ['### Benchmarks', '', ...figures, '', ...paragraph(head)].join('\n')
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
    ...paragraph(head),
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

function paragraph(lines: readonly string[]): string[] {
  return [lines.join('  \n')]
}
