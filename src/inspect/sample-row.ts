// Writes a row for people: decoded cells as text, with aspects as `name: value` and regions as
// lists.

import { type ColumnSpec, decoderOf, excerpt, isBadCell, KINDS, type Row } from '../engine/index'
import type { SampleCell, SampleRow } from './report'

/** The most characters of a cell. */
const CELL_CHARACTERS = 400

export function sampleRow(row: Row): SampleRow {
  const { cells, header } = row.batch
  const { row: number, line, byteOffset } = row.position
  return {
    row: number,
    line,
    byteOffset,
    cells: header.columns.flatMap(({ name, spec }, column) => {
      const text = cells.text(row.slot, column)
      return text === '' ? [] : [sampleCell(name, spec, text)]
    }),
  }
}

function sampleCell(column: string, spec: ColumnSpec, text: string): SampleCell {
  try {
    const value = decoderOf(spec).decode(text)
    const shown =
      KINDS[spec.type].readable?.(value as NonNullable<unknown>, plainText) ?? plainText(value)
    return { column, text: excerpt(shown, CELL_CHARACTERS), isValid: true }
  } catch (error) {
    if (!isBadCell(error)) throw error
    return { column, text: excerpt(text, CELL_CHARACTERS), isValid: false }
  }
}

function plainText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object' && value !== null && 'toNumber' in value) return String(value)
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)
}
