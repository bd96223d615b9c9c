// One row of a batch, read cell by cell. row-cells.ts has the offsets and texts of cells, and
// decode/cell-decoders.ts decodes them.

import { type CellPosition, excerpt, FeedError, type RowPosition } from '../errors'
import type { CellOf, ColumnName, Columns, RowObject } from '../schema/feed-schema'
import { isBadCell } from './decode/cell-decoder'
import { INSPECT, type Inspect, inspection, shownCell } from './inspection'
import { bigIntsAsText, columnOf } from './projection'
import type { RowBatch } from './row-batch'

/**
 * A view of one row. It pins its batch's block: keep `row.detach()`, not the row. The strings and
 * objects that its methods return never pin the batch. A string of 13 characters or more may share
 * the text of the few rows around it, about 4 KiB. A caller that keeps a few strings out of each
 * thousand rows for long saves memory by taking them from `row.detach()`.
 *
 * Values are read-only, as their types say. Rows share what the feed repeats: lists and regions,
 * frozen, and strings. A date and the list of aspects are the row's own.
 *
 * @example
 * ```ts
 * import { defineSchema, int32, pipeline, TsvRowParser } from 'feedmill'
 *
 * const schema = defineSchema({ name: 'stock', columns: { stock: int32() } })
 * const [row] = await pipeline([Buffer.from('stock\tcolour\n12\tred\n')])
 *   .to(new TsvRowParser({ schema }))
 *   .toArray()
 * console.log(row?.get('stock'), row?.get('colour' as string), row?.toObject(), row?.position.line)
 * // => 12 red { stock: 12, colour: 'red' } 2
 * ```
 */
export class Row<out C extends Columns = Columns> {
  // Fields that are declared only: a class that defines fields has an initialiser, which V8 calls
  // for each row.
  declare readonly batch: RowBatch<C>
  /** @internal Number of the row in the batch's index, which a selection does not change. */
  declare readonly slot: number

  constructor(batch: RowBatch<C>, slot: number) {
    this.batch = batch
    this.slot = slot
  }

  /**
   * One cell with the type that the schema gives its column. Empty cells, quoted (`""`) or not, and
   * columns that this file lacks are null or an empty list.
   *
   * A literal has to be a column of the rows: one of the schema, if the option `columns` is absent
   * or has it, or any name without a schema. A name of type `string`, such as `'extra' as string`,
   * may be any column of the file; its type is `unknown`, and where the schema does not know it the
   * value is text or null. {@link text}, {@link toObject} and {@link toStrings} take names by the
   * same rule.
   * @throws FeedError CELL_INVALID with the position, COLUMN_UNKNOWN for a name that neither schema
   * nor file has
   */
  get<N extends string>(name: ColumnName<C, N>): CellOf<C, N> {
    return this.#value(columnOf(this.batch.header, name)) as CellOf<C, N>
  }

  /**
   * One cell as the file's text without quotes and escapes; '' where it is empty, quoted or not.
   * @throws FeedError COLUMN_UNKNOWN
   */
  text<N extends string>(name: ColumnName<C, N>): string {
    return this.batch.cells.textOf(this.slot, name)
  }

  /**
   * @internal {@link text} as a string of its own. It is the faster one for a caller that reads one
   * or two cells of a row, because it makes no text of the cells around them.
   */
  ownText(name: string): string {
    return this.batch.cells.ownTextOf(this.slot, columnOf(this.batch.header, name))
  }

  /**
   * All cells as a plain object: columns of the schema typed as by {@link get}, columns that only
   * the file has as text. With `columns` the object has only these, and no other cell is read.
   * @throws FeedError CELL_INVALID, COLUMN_UNKNOWN
   */
  toObject(): RowObject<C>
  toObject<const N extends string>(
    columns: readonly ColumnName<C, N>[],
  ): { -readonly [K in N]: CellOf<C, K> }
  toObject(columns?: readonly string[]): Record<string, unknown> {
    const { projections } = this.batch
    const projection = columns === undefined ? projections.all : projections.of(columns)
    return projection.ofValues(this.#values(projection.columns))
  }

  /**
   * All cells of the file as a plain object of strings. With `columns` the object has only these,
   * and no other cell is read.
   * @throws FeedError COLUMN_UNKNOWN
   */
  toStrings(): Record<string, string>
  toStrings<const N extends string>(columns: readonly ColumnName<C, N>[]): Record<N, string>
  toStrings(columns?: readonly string[]): Record<string, unknown> {
    const { projections, cells } = this.batch
    const projection = columns === undefined ? projections.file : projections.of(columns)
    return projection.ofTexts(cells, this.slot)
  }

  /**
   * What JSON.stringify writes of a row: {@link toObject} with bigints as text, because most
   * readers of JSON make doubles of its numbers.
   */
  toJSON(): { readonly [N in keyof C]: unknown } {
    const object = this.toObject()
    return this.batch.projections.mayHaveBigInts ? bigIntsAsText(object) : object
  }

  /** The file's columns in order, each with its typed value. */
  *[Symbol.iterator](): IterableIterator<[name: string, value: unknown]> {
    const { columns } = this.batch.header
    for (let column = 0; column < columns.length; column++)
      yield [columns[column]!.name, this.#value(column)]
  }

  /** Returns a copy that holds only its own bytes, for callers that keep rows. */
  detach(): Row<C> {
    return this.batch.copyOf(this.slot).row(0)
  }

  /** The position of the row in its file. */
  get position(): RowPosition {
    return this.batch.positionOf(this.slot)
  }

  /**
   * @internal What `console.log` shows: the cells that are not empty, cut; a bad cell as its error.
   */
  [INSPECT](depth: number, options: object, inspect: Inspect): string {
    return inspection('Row', () => this.#shown(), depth, options, inspect)
  }

  #shown(): object {
    const { columns } = this.batch.header
    const cells = columns.map(({ name }, column): [string, unknown] => [
      name,
      shownCell(() => this.#value(column)),
    ])
    return Object.fromEntries(
      cells.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
    )
  }

  #values(columns: Int32Array): unknown[] {
    const { batch, slot } = this
    if (batch.hasDecodedCells) return this.#valuesOneByOne(columns)
    try {
      return batch.cells.values(slot, columns, batch.projections.readers)
    } catch (error) {
      if (!isBadCell(error)) throw error
      // This way does not know which cell is bad. Cell by cell the error gets its position.
      return this.#valuesOneByOne(columns)
    }
  }

  #valuesOneByOne(columns: Int32Array): unknown[] {
    const values = new Array<unknown>(columns.length)
    for (let n = 0; n < columns.length; n++) values[n] = this.#value(columns[n]!)
    return values
  }

  #value(column: number): unknown {
    const { batch, slot } = this
    const decoded = batch.decodedCells(column)
    if (decoded !== undefined) return decoded[slot]
    try {
      return batch.cells.value(slot, column, batch.projections.readers[column]!)
    } catch (error) {
      throw this.placed(error, column)
    }
  }

  /** @internal Returns the error of a cell with the cell's position. */
  placed(error: unknown, column: number): unknown {
    if (!isBadCell(error)) return error
    const { batch, slot } = this
    const { name } = batch.header.columns[column]!
    const position: CellPosition = {
      ...this.position,
      column: name,
      excerpt: error.context.excerpt ?? excerpt(batch.cells.text(slot, column)),
    }
    return new FeedError(
      'CELL_INVALID',
      `${name}: ${error.message}`,
      { ...error.context, ...position },
      { cause: error.cause ?? error },
    )
  }
}
