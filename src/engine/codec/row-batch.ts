// A batch: a bounded block of rows, as the file's own bytes with an index of their cells. A batch
// makes text only for cells that are read. It never changes: `select` and `withDecoded` give
// another view of the same bytes.

import type { RowPosition } from '../errors'
import type { Columns, FeedFile } from '../schema/feed-schema'
import { INSPECT, type Inspect, inspection } from './inspection'
import { type Projections, projectionsOf } from './projection'
import { Row } from './row'
import { RowCells } from './row-cells'
import type { BoundHeader } from './tsv/header'
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
  /** Decoded cells by column index, with one value for each row of the index. */
  readonly decoded?: ReadonlyMap<number, readonly unknown[]>
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

  /** @internal The same rows, with other names and types for the same columns of the file. */
  withHeader<D extends Columns>(header: BoundHeader<D>): RowBatch<D> {
    const { decoded: _, ...parts } = this.#parts
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
    const { index, decoded, selection: _, ...rest } = this.#parts
    const from = index.rowStarts[slot]!
    const ends = index.cellEnds.slice(slot * index.columns, (slot + 1) * index.columns)
    const single: RowIndex = {
      columns: index.columns,
      rowStarts: Uint32Array.of(0),
      cellEnds: ends.map(end => end - from),
      rowFlags: Uint8Array.of(index.rowFlags[slot]!),
    }
    const place = this.positionOf(slot)
    const kept =
      decoded && new Map([...decoded].map(([column, values]) => [column, [values[slot]]]))
    return newBatch({
      ...rest,
      bytes: Uint8Array.from(this.bytesOf(slot)),
      index: single,
      rowCount: 1,
      placeOf: () => place,
      ...(kept && { decoded: kept }),
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
