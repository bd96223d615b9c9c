// A batch: a bounded block of rows, as the file's own bytes with an index of their cells, and one row
// of it, read cell by cell. A batch makes text only for cells that are read. It never changes:
// `select` and `withDecoded` give another view of the same bytes. row-cells.ts has the offsets and
// texts of cells, and kinds/ has their decoders. The file is one piece, because a batch
// makes its rows, and a row has nothing but its batch.

import { type CellPosition, excerpt, FeedError, type RowPosition } from '../errors'
import type { CellOf, ColumnName, Columns, FeedFile, RowObject } from '../schema/feed-schema'
import { INSPECT, type Inspect, inspection, shownCell } from './inspection'
import { isBadCell, UNSEEN } from './kinds/kind-of-cells'
import { bigIntsAsText, type Projections, projectionsOf } from './projection'
import { RowCells } from './row-cells'
import { type BoundHeader, columnOf } from './tsv/header'
import type { PlaceOf } from './tsv/row-places'
import { CELL_END, type RowIndex } from './tsv/scan-space'

const LF = 0x0a
const CR = 0x0d

/**
 * Says whether the parser has read the file to its verified end. All batches of the file share it.
 */
export interface FileProgress {
  complete: boolean
}

export interface RowBatchParts<C extends Columns> {
  readonly header: BoundHeader<C>
  readonly file: FeedFile
  readonly progress: FileProgress
  /** The bytes of the rows, which the batch owns from now on. */
  readonly bytes: Uint8Array
  readonly index: RowIndex
  /** Number of rows in `index`. */
  readonly rowCount: number
  readonly placeOf: PlaceOf
  /** The rows of the index that are in view, in order; undefined for all rows. */
  readonly selection?: Uint32Array | undefined
  /** True where all rows in view are known to be UTF-8. */
  readonly isUtf8?: boolean
  /** Decoded cells by column index, with one value for each row of the index. */
  readonly decoded?: ReadonlyMap<number, readonly unknown[]>
  /** Single cells that were read already, by column index and row of the index. */
  readonly read?: ReadonlyMap<number, ReadonlyMap<number, unknown>>
}

export class RowBatch<out C extends Columns = Columns> implements Iterable<Row<C>> {
  /** @internal */
  readonly header: BoundHeader<C>
  /** The file of the rows. */
  readonly file: FeedFile
  /** Rows in view. */
  readonly length: number
  /** @internal The offsets of cells and their text. */
  readonly cells: RowCells
  readonly #parts: RowBatchParts<C>
  readonly #buffer: Buffer
  #projections: Projections | undefined

