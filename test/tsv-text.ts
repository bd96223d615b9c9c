// Writes cells in the dialect of item-feeds.md, section 2.1, or in any other, and reads a whole text
// through the parser machine, for tests.

import fc from 'fast-check'
import type { RowBatch } from '../src/engine/codec/row-batch'
import type { BadRow } from '../src/engine/codec/tsv/bad-row-report'
import { type Dialect, rulesOf } from '../src/engine/codec/tsv/dialect'
import { bindHeader } from '../src/engine/codec/tsv/header'
import { TsvParser, type TsvParserOptions } from '../src/engine/codec/tsv/parser'
import {
  type Columns,
  defineSchema,
  type FeedSchema,
  type TextColumns,
} from '../src/engine/schema/feed-schema'

export const anyColumns: FeedSchema<TextColumns> = defineSchema({ name: 'other', columns: {} })
/** The header of cells that have no names. */
export const noNames = bindHeader(anyColumns, [], { row: 0, line: 1, byteOffset: 0 })

/** A cell as the service writes it: quoted when it has to be. */
export function written(cell: string): string {
  return /^"|[\t\n\r\\]/.test(cell) ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell
}

export function tsv(rows: readonly (readonly string[])[], lineEnd = '\n'): string {
  return rows.map(row => row.map(written).join('\t') + lineEnd).join('')
}

/** A cell as `written` writes it, in another dialect. Without quoting it must be plain text. */
export function writtenIn(
  { delimiter = '\t', quoting = 'backslash' }: Dialect,
  cell: string,
): string {
  if (quoting === 'none' || !(/^"|[\n\r\\]/.test(cell) || cell.includes(delimiter))) return cell
  const escaped = quoting === 'doubled' ? cell.replace(/"/g, '""') : cell.replace(/["\\]/g, '\\$&')
  return `"${escaped}"`
}

/** The batches of a whole text. */
export function batchesIn<C extends Columns>(
  bytes: string | Uint8Array,
  options: TsvParserOptions<C>,
): RowBatch<C>[] {
  const parser = new TsvParser(options)
  return [...parser.push(Buffer.from(bytes as Uint8Array)), ...parser.end()]
}

/** The bytes with which a dialect writes its cells. */
export const cellRules = (dialect: Dialect) => rulesOf(dialect, anyColumns).cells

/** Delimiters of files, and bytes that mean something else in the documented dialect. */
export const DELIMITERS = ['\t', ',', ';', '|', ' ', '\x01', '=', 'a', '~', '\x7f'] as const
export const QUOTINGS = ['backslash', 'doubled', 'none'] as const

/** How cells are written, in every combination of options. */
export const cellDialect = fc.record({
  delimiter: fc.constantFrom(...DELIMITERS),
  quoting: fc.constantFrom(...QUOTINGS),
})

export interface Reading {
  rows: string[][]
  bad: BadRow[]
}

/** A bad row as plain data: what it makes on demand is made now. */
export const plainBadRow = ({ code, position, bytes, error }: BadRow): BadRow => ({
  code,
  position,
  bytes: Uint8Array.from(bytes),
  error,
})

/** All rows of `input`, pushed in the pieces that `cuts` makes of it. */
export function readAll(
  input: string | Uint8Array,
  options: Partial<TsvParserOptions<Columns>> = {},
  cuts: readonly number[] = [],
): Reading {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input
  const bad: BadRow[] = []
  const parser = new TsvParser<Columns>({
    schema: anyColumns,
    onBadRow: row => void bad.push(plainBadRow(row)),
    ...options,
  })
  const rows: string[][] = []
  const take = (batches: ReturnType<typeof parser.push>) => {
    for (const batch of batches)
      for (const row of batch) rows.push(batch.header.columns.map(column => row.text(column.name)))
  }
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    take(parser.push(bytes.subarray(from, cut)))
    from = cut
  }
  take(parser.end())
  return { rows, bad }
}

/** Every cut of `length` bytes into single bytes. */
export const everyByte = (length: number) => Array.from({ length }, (_, at) => at + 1)

/** Cells rich in what the dialect treats specially. */
export const richCell = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '"',
      '\\',
      '\t',
      '\n',
      '\r',
      '\r\n',
      ' ',
      'é',
      '漢',
      '😀',
      '\0',
      'text',
    ),
    { maxLength: 8 },
  )
  .map(parts => parts.join(''))
