// The columns that a sink of columns writes: those of the first batch. Later batches may come from
// other files, so their columns stand in another order, or some are missing.

import type { ArrowField } from '../codec/columns/arrow-type'
import type { ColumnBatch } from '../codec/columns/column-batch'
import { type ColumnData, emptyData } from '../codec/columns/column-data'
import { decodeColumns } from '../codec/columns/decode-columns'
import type { RowBatch } from '../codec/row-batch'
import { FeedError } from '../errors'
import { headerOf, isColumnBatch } from '../pipeline/batch'
import type { FeedFile } from '../schema/feed-schema'
import { sinkFailed, valueInvalid } from './sink-errors'

/** The part of a batch of columns that a sink needs. */
export interface SinkBatch {
  readonly length: number
  readonly file: FeedFile
  readonly columns: readonly (ArrowField & { readonly data: ColumnData })[]
}

export class SinkColumns {
  readonly #sink: string
  /** The names and types of the columns; none before the first batch. */
  fields: readonly ArrowField[] = []
  #isFirst = true
  /** Number of rows so far. */
  #rows = 0

  /** @param sink the name of the sink, for its errors */
  constructor(sink: string) {
    this.#sink = sink
  }

  /**
   * Returns the columns of a batch in the order of {@link fields}. One that the batch lacks is empty.
   * @throws FeedError COLUMN_UNKNOWN for a column that the first batch does not have,
   * SINK_VALUE_INVALID for one of another type
   */
  dataOf(batch: SinkBatch): readonly ColumnData[] {
    if (this.#isFirst) this.fields = batch.columns.map(({ name, type }) => ({ name, type }))
    this.#isFirst = false
    const { fields } = this
    const row = this.#rows + 1
    this.#rows += batch.length
    const isInOrder =
      batch.columns.length === fields.length &&
      batch.columns.every(
        ({ name, type }, n) => name === fields[n]!.name && isSameType(type, fields[n]!.type),
      )
    if (isInOrder) return batch.columns.map(({ data }) => data)
    const columns = new Map(batch.columns.map(column => [column.name, column]))
    const data = fields.map(({ name, type }) => {
      const column = columns.get(name)
      columns.delete(name)
      if (column === undefined) return emptyData(type, batch.length)
      if (isSameType(column.type, type)) return column.data
      const reason = `the column ${name} has another type than in the rows before`
      throw valueInvalid(this.#sink, row, reason)
    })
    const [unknown] = columns.keys()
    if (unknown !== undefined) {
      const known = fields.map(({ name }) => name)
      const message = `row ${row} has a column ${unknown} that the first row does not have: give its file a sink of its own, or choose the parser's columns`
      throw new FeedError('COLUMN_UNKNOWN', message, { column: unknown, known })
    }
    return data
  }

  /** Returns the error of a file without a batch. @param target as {@link sinkFailed} takes it */
  missing(target: string): FeedError<'SINK_FAILED'> {
    return sinkFailed(this.#sink, target, 'no batch has named the columns')
  }
}

function isSameType(type: ArrowField['type'], other: ArrowField['type']): boolean {
  return type === other || JSON.stringify(type) === JSON.stringify(other)
}

/**
 * Returns the columns of a batch of columns or of rows.
 * @param row the number of its first row among all that the sink has got, from 1
 * @param take returns the memory of columns that are decoded
 * @throws FeedError SINK_VALUE_INVALID for any other item; CELL_INVALID
 */
export function columnsOf(
  item: ColumnBatch | RowBatch,
  sink: string,
  row: number,
  take?: (bytes: number) => ArrayBuffer,
): ColumnBatch {
  if (isColumnBatch(item)) return item
  if (headerOf(item) !== undefined) return decodeColumns(item, undefined, undefined, take)
  const reason = 'it is no batch of columns or rows: plain objects need the option schema'
  throw valueInvalid(sink, row, reason)
}