  constructor(parts: RowBatchParts<C>) {
    this.#parts = parts
    this.header = parts.header
    this.file = parts.file
    this.length = parts.selection?.length ?? parts.rowCount
    const { buffer, byteOffset, byteLength } = parts.bytes
    this.#buffer = Buffer.from(buffer, byteOffset, byteLength)
    this.cells = new RowCells(this.#buffer, parts.index, parts.rowCount, parts.header)
  }

  /**
   * Bytes of the file that the batch holds, rows out of view included. With a projection they are
   * the bytes of the projected columns.
   */
  get byteLength(): number {
    return this.bytesOf().byteLength
  }

  /**
   * True once the parser has read the file to its verified end (with the gzip trailer, where the
   * stage before checks one). Until then rows are unconfirmed: a caller that stores rows for good
   * waits for this, as every sink does.
   */
  get confirmed(): boolean {
    return this.#parts.progress.complete
  }

  /** The n-th row in view. */
  row(n: number): Row<C> {
    return new Row(this, this.#parts.selection ? this.#parts.selection[n]! : n)
  }

  /** Rows are views of this batch: see {@link Row.detach} before keeping one. */
  [Symbol.iterator](): IterableIterator<Row<C>> {
    return new RowIterator(this)
  }

  /**
   * Returns a view of the rows for which `keep` is true, or this batch where that is all rows.
   */
  select(keep: (row: Row<C>) => boolean): RowBatch<C> {
    const slots = new Uint32Array(this.length)
    let kept = 0
    for (const row of this) if (keep(row)) slots[kept++] = row.slot
    return kept === this.length
      ? this
      : newBatch({ ...this.#parts, selection: slots.slice(0, kept) })
  }

  /**
   * @internal Returns a view without some rows of the index.
   * @param isUtf8 true where the others are UTF-8
   */
  without(slots: ReadonlySet<number>, isUtf8: boolean): RowBatch<C> {
    const isOut = new Uint8Array(this.rowCount)
    for (const slot of slots) isOut[slot] = 1
    const kept = new Uint32Array(this.length)
    let count = 0
    for (let n = 0; n < this.length; n++) {
      const slot = this.selection?.[n] ?? n
      if (isOut[slot] === 0) kept[count++] = slot
    }
    return newBatch({ ...this.#parts, selection: kept.slice(0, count), isUtf8 })
  }

  /** Returns a view of the first `count` rows. */
  first(count: number): RowBatch<C> {
    if (count >= this.length) return this
    const { selection } = this.#parts
    return newBatch({
      ...this.#parts,
      selection: selection
        ? selection.slice(0, count)
        : Uint32Array.from({ length: count }, (_, n) => n),
    })
  }

  /**
   * Returns a view of the same rows with one column decoded. `decode` is called for every row in
   * view; other columns stay lazy.
   */
  withDecoded(column: number, decode: (row: Row<C>) => unknown): RowBatch<C> {
    const values = new Array<unknown>(this.#parts.rowCount)
    for (const row of this) values[row.slot] = decode(row)
    return newBatch({ ...this.#parts, decoded: new Map(this.#parts.decoded).set(column, values) })
  }

  /** @internal The same rows with values of single cells of a column, by the slots of their rows. */
  withRead(column: number, cells: ReadonlyMap<number, unknown>): RowBatch<C> {
    return newBatch({ ...this.#parts, read: new Map(this.#parts.read).set(column, cells) })
  }

  /** @internal The same rows, with other names and types for the same columns of the file. */
  withHeader<D extends Columns>(header: BoundHeader<D>): RowBatch<D> {
    const { decoded: _, read: __, ...parts } = this.#parts
    return newBatch({ ...parts, header })
  }

  /** @internal The same rows as rows of another file, each with its place in it. */
  placed<D extends Columns>(
    header: BoundHeader<D>,
    file: FeedFile,
    progress: FileProgress,
    placeOf: PlaceOf,
  ): RowBatch<D> {
    return newBatch({ ...this.#parts, header, file, progress, placeOf })
  }

  /** @internal */
  get projections(): Projections {
    return (this.#projections ??= projectionsOf(this.header))
  }

  /** @internal True where all rows in view are known to be UTF-8. */
  get isUtf8(): boolean {
    return this.#parts.isUtf8 === true
  }

  /** @internal The rows of the index that are in view, in order; undefined for all rows. */
  get selection(): Uint32Array | undefined {
    return this.#parts.selection
  }

  /** @internal */
  get index(): RowIndex {
    return this.#parts.index
  }

  /** @internal */
  get progress(): FileProgress {
    return this.#parts.progress
  }

  /** @internal The number of rows in the index. */
  get rowCount(): number {
    return this.#parts.rowCount
  }

  /** @internal Single cells of a column that were read already, by slot. */
  readCells(column: number): ReadonlyMap<number, unknown> | undefined {
    return this.#parts.read?.get(column)
  }

  /** @internal True where a column is decoded. */
  get hasDecodedCells(): boolean {
    return this.#parts.decoded !== undefined
  }

  /** @internal */
  decodedCells(column: number): readonly unknown[] | undefined {
    return this.#parts.decoded?.get(column)
  }

  /** @internal The bytes that the offsets of the index count in. */
  get bytes(): Buffer {
    return this.#buffer
  }

  /** @internal The bytes of one row without its line end, or of all rows of the index. */
  bytesOf(slot?: number): Uint8Array {
    const { index, rowCount } = this.#parts
    if (rowCount === 0) return this.#buffer.subarray(0, 0)
    return this.#buffer.subarray(index.rowStarts[slot ?? 0]!, this.endOf(slot ?? rowCount - 1))
  }

  /**
   * @internal The bytes of one row with its line end, which only rows as the parser gives them have.
   */
  lineOf(slot: number): Uint8Array {
    const from = this.#parts.index.rowStarts[slot]!
    const end = this.endOf(slot)
    const lineEnd = this.#buffer[end] === CR ? end + 1 : end
    return this.#buffer.subarray(from, this.#buffer[lineEnd] === LF ? lineEnd + 1 : end)
  }

  /** @internal True where the batch has a projection of the columns of its file. */
  get isProjected(): boolean {
    return this.header.leftOut !== undefined
  }

  /** @internal Position of the row in `slot`. */
  positionOf(slot: number): RowPosition {
    return this.#parts.placeOf(slot)
  }

  /** @internal A batch of only the row in `slot`, over a copy of its bytes. */
  copyOf(slot: number): RowBatch<C> {
    const { index, decoded, read, selection: _, ...rest } = this.#parts
    const from = index.rowStarts[slot]!
    const cellEnds = index.cellEnds.slice(slot * index.columns, (slot + 1) * index.columns)
    for (let n = 0; n < cellEnds.length; n++) cellEnds[n]! -= from
    const own = this.bytesOf(slot)
    const bytes = new Uint8Array(own.length)
    bytes.set(own)
    const single: RowIndex = {
      columns: index.columns,
      rowStarts: Uint32Array.of(0),
      cellEnds,
      rowFlags: Uint8Array.of(index.rowFlags[slot]!),
    }
    const place = this.positionOf(slot)
    const kept =
      decoded && new Map([...decoded].map(([column, values]) => [column, [values[slot]]]))
    return newBatch({
      ...rest,
      bytes,
      index: single,
      rowCount: 1,
      placeOf: () => place,
      ...(kept && { decoded: kept }),
      ...(read && {
        read: new Map([...read].map(([column, cells]) => [column, firstOf(cells, slot)])),
      }),
    })
  }

  /** @internal What `console.log` shows. */
  [INSPECT](depth: number, options: object, inspect: Inspect): string {
    const { length, byteLength, confirmed, file, header } = this
    return inspection(
      'RowBatch',
      () => ({ length, columns: header.columns.length, byteLength, confirmed, file }),
      depth,
      options,
      inspect,
    )
  }

  /** @internal Offset behind the last byte of a row, where its line end begins. */
  endOf(slot: number): number {
    const { index } = this.#parts
    if (index.columns === 0) return index.rowStarts[slot]!
    return index.cellEnds[(slot + 1) * index.columns - 1]! & CELL_END
  }
}

function firstOf(cells: ReadonlyMap<number, unknown>, slot: number): ReadonlyMap<number, unknown> {
  return cells.has(slot) ? new Map([[0, cells.get(slot)]]) : new Map()
}

/**
 * Makes a batch outside the class, because bundlers rename a class that refers to itself, and
 * `inspect` and messages would show that name.
 */
function newBatch<C extends Columns>(parts: RowBatchParts<C>): RowBatch<C> {
  return new RowBatch(parts)
}

// The iterator is a class and no generator because it runs for each row.
class RowIterator<C extends Columns> implements IterableIterator<Row<C>> {
  readonly #batch: RowBatch<C>
  readonly #length: number
  readonly #selection: Uint32Array | undefined
  #next = 0

  constructor(batch: RowBatch<C>) {
    this.#batch = batch
    this.#length = batch.length
    this.#selection = batch.selection
  }

  // One literal for both results, so that V8 need not make the object where a loop takes it apart.
  next(): IteratorResult<Row<C>, undefined> {
    const n = this.#next
    const done = n >= this.#length
    const slot = this.#selection === undefined ? n : this.#selection[n]!
    const value = done ? undefined : new Row(this.#batch, slot)
    this.#next = n + 1
    return { done, value } as IteratorResult<Row<C>, undefined>
  }

  [Symbol.iterator](): this {
    return this
  }
}

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
    if (projection.lacking !== undefined) this.#value(projection.lacking)
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
    const read = batch.readCells(column)
    if (read?.has(slot)) return read.get(slot)
    try {
      return batch.cells.value(slot, column, batch.projections.readers[column]!)
    } catch (error) {
      throw this.placed(error, column)
    }
  }

  /** @internal Returns the error of a cell with the cell's position. */
  placed(error: unknown, column: number): unknown {
    if (!isBadCell(error) || error === UNSEEN) return error
    const { batch, slot } = this
    const { name } = batch.header.all[column]!
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
