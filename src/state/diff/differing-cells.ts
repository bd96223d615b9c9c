// The cells in which two rows of one key differ.

import { isDeepStrictEqual } from 'node:util'
import { type Columns, decimalText, FeedError, type Row, type RowBatch } from '../../engine/index'

/** The texts of two cells; '' where the file of a row lacks the column. */
export interface CellDifference {
  readonly column: string
  readonly before: string
  readonly after: string
}

/** @param columns the names of those that are compared; the file of a row may lack some */
export function differingCells(
  before: Row<Columns>,
  after: Row<Columns>,
  columns: readonly string[],
): CellDifference[] {
  const bytes = before.batch.bytesOf(before.slot) as Buffer
  const areBytesEqual = bytes.equals(after.batch.bytesOf(after.slot))
  if (areBytesEqual && layoutOf(before.batch.header) === layoutOf(after.batch.header)) return []
  return columns.flatMap(column => {
    const texts = { before: textOf(before, column), after: textOf(after, column) }
    const isEqual = texts.before === texts.after || isEqualValue(before, after, column)
    return isEqual ? [] : [{ column, ...texts }]
  })
}

function textOf({ batch: { cells, header }, slot }: Row<Columns>, column: string): string {
  return cells.text(slot, header.indexes.get(column) ?? header.columns.length)
}

const layouts = new WeakMap<RowBatch['header'], string>()

/** Under equal layouts equal bytes are equal cells. */
function layoutOf(header: RowBatch['header']): string {
  let layout = layouts.get(header)
  if (layout === undefined) {
    layout = JSON.stringify([header.columns.map(({ name }) => name), header.cells])
    layouts.set(header, layout)
  }
  return layout
}

/**
 * Tells whether two texts of a column have one value. A cell that is not of its type has none, and
 * neither has one that the file of its row lacks.
 */
function isEqualValue(before: Row<Columns>, after: Row<Columns>, column: string): boolean {
  try {
    return isDeepStrictEqual(plain(before.get(column)), plain(after.get(column)))
  } catch (error) {
    if (FeedError.is(error) && /^(?:CELL_INVALID|COLUMN_UNKNOWN)$/.test(error.code)) return false
    throw error
  }
}

/** Leaves the zeros out that do not change a decimal number; a double would not hold all digits. */
function plain(value: unknown): unknown {
  const text = decimalText(Object(value))?.replace(/^(-?)0+(?=\d)/, '$1')
  if (!text?.includes('.')) return text ?? value
  return text.replace(/(?<!0)0+$/, '').replace(/\.$/, '')
}
