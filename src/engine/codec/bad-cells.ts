// Cells that are not of their column's type: the rows of a batch that have some, and such a row as
// an object. What a pipeline does about them is stages/bad-cell-policy.ts.

import type { FeedError } from '../errors'
import type { ColumnSpec } from '../schema/column-spec'
import type { Columns } from '../schema/feed-schema'
import { columnsCoreWith } from './columns/columns-core'
import { planOf } from './columns/decode-columns'
import { exactCell, exactObject } from './json-cell'
import { decoderOf } from './kinds/all-kinds'
import { isBadCell } from './kinds/kind-of-cells'
import type { Row, RowBatch } from './row-batch'
import type { BoundColumn } from './tsv/header'

export interface RowWithBadCells {
  readonly row: Row<Columns>
  /** The error that reading the first of them throws. */
  readonly error: FeedError<'CELL_INVALID'>
  /** Number of its bad cells. */
  readonly count: number
}

/** Returns the rows of a batch that have bad cells, in the order of the batch. */
export function rowsWithBadCells(batch: RowBatch<Columns>): RowWithBadCells[] {
  const errors = new Map<number, FeedError<'CELL_INVALID'>[]>()
  const core = columnsCoreWith(batch)
  for (const [at, { kernel, spec }] of planOf(batch.header).entries())
    if (mayBeBad(spec)) checkColumn(batch, at, errors, kernel && core?.decode(kernel, at)?.left)
  if (errors.size === 0) return []
  return [...batch].flatMap(row => {
    const bad = errors.get(row.slot)
    return bad === undefined ? [] : [{ row, error: bad[0]!, count: bad.length }]
  })
}

/** Every text is a value of the other columns. */
function mayBeBad({ type, element, notNull }: ColumnSpec): boolean {
  const isText = type === 'text' || (type === 'list' && element?.type === 'text')
  return !isText || notNull === true
}

/** @param rows those that have a doubtful cell; undefined where each may have one */
function checkColumn(
  batch: RowBatch<Columns>,
  column: number,
  errors: Map<number, FeedError<'CELL_INVALID'>[]>,
  rows: Uint32Array | undefined,
): void {
  const { cells, projections, selection } = batch
  const reader = projections.readers[column]!
  for (let n = 0; n < (rows?.length ?? batch.length); n++) {
    const row = rows?.[n] ?? n
    const slot = selection?.[row] ?? row
    try {
      cells.value(slot, column, reader)
    } catch {
      const error = badCellOf(batch.row(row), batch.header.columns[column]!.name)
      if (error !== undefined) errors.set(slot, [...(errors.get(slot) ?? []), error])
    }
  }
}

/** Returns the error of a bad cell, with its position; undefined for a good cell. */
function badCellOf(row: Row<Columns>, name: string): FeedError<'CELL_INVALID'> | undefined {
  try {
    row.get(name)
    return undefined
  } catch (error) {
    if (isBadCell(error)) return error
    throw error
  }
}

/** Makes an object of all cells of a row, each of which `read` reads. */
export function objectBy(
  { batch }: Row<Columns>,
  read: (column: BoundColumn) => unknown,
): Record<string, unknown> {
  const { header, projections } = batch
  const { columns, ofValues } = projections.all
  return ofValues(Array.from(columns, column => read(header.columns[column]!)))
}

/**
 * Returns all cells of a row as {@link Row.toObject} does. Where the row has bad cells, these have
 * the empty value of their type, and the object has their texts by column as `invalid`. The text of
 * a column that is called `invalid` then stands among them.
 * @param isExact true where JSON is its text, as in {@link exactObject}
 */
export function objectWithInvalid(row: Row<Columns>, isExact = false): Record<string, unknown> {
  try {
    return isExact ? exactObject(row) : row.toObject()
  } catch (error) {
    if (!isBadCell(error)) throw error
  }
  const texts: [string, string][] = []
  const object = objectBy(row, ({ name, spec }) => {
    if (badCellOf(row, name) === undefined) return isExact ? exactCell(row, name) : row.get(name)
    texts.push([name, row.text(name)])
    return decoderOf(spec).empty
  })
  const own = Object.entries(object).filter(([name]) => name === 'invalid')
  return { ...object, invalid: Object.fromEntries([...own, ...texts]) }
}
