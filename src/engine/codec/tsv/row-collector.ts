// Makes batches of a parser's rows: one for each block, or, with a projection, one for as many rows
// as fill a batch with the projected columns. The collector also looks for rows that are not UTF-8:
// native code checks a block as a whole, and only where that fails, each of its rows.

import type { RowPosition } from '../../errors'
import type { Columns, FeedFile } from '../../schema/feed-schema'
import { type FileProgress, RowBatch } from '../row-batch'
import type { CellEditor } from './cell-editor'
import type { BoundHeader } from './header'
import { projectHeader } from './header'
import type { JsonRows } from './json-lines'
import type { PlacedRow, RowVerdict } from './left-out-rows'
import { type BlockOfRows, ProjectedRows } from './projected-rows'
import { consecutivePlaces } from './row-places'
import { ROW_LEFT_OUT, ROW_NON_ASCII, rowsInView, type ScanSpace, takeRows } from './scan-space'
import type { TsvScanner } from './tsv-scanner'
import { rowsNotUtf8 } from './utf8-rows'

export interface RowCollectorParts {
  /** The header of the file. */
  readonly header: BoundHeader
  /** Changes the cells; undefined where they are as in the file. */
  readonly editor: CellEditor | undefined
  /** Has the cells of lines of JSON; undefined for a table. */
  readonly json: JsonRows | undefined
  /** Names of the projected columns; undefined for all columns of the file. */
  readonly columns: readonly string[] | undefined
  readonly file: FeedFile
  readonly progress: FileProgress
  readonly batchBytes: number
  readonly scanner: TsvScanner
  /** The reader is done with a batch when it asks for the next one, so the batch may be a view. */
  readonly lends: boolean
  /** Decides whether a row of a block that is not UTF-8 belongs into its batch. */
  readonly judge: (bytes: Uint8Array, row: PlacedRow) => RowVerdict
}

/** Rows of a block that are good, except that their bytes may not be UTF-8. */
export interface CollectedRows extends BlockOfRows {
  /** Offset in the block behind the last row. */
  readonly end: number
  /** The block stays as it is until the parser asks for more input. */
  readonly stays: boolean
}

export class RowCollector<K extends Columns> {
  readonly #parts: RowCollectorParts
  readonly #header: BoundHeader<K>
  readonly #projected: ProjectedRows | undefined
  /** How many leading cells of a row need their ends. */
  readonly #wanted: number

  /** @throws FeedError COLUMN_UNKNOWN */
  constructor(parts: RowCollectorParts) {
    this.#parts = parts
    const { header, columns, batchBytes, editor, json } = parts
    const projection = columns && projectHeader<K>(header, columns)
    // Without a projection K has the columns of the schema.
    this.#header = projection?.header ?? (header as unknown as BoundHeader<K>)
    this.#wanted = header.columns.length
    const all = (editor ?? json) && Int32Array.from(header.columns.keys())
    const copied = projection?.columns ?? all
    if (copied === undefined) return
    // An editor may look at all cells to tell whether the row is one.
    if (editor === undefined) this.#wanted = Math.max(0, ...copied.map(at => at + 1))
    this.#projected = new ProjectedRows(copied, batchBytes, header.cells?.delimiter, editor, json)
  }

  /** The column names of the file, as its header line spells them. */
  get columnNames(): string[] {
    return this.#parts.header.columns.map(column => column.heading)
  }

