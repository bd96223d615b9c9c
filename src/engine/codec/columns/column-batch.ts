// A batch of columns: the decoded cells of a block of rows, a column at a time. decode-columns.ts
// makes it of a batch of rows.

import type { ColumnSpec } from '../../schema/column-spec'
import type { CellOf, ColumnName, Columns, FeedFile, RowObject } from '../../schema/feed-schema'
import { INSPECT, type Inspect, inspection } from '../inspection'
import { JsonCell } from '../json-cell'
import { arrowTypeOf, decoderOf } from '../kinds/all-kinds'
import { projectionsOf } from '../projection'
import type { FileProgress } from '../row-batch'
import { type BoundColumn, type BoundHeader, columnOf } from '../tsv/header'
import type { ArrowType } from './arrow-type'
import { type ColumnData, emptyData, isNull, valueAt } from './column-data'

/** A column of a batch: its cells, and the arrays that hold them. */
export class Column<out V = unknown> implements Iterable<V> {
  /** The name that the schema, or else the file, gives the column. */
  readonly name: string
  readonly spec: ColumnSpec
  readonly length: number
  readonly #data: () => ColumnData
  #made: ColumnData | undefined

  /** @internal */
  constructor(name: string, spec: ColumnSpec, length: number, data: () => ColumnData) {
    this.name = name
    this.spec = spec
    this.length = length
    this.#data = data
  }

  get type(): ArrowType {
    return this.data.type
  }

  /** The arrays of the column. They lie in the memory of the batch, which stays as long as one of them is held. */
  get data(): ColumnData {
    return (this.#made ??= this.#data())
  }

  /**
   * The cell of the n-th row, as `row.get` gives it, except that a decimal has no zeros at the end
   * of its fraction.
   */
  get(n: number): V {
    const { spec, data } = this
    const { empty, decode } = decoderOf(spec)
    if (isNull(data, n)) return empty as V
    const value = valueAt(data, n)
    return (isText(spec) ? decode(value as string) : value) as V
  }

  /** @internal The cell as {@link get} gives it, but JSON as its text. */
  exact(n: number): unknown {
    const isText = this.spec.type === 'json' && !this.isNull(n)
    return isText ? new JsonCell(valueAt(this.data, n) as string) : this.get(n)
  }

  /**
   * Returns whether the cell of the n-th row is empty, or a bad one that `onBadCell` has emptied. An
   * empty list is no null, and neither is the cell `null` of a column of JSON.
   */
  isNull(n: number): boolean {
    return isNull(this.data, n)
  }

  *[Symbol.iterator](): IterableIterator<V> {
    for (let n = 0; n < this.length; n++) yield this.get(n)
  }
}

/** Returns whether the arrays of a column have the texts of its cells in place of their values. */
export function isText({ type, as }: ColumnSpec): boolean {
  return type === 'json' || (type === 'cell' && as === undefined)
}

/** @internal What a batch is made of. */
export interface ColumnBatchParts<C extends Columns> {
  readonly header: BoundHeader<C>
  readonly file: FeedFile
  readonly progress: FileProgress
  readonly length: number
  /** The columns of the file, in their order. */
  readonly columns: readonly Column[]
}

/**
 * The cells of a block of rows, typed, a column at a time. The batch owns its memory: the arrays of
 * all columns lie in one ArrayBuffer. Values are read-only, as their types say.
 *
 * A loop over a batch gives each row as a plain object.
 *
 * @example
 * ```ts
 * import { itemSchema, pipeline, TsvColumnParser } from 'feedmill'
 *
 * const file = [Buffer.from('itemId\tpriceValue\nv1|1|0\t9.90\nv1|2|0\t\n')]
 * const batches = pipeline(file).to(new TsvColumnParser({ schema: itemSchema })).batches()
 * for await (const batch of batches) {
 *   const price = batch.column('priceValue')
 *   console.log(batch.length, String(price.get(0)), price.isNull(1), price.type)
 * }
 * // => 2 9.9 true { kind: 'decimal', scale: 10 }
 * ```
 */
export class ColumnBatch<out C extends Columns = Columns> implements Iterable<RowObject<C>> {
  /** @internal */
  readonly header: BoundHeader<C>
  /** The file of the rows. */
  readonly file: FeedFile
  /** Number of rows. */
  readonly length: number
  /** The columns of the file in their order, and behind them those that only the schema has. */
  readonly columns: readonly Column[]
  readonly #progress: FileProgress

  /** @internal */
  constructor({ header, file, progress, length, columns }: ColumnBatchParts<C>) {
    this.header = header
    this.file = file
    this.length = length
    this.#progress = progress
    const absent = header.all.slice(header.columns.length)
    this.columns = [...columns, ...absent.map(column => absentColumn(column, length))]
  }

  /**
   * True once the parser has read the file to its verified end, as for a {@link RowBatch}: until
   * then rows are unconfirmed.
   */
  get confirmed(): boolean {
    return this.#progress.complete
  }

  /**
   * One column, with the type that the schema gives its cells. Names are as for `row.get`.
   * @throws FeedError COLUMN_UNKNOWN for a name that neither schema nor file has
   */
  column<N extends string>(name: ColumnName<C, N>): Column<CellOf<C, N>> {
    return this.columns[columnOf(this.header, name)] as Column<CellOf<C, N>>
  }

  /** Each row as a plain object, as `row.toObject()` gives it. */
  [Symbol.iterator](): IterableIterator<RowObject<C>> {
    return this.#rows((column, n) => column.get(n)) as IterableIterator<RowObject<C>>
  }

  /** @internal The rows as a loop gives them, but JSON as its text. */
  exactRows(): IterableIterator<Record<string, unknown>> {
    return this.#rows((column, n) => column.exact(n))
  }

  *#rows(cellOf: (column: Column, n: number) => unknown) {
    const { all } = projectionsOf(this.header)
    const columns = Array.from(all.columns, column => this.columns[column]!)
    for (let n = 0; n < this.length; n++)
      yield all.ofValues(columns.map(column => cellOf(column, n)))
  }

  /** @internal What `console.log` shows. */
  [INSPECT](depth: number, options: object, inspect: Inspect): string {
    const { length, columns, confirmed, file } = this
    const parts = () => ({ length, columns: columns.length, confirmed, file })
    return inspection('ColumnBatch', parts, depth, options, inspect)
  }
}

function absentColumn({ name, spec }: BoundColumn, length: number): Column {
  return new Column(name, spec, length, () => emptyData(arrowTypeOf(spec), length))
}
