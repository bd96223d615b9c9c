// Writes a row for people: decoded cells as text, with aspects as `name: value` and regions as
// lists.

import type { Aspect, ColumnSpec, ConditionDescriptor, Regions, Row } from '../engine/index'
import { decoderOf, excerpt, isBadCell } from '../engine/index'
import type { SampleCell, SampleRow } from './report'

/** The most characters of a cell. */
const CELL_CHARACTERS = 400
const BETWEEN = '; '

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
    const shown = readable(spec, decoderOf(spec).decode(text))
    return { column, text: excerpt(shown, CELL_CHARACTERS), isValid: true }
  } catch (error) {
    if (!isBadCell(error)) throw error
    return { column, text: excerpt(text, CELL_CHARACTERS), isValid: false }
  }
}

function readable({ type }: ColumnSpec, value: unknown): string {
  // The types of the values follow from the type of the column.
  if (type === 'aspects') return (value as readonly Aspect[]).map(aspectText).join(BETWEEN)
  if (type === 'conditionDescriptors')
    return (value as readonly ConditionDescriptor[]).map(descriptorText).join(BETWEEN)
  if (type === 'regions') return regionsText(value as Regions)
  if (type === 'list') return (value as readonly unknown[]).map(plainText).join(', ')
  return plainText(value)
}

function aspectText({ label, name, value }: Aspect): string {
  const pair = value === null ? name : `${name}: ${value}`
  return label === null ? pair : `[${label}] ${pair}`
}

function descriptorText({ name, values }: ConditionDescriptor): string {
  return `${name}: ${values.join(', ')}`
}

function regionsText({ countries, regions }: Regions): string {
  return [
    ...(countries.length > 0 ? [`countries ${countries.join(', ')}`] : []),
    ...(regions.length > 0 ? [`regions ${regions.join(', ')}`] : []),
  ].join(BETWEEN)
}

function plainText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object' && value !== null && 'toNumber' in value) return String(value)
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)
}
