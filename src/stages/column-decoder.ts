// Decodes columns ahead of their use, so that bad cells are met at one known place instead of wherever a row is read first.
// How cells are decoded is codec/decode/; a row that nobody decodes ahead does the same on demand.

import { cellDecoders } from '../codec/decode/cell-decoders'
import { unknownColumn } from '../codec/projection'
import type { Row } from '../codec/row'
import type { RowBatch } from '../codec/row-batch'
import type { BoundHeader } from '../codec/tsv/header'
import { excerpt, FeedError, type RowPosition } from '../errors'
import type { Columns } from '../schema/feed-schema'
import type { CellType } from '../schema/values'
import { Stage } from './stage'

/** A cell that could not be read. */
export interface BadCell {
  /** The error that `onBadCell: 'throw'` would have thrown. */
  readonly error: FeedError<'CELL_INVALID'>
  readonly column: string
  /** Of the row; its excerpt is a cut piece of the cell. */
  readonly position: RowPosition
}

/** `throw` ends the stream, `null` gives the column's empty value, a function is called and then the empty value is given. */
export type BadCellPolicy = 'throw' | 'null' | ((bad: BadCell) => void)

export interface ColumnDecoderOptions<C extends Columns> {
  /** Columns to decode; by default all of the file that are not text. A column that only the schema has is skipped. */
  readonly columns?: readonly ((keyof C & string) | (string & {}))[]
  readonly onBadCell?: BadCellPolicy
}

interface PlannedColumn {
  readonly index: number
  readonly name: string
  readonly type: CellType
}

/**
 * {@link RowBatch} in, the same rows out with the chosen columns decoded. Nothing is held between batches; within a batch, cells are met column by column.
 * The input may end anywhere between batches; an empty input is an empty output.
 * Throws CELL_INVALID by `onBadCell` ('throw'), and COLUMN_UNKNOWN at the first batch of a file where neither file nor schema has a chosen column.
 */
export class ColumnDecoder<C extends Columns = Columns> extends Stage<RowBatch<C>, RowBatch<C>> {
  /** Cells that could not be read so far. */
  badCells = 0
  readonly #columns: readonly string[] | undefined
  readonly #onBadCell: BadCellPolicy
  #header: BoundHeader<C> | undefined
  #plan: readonly PlannedColumn[] = []

  /** @throws FeedError OPTION_INVALID */
  constructor(options: ColumnDecoderOptions<C> = {}) {
    super('ColumnDecoder')
    const { columns, onBadCell = 'throw' } = options
    if (onBadCell !== 'throw' && onBadCell !== 'null' && typeof onBadCell !== 'function') {
      throw invalidOption('onBadCell', "'throw', 'null' or a function", onBadCell)
    }
    if (columns !== undefined && !(Array.isArray(columns) && columns.every(column => typeof column === 'string'))) {
      throw invalidOption('columns', 'a list of column names', columns)
    }
    this.#columns = columns && [...columns]
    this.#onBadCell = onBadCell
  }

  protected override *transform(batch: RowBatch<C>): Generator<RowBatch<C>, void, void> {
    if (batch.header !== this.#header) {
      this.#plan = planFor(batch.header, this.#columns)
      this.#header = batch.header
    }
    let decoded = batch
    for (const column of this.#plan) decoded = decoded.withDecoded(column.index, row => this.#decode(row, column))
    yield decoded
  }

  #decode(row: Row<C>, { name, type }: PlannedColumn): unknown {
    try {
      return row.get(name)
    } catch (error) {
      if (!FeedError.is(error) || error.code !== 'CELL_INVALID') throw error
      this.badCells++
      if (this.#onBadCell === 'throw') throw error
      if (this.#onBadCell !== 'null') this.#onBadCell(badCell(error, name, row.position))
      return cellDecoders[type].empty
    }
  }
}

function planFor(header: BoundHeader, names: readonly string[] | undefined): PlannedColumn[] {
  const all = header.columns.map(({ name, type }, index) => ({ index, name, type }))
  if (names === undefined) return all.filter(column => column.type !== 'text')
  const wanted = new Set(names)
  for (const name of wanted) if (!header.indexes.has(name) && !header.absent.has(name)) throw unknownColumn(header, name)
  return all.filter(column => wanted.has(column.name))
}

function badCell(error: FeedError<'CELL_INVALID'>, column: string, row: RowPosition): BadCell {
  const { excerpt: text } = error.context
  return { error, column, position: text === undefined ? row : { ...row, excerpt: text } }
}

function invalidOption(option: string, expected: string, received: unknown): FeedError {
  return new FeedError('OPTION_INVALID', `${option} must be ${expected}`, { option, expected, received: excerpt(String(received)) })
}
