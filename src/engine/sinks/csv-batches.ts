// The rows of a parser's batches as CSV, which the WebAssembly module writes where it knows all of
// their kinds. papaparse writes every other row: the two write the same.

import { BatchText, CSV_DELIMITERS, csvText, partsOf } from '../codec/columns/batch-text'
import type { Row } from '../codec/row-batch'
import type { BoundHeader } from '../codec/tsv/header'

export interface CsvRules {
  readonly delimiter: string
  readonly neutralizes: boolean
  /** True where a row may have columns that are not written. */
  readonly areChosen: boolean
  /** Returns the line of a row as papaparse makes it. */
  lineOf(row: Row): string
}

/** Returns what writes the columns `names` under a header; undefined where papaparse has to. */
export function csvBatches(
  { delimiter, neutralizes, areChosen, lineOf }: CsvRules,
  header: BoundHeader,
  names: readonly string[],
): BatchText | undefined {
  const { all, indexes } = header
  const isIn = (name: string) => indexes.get(name) !== undefined
  // papaparse finds the row whose column would be lost, or which lacks a chosen one.
  const isWhole = areChosen ? names.every(isIn) : all.every(({ name }) => names.includes(name))
  if (!isWhole || !CSV_DELIMITERS.test(delimiter)) return undefined
  const form = csvText(delimiter, neutralizes, names.length === 1)
  const beforeOf = (_: string, n: number) => (n === 0 ? '' : delimiter)
  const emptyText = (empty: unknown) => (Array.isArray(empty) ? '[]' : '')
  const known = partsOf(form, header, names, beforeOf, emptyText)
  if (known === undefined || known.parts.length === 0) return undefined
  return new BatchText(form, known.parts, `${known.rest}\r\n`, (row, out) => out.text(lineOf(row)))
}
