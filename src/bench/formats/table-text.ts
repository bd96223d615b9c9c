// A report as text for a terminal.

import type { BenchReport } from '../bench-report'
import { comparisonRows, figureRows, type Rows } from './tables'
import { headLines } from './words'

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
