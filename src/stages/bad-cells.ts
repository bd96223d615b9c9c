// The policy for cells that are not of their column's type, for all stages that decode ahead of the
// reader.

import { decoderOf } from '../codec/decode/cell-decoders'
import { FeedError, type RowPosition } from '../errors'
import { callback } from '../options'
import type { ColumnSpec } from '../schema/column-spec'

/** The report of a cell that is not of its column's type. */
export interface BadCell {
  /** The error that `onBadCell: 'throw'` would throw. */
  readonly error: FeedError<'CELL_INVALID'>
  /** The name of the column in the schema or in the file. */
  readonly column: string
  /** Position of the row; its excerpt is a cut piece of the cell. */
  readonly position: RowPosition
}

/**
 * `throw` ends the stream. `null` gives the column's empty value. A function is called, and then
 * the cell has the empty value.
 */
export type BadCellPolicy = 'throw' | 'null' | ((bad: BadCell) => void)

interface ReadableRow {
  readonly position: RowPosition
  get(name: string): unknown
}

export class BadCells {
  /** Bad cells so far. */
  count = 0
  readonly #policy: BadCellPolicy

  /** @throws FeedError OPTION_INVALID */
  constructor(policy: BadCellPolicy = 'throw') {
    this.#policy =
      policy === 'throw' || policy === 'null'
        ? policy
        : callback('onBadCell', policy, "'throw', 'null' or a function")
  }

  /**
   * Returns a cell's value, or the empty value where the policy does not throw.
   * @throws FeedError CELL_INVALID with the position
   */
  read(
    row: ReadableRow,
    { name, spec }: { readonly name: string; readonly spec: ColumnSpec },
  ): unknown {
    try {
      return row.get(name)
    } catch (error) {
      if (!isBadCell(error)) throw error
      this.count++
      if (this.#policy === 'throw') throw error
      if (this.#policy !== 'null') this.#policy(badCell(error, name, row.position))
      return decoderOf(spec).empty
    }
  }
}

export function isBadCell(error: unknown): error is FeedError<'CELL_INVALID'> {
  return FeedError.is(error) && error.code === 'CELL_INVALID'
}

function badCell(error: FeedError<'CELL_INVALID'>, column: string, row: RowPosition): BadCell {
  const { excerpt: text } = error.context
  return { error, column, position: text === undefined ? row : { ...row, excerpt: text } }
}
