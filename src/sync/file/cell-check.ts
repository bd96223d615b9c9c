// Counts the cells of a file that are not of their column's type. Such a cell keeps no row out of
// the state: a target keeps the row with the text of the cell, and a quarantine has the row too.

import type { Columns, FeedError, RowBatch } from '../../engine/index'
import { leftOutRow, type RowQuarantine, rowsWithBadCells } from '../../engine/index'
import { keyColumnOf } from '../feed-files'
import type { BadCellCount } from '../target/target'

export class CellCheck {
  #found: BadCellCount
  readonly #quarantine: RowQuarantine | undefined

  /** @param found what an earlier run has counted in the rows before */
  constructor(found: BadCellCount, quarantine: RowQuarantine | undefined) {
    this.#found = found
    this.#quarantine = quarantine
  }

  get found(): BadCellCount {
    return this.#found
  }

  /** @param leftOut the slots of the rows that are not merged */
  check(batch: RowBatch<Columns>, leftOut?: ReadonlySet<number>): void {
    for (const { row, error, count } of rowsWithBadCells(batch)) {
      if (leftOut?.has(row.slot)) continue
      this.#quarantine?.take(leftOutRow(row, error))
      const { badCells = 0, firstBadCell = placeOf(row.text(keyColumnOf(batch.file)), error) } =
        this.#found
      this.#found = { badCells: badCells + count, firstBadCell }
    }
  }
}

function placeOf(
  key: string,
  { context }: FeedError<'CELL_INVALID'>,
): BadCellCount['firstBadCell'] {
  const { row = 0, column = '', excerpt = '' } = context
  return { key, row, column, excerpt }
}
