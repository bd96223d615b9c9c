// The rows of a parser's batches as CSV, which the WebAssembly module writes with the cells that
// papaparse makes where it does not know their kinds. Where a cell has no text papaparse writes the
// row, or fails: the two write the same.

import { BatchText, CSV_DELIMITERS, csvText, partsOf } from '../codec/columns/batch-text'
import type { Row } from '../codec/row-batch'
import type { TextBuffer } from '../codec/text-buffer'
import type { BoundHeader } from '../codec/tsv/header'

export interface CsvRules {
  readonly delimiter: string
  readonly neutralizes: boolean
  /** True where a row may have columns that are not written. */
  readonly areChosen: boolean
  /** Returns the text of a cell as papaparse makes it, or fails. */
  textOf(row: Row, name: string): string
  /** Returns the line of the `n`th row of a batch as papaparse makes it, or fails. */
  lineOf(row: Row, n: number): string
}

/** Returns what writes the columns `names` under a header; undefined where papaparse has to. */
export function csvBatches(
  { delimiter, neutralizes, areChosen, textOf, lineOf }: CsvRules,
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
  const writeOf = (name: string) => (row: Row, out: TextBuffer) => out.text(textOf(row, name))
  const { parts, rest } = partsOf(form, header, names, beforeOf, emptyText, writeOf)
  if (parts.length === 0) return undefined
  return new BatchText(form, parts, `${rest}\r\n`, (row, out, n) => {
    out.text(lineOf(row, n))
  })
}
