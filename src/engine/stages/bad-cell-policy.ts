// The policy for cells that are not of their column's type, for all stages that decode ahead of the
// reader.

import type { CellPolicy, ReadableRow } from '../codec/columns/decode-columns'
import { decoderOf } from '../codec/kinds/all-kinds'
import { isBadCell, withErrors } from '../codec/kinds/kind-of-cells'
import { leftOutRow, type RowQuarantine } from '../codec/quarantine/row-quarantine'
import type { Row } from '../codec/row-batch'
import type { FeedError, RowPosition } from '../errors'
import { is, type NoPromise, noPromise } from '../options'
import type { ColumnSpec } from '../schema/column-spec'
import type { Columns } from '../schema/feed-schema'
import { checkedQuarantine } from './quarantined'

/** The report of a cell that is not of its column's type. */
export interface BadCell {
  /** The error that `onBadCell: 'throw'` would throw. */
  readonly error: FeedError<'CELL_INVALID'>
  /** The name of the column in the schema or in the file. */
  readonly column: string
  /** The text of the cell. */
  readonly text: string
  /** Position of the row; its excerpt is a cut piece of the cell. */
  readonly position: RowPosition
}

/**
 * `throw` ends the stream. `null` gives the column's empty value. A function is called, and then
 * the cell has the empty value. A quarantine takes all bytes of the row, which is then left out. It
 * needs rows with all columns of their file, from a parser without `columns`.
 */
export type BadCellPolicy = 'throw' | 'null' | ((bad: BadCell) => NoPromise) | RowQuarantine

export class BadCells implements CellPolicy {
  /** Bad cells so far. */
  count = 0
  /** Rows that were left out because of a bad cell. */
  rowsLeftOut = 0
  /** The quarantine of the rows with bad cells. */
  readonly quarantine: RowQuarantine | undefined
  /** True where the caller gets the errors of bad cells. */
  readonly areSeen: boolean
  readonly #policy: Exclude<BadCellPolicy, RowQuarantine>

  /** @throws FeedError OPTION_INVALID */
  constructor(policy: BadCellPolicy = 'throw') {
    this.areSeen = policy !== 'null'
    if (typeof policy === 'object') {
      this.quarantine = checkedQuarantine('onBadCell', policy)
      this.#policy = 'throw'
    } else {
      this.#policy =
        policy === 'throw' || policy === 'null'
          ? policy
          : is.callback('onBadCell', policy, "'throw', 'null', a function or a quarantine")
    }
  }

  /**
   * Gives the row to the quarantine. Returns false where the error is no bad cell, or there is no
   * quarantine.
   */
  leaveOut(row: Row<Columns>, error: unknown): boolean {
    if (this.quarantine === undefined || !isBadCell(error)) return false
    this.quarantine.take(leftOutRow(row, error))
    this.rowsLeftOut++
    return true
  }

  /**
   * Returns a cell's value, or the empty value where the policy does not throw.
   * @throws FeedError CELL_INVALID with the position
   */
  read(
    row: ReadableRow,
    { name, spec }: { readonly name: string; readonly spec: ColumnSpec },
  ): unknown {
    // Nobody sees the error of a cell that is null, nor the stack of its cause.
    const limit = Error.stackTraceLimit
    if (!this.areSeen) Reflect.set(Error, 'stackTraceLimit', 0)
    try {
      return withErrors(this.areSeen, () => row.get(name))
    } catch (error) {
      if (!isBadCell(error)) throw error
      this.count++
      if (this.#policy === 'throw') throw error
      if (this.#policy !== 'null') noPromise('onBadCell', this.#policy(badCell(error, name, row)))
      return decoderOf(spec).empty
    } finally {
      if (!this.areSeen) Reflect.set(Error, 'stackTraceLimit', limit)
    }
  }
}

function badCell(error: FeedError<'CELL_INVALID'>, column: string, row: ReadableRow): BadCell {
  const { excerpt: text } = error.context
  const position = text === undefined ? row.position : { ...row.position, excerpt: text }
  return { error, column, text: row.text(column), position }
}