  /** Makes a space for rows of the file. */
  newSpace(): ScanSpace {
    const { scanner, header } = this.#parts
    return scanner.newSpace(header.columns.length, this.#wanted)
  }

  /** True while no row waits for its batch. */
  get isEmpty(): boolean {
    return this.#projected === undefined || this.#projected.length === 0
  }

  /** Takes the rows of a block, at least one. Returns a batch once there is one. */
  collect(all: CollectedRows): RowBatch<K> | undefined {
    if (this.#projected) return this.#project(all, this.#projected)
    const rows = withoutLastLeftOut(all)
    const invalid = invalidRows(rows)
    let batch = this.#batchOf(rows, invalid.length === 0)
    if (invalid.length > 0) {
      const all = batch
      const lineOf = (slot: number) => all.lineOf(slot)
      const { leftOut, isUtf8 } = this.#judge(rows, invalid, lineOf, slot => all.positionOf(slot))
      batch = all.without(leftOut, isUtf8)
    }
    return batch.length > 0 ? batch : undefined
  }

  /**
   * Returns a batch of the rows that wait for others, if there are any.
   * @param evenEmpty true where a batch is due even without a row
   */
  flush(evenEmpty = false): RowBatch<K> | undefined {
    if (this.isEmpty && !evenEmpty) return undefined
    const batch = this.#projected ? this.#projectedBatch(this.#projected) : this.#emptyBatch()
    return batch.length > 0 || evenEmpty ? batch : undefined
  }

  #emptyBatch(): RowBatch<K> {
    const place = { row: 0, line: 0, byteOffset: 0 }
    const block = new Uint8Array()
    return this.#batchOf({ block, space: this.newSpace(), end: 0, place, stays: false }, true)
  }

  /**
   * Returns the rows that do not belong into their batch, because of their bytes or behind such a one,
   * and whether the others are UTF-8.
   */
  #judge(
    { space }: CollectedRows,
    invalid: readonly number[],
    lineOf: (row: number) => Uint8Array,
    positionOf: (row: number) => RowPosition,
  ): { readonly leftOut: ReadonlySet<number>; readonly isUtf8: boolean } {
    const { rows, rowFlags } = space
    const leftOut = new Set<number>()
    let isUtf8 = true
    for (const row of invalid) {
      if (rowFlags[row] === ROW_LEFT_OUT) continue
      const verdict = this.#parts.judge(lineOf(row), { position: positionOf(row) })
      if (verdict === 'taken') isUtf8 = false
      else leftOut.add(row)
      for (let next = row + 1; verdict === 'last' && next < rows; next++) leftOut.add(next)
      if (verdict === 'last') break
    }
    return { leftOut, isUtf8 }
  }

  #project(rows: CollectedRows, projected: ProjectedRows): RowBatch<K> | undefined {
    const batch = projected.hasRoomFor(rows.space.rows) ? undefined : this.flush()
    const before = projected.length
    projected.add(rows, this.#parts.scanner)
    this.#leaveOut(rows, projected, before)
    return batch ?? (projected.isFull ? this.flush() : undefined)
  }

  #leaveOut(rows: CollectedRows, projected: ProjectedRows, before: number): void {
    const { block, end } = rows
    const { rows: count, rowStarts } = rows.space
    const lineOf = (row: number) =>
      block.subarray(rowStarts[row]!, row + 1 < count ? rowStarts[row + 1]! : end)
    const { leftOut } = this.#judge(rows, invalidRows(rows), lineOf, row =>
      projected.positionOf(before + row),
    )
    for (const row of leftOut) projected.leaveOut(before + row)
  }

  // This method and the one below write out all parts of a batch, because V8 does not know the
  // shape of a spread.
  #batchOf({ block, space, end, place, stays }: CollectedRows, isUtf8: boolean): RowBatch<K> {
    const { rows, innerLines } = space
    const { bytes, index } =
      this.#parts.lends && stays
        ? { bytes: block, index: space }
        : takeRows(space, block.subarray(space.rowStarts[0]!, end))
    return new RowBatch<K>({
      header: this.#header,
      file: this.#parts.file,
      progress: this.#parts.progress,
      bytes,
      index,
      rowCount: rows,
      selection: rowsInView(space),
      isUtf8,
      placeOf: consecutivePlaces(place, { bytes, index, rows, innerLines }),
    })
  }

  #projectedBatch(projected: ProjectedRows): RowBatch<K> {
    const { bytes, index, placeOf, rowCount, selection } = projected.take()
    return new RowBatch<K>({
      header: this.#header,
      file: this.#parts.file,
      progress: this.#parts.progress,
      bytes,
      index,
      placeOf,
      rowCount,
      selection,
    })
  }
}

/** Returns the rows of a block that may not be UTF-8. */
function invalidRows({ block, space, end }: CollectedRows): readonly number[] {
  const { rows, rowStarts, rowFlags } = space
  if (!rowFlags.subarray(0, rows).includes(ROW_NON_ASCII)) return NO_ROWS
  return rowsNotUtf8(block, rowStarts, rows, end)
}

const NO_ROWS: readonly number[] = []

/** The rows without those behind the last one that is in view, whose end is the batch's. */
function withoutLastLeftOut(rows: CollectedRows): CollectedRows {
  const { space } = rows
  const { rowFlags, rowStarts } = space
  if (rowFlags[space.rows - 1] !== ROW_LEFT_OUT) return rows
  while (rowFlags[space.rows - 1] === ROW_LEFT_OUT) space.rows--
  return { ...rows, end: rowStarts[space.rows]! }
}
