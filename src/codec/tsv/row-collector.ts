// What a parser's rows become: a batch for each block of them, or, where only some columns are wanted, one for as many rows as fill it with those.
// Rows that are not UTF-8 are left out here, as the parser judges: a block is looked at by native code, and only where that finds some, each row.

import { isUtf8 } from 'node:buffer'
import type { Columns, FeedFile } from '../../schema/feed-schema'
import type { Row } from '../row'
import { type FileProgress, RowBatch } from '../row-batch'
import { chooseColumns } from './choose-columns'
import type { BoundHeader } from './header'
import { type BlockOfRows, KeptRows } from './kept-rows'
import { takeRows } from './scan-space'
import { ROW_NON_ASCII, type TsvScanner } from './scanner'

/** A row that can say where it stands; few are asked. */
export type PlacedRow = Pick<Row, 'position'>

export interface RowCollectorParts {
  /** Of the file. */
  readonly header: BoundHeader
  /** What is wanted of it; all when absent. */
  readonly columns: readonly string[] | undefined
  readonly file: FeedFile
  readonly progress: FileProgress
  readonly batchBytes: number
  readonly scanner: TsvScanner
  /** Of a block with bytes that are not UTF-8: whether the row is one of the file's. */
  readonly takes: (bytes: Uint8Array, row: PlacedRow) => boolean
}

/** Rows that are good but for their UTF-8. */
export interface CollectedRows extends BlockOfRows {
  /** Offset in the block behind the last row. */
  readonly end: number
}

export class RowCollector<K extends Columns> {
  readonly #parts: RowCollectorParts
  readonly #header: BoundHeader<K>
  readonly #kept: KeptRows | undefined

  /** @throws FeedError COLUMN_UNKNOWN */
  constructor(parts: RowCollectorParts) {
    this.#parts = parts
    const chosen = parts.columns && chooseColumns<K>(parts.header, parts.columns)
    // Without a choice K is what the file's schema has.
    this.#header = chosen ? chosen.header : (parts.header as unknown as BoundHeader<K>)
    this.#kept = chosen && new KeptRows(chosen.columns, parts.batchBytes)
  }

  /** Whether all rows were handed over. */
  get isEmpty(): boolean {
    return this.#kept === undefined || this.#kept.length === 0
  }

  /** Takes the rows of a block, at least one. @returns a batch, once there is one */
  collect(rows: CollectedRows): RowBatch<K> | undefined {
    const isUtf8 = this.#isUtf8(rows)
    if (this.#kept) return this.#keep(rows, this.#kept, isUtf8 ? [] : this.#leftOutOf(rows))
    const batch = this.#batchOf(rows, this.#header)
    const valid = isUtf8 ? batch : batch.select(row => this.#takes(row))
    return valid.length > 0 ? valid : undefined
  }

  /** The rows that wait for others, if any. */
  flush(): RowBatch<K> | undefined {
    if (!this.#kept || this.#kept.length === 0) return undefined
    const batch = this.#batchOfKept(this.#kept)
    return batch.length > 0 ? batch : undefined
  }

  #isUtf8({ block, space, end }: CollectedRows): boolean {
    if (!space.rowFlags.subarray(0, space.rows).includes(ROW_NON_ASCII)) return true
    return isUtf8(block.subarray(space.rowStarts[0]!, end))
  }

  #takes<H extends Columns>(row: Row<H>): boolean {
    return this.#parts.takes(row.batch.bytesOf(row.slot), row)
  }

  #leftOutOf(rows: CollectedRows): number[] {
    return Array.from(this.#batchOf(rows, this.#parts.header))
      .filter(row => !this.#takes(row))
      .map(row => row.slot)
  }

  #keep(rows: CollectedRows, kept: KeptRows, leftOut: readonly number[]): RowBatch<K> | undefined {
    const before = kept.hasRoomFor(rows.space.rows) ? undefined : this.flush()
    kept.add(rows, this.#parts.scanner, leftOut)
    return before ?? (kept.isFull ? this.flush() : undefined)
  }

  #batchOf<H extends Columns>({ block, space, end, place }: CollectedRows, header: BoundHeader<H>): RowBatch<H> {
    return new RowBatch<H>({
      header,
      file: this.#parts.file,
      progress: this.#parts.progress,
      ...takeRows(space, block.subarray(space.rowStarts[0]!, end)),
      rowCount: space.rows,
      firstRow: place.row,
      firstLine: place.line,
      innerLines: space.innerLines,
      baseOffset: place.byteOffset,
    })
  }

  #batchOfKept(kept: KeptRows): RowBatch<K> {
    const { first, ...rows } = kept.take()
    return new RowBatch<K>({
      header: this.#header,
      file: this.#parts.file,
      progress: this.#parts.progress,
      ...rows,
      firstRow: first.row,
      firstLine: first.line,
      innerLines: 0,
      baseOffset: first.byteOffset,
    })
  }
}
