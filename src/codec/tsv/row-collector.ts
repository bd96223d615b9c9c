// What a parser's rows become: a batch for each block of them, or, where only some columns are
// wanted, one for as many rows as fill it with those. Rows that are not UTF-8 are left out here, as
// the parser judges: a block is looked at by native code, and only where that finds some, each row.

import { isUtf8 } from 'node:buffer'
import type { Columns, FeedFile } from '../../schema/feed-schema'
import { type FileProgress, RowBatch } from '../row-batch'
import type { PlacedRow } from './bad-rows'
import { chooseColumns } from './choose-columns'
import type { BoundHeader } from './header'
import { type BlockOfRows, KeptRows } from './kept-rows'
import { leftOutBefore } from './row-gaps'
import { takeRows } from './scan-space'
import { ROW_NON_ASCII, type ScanSpace, type TsvScanner } from './scanner'

const LF = 0x0a
const CR = 0x0d

export interface RowCollectorParts {
  /** Of the file. */
  readonly header: BoundHeader
  /** What is wanted of it; all when absent. */
  readonly columns: readonly string[] | undefined
  readonly file: FeedFile
  readonly progress: FileProgress
  readonly batchBytes: number
  readonly scanner: TsvScanner
  /** A batch is done with when the next one is asked for: it may lie where it was read. */
  readonly lends: boolean
  /** Of a block with bytes that are not UTF-8: whether the row is one of the file's. */
  readonly takes: (bytes: Uint8Array, row: PlacedRow) => boolean
}

/** Rows that are good but for their UTF-8. */
export interface CollectedRows extends BlockOfRows {
  /** Offset in the block behind the last row. */
  readonly end: number
  /** The block stays as it is until more is asked for. */
  readonly stays: boolean
}

export class RowCollector<K extends Columns> {
  readonly #parts: RowCollectorParts
  readonly #header: BoundHeader<K>
  readonly #kept: KeptRows | undefined
  /** Leading cells of a row whose ends are needed. */
  readonly #wanted: number

  /** @throws FeedError COLUMN_UNKNOWN */
  constructor(parts: RowCollectorParts) {
    this.#parts = parts
    const chosen = parts.columns && chooseColumns<K>(parts.header, parts.columns)
    // Without a choice K is what the file's schema has.
    this.#header = chosen ? chosen.header : (parts.header as unknown as BoundHeader<K>)
    this.#kept = chosen && new KeptRows(chosen.columns, parts.batchBytes)
    this.#wanted = chosen
      ? Math.max(0, ...chosen.columns.map(column => column + 1))
      : parts.header.columns.length
  }

  /** The column names of the file, as its header line spells them. */
  get columnNames(): string[] {
    return this.#parts.header.columns.map(column => column.heading)
  }

  /** A space for rows of the file. */
  newSpace(): ScanSpace {
    const { scanner, header } = this.#parts
    return scanner.newSpace(header.columns.length, this.#wanted)
  }

  /** Whether all rows were handed over. */
  get isEmpty(): boolean {
    return this.#kept === undefined || this.#kept.length === 0
  }

  /** Takes the rows of a block, at least one. @returns a batch, once there is one */
  collect(rows: CollectedRows): RowBatch<K> | undefined {
    if (this.#kept) return this.#keep(rows, this.#kept)
    const batch = this.#batchOf(rows)
    const valid = this.#isUtf8(rows)
      ? batch
      : batch.select(row => this.#parts.takes(batch.bytesOf(row.slot), row))
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

  #keep(rows: CollectedRows, kept: KeptRows): RowBatch<K> | undefined {
    const batch = kept.hasRoomFor(rows.space.rows) ? undefined : this.flush()
    const before = kept.length
    kept.add(rows, this.#parts.scanner)
    if (!this.#isUtf8(rows)) this.#leaveOut(rows, kept, before)
    return batch ?? (kept.isFull ? this.flush() : undefined)
  }

  #leaveOut(rows: CollectedRows, kept: KeptRows, before: number): void {
    const ends = rowEnds(rows)
    for (let row = 0; row < rows.space.rows; row++) {
      const position = kept.positionOf(before + row)
      if (!this.#parts.takes(lineOf(rows, row, ends[row]!), { position }))
        kept.leaveOut(before + row)
    }
  }

  // The parts of a batch are written out, here and below: made by a spread of what batches have in
  // common they cost whole runs a tenth.
  #batchOf({ block, space, end, place, gaps, stays }: CollectedRows): RowBatch<K> {
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
      rowCount: space.rows,
      leftOutBefore: gaps.length === 0 ? undefined : leftOutBefore(gaps, space.rows),
      firstRow: place.row,
      firstLine: place.line,
      innerLines: space.innerLines,
      baseOffset: place.byteOffset,
    })
  }

  #batchOfKept(kept: KeptRows): RowBatch<K> {
    const { first, bytes, index, places, rowCount, leftOutBefore, selection } = kept.take()
    return new RowBatch<K>({
      header: this.#header,
      file: this.#parts.file,
      progress: this.#parts.progress,
      bytes,
      index,
      places,
      rowCount,
      leftOutBefore,
      selection,
      firstRow: first.row,
      firstLine: first.line,
      innerLines: 0,
      baseOffset: first.byteOffset,
    })
  }
}

/**
 * Where each row's line ends, with its line end: where the next row begins, or the rows that were
 * left out behind it.
 */
function rowEnds({ space, end, gaps }: CollectedRows): Uint32Array {
  const ends = new Uint32Array(space.rows)
  ends.set(space.rowStarts.subarray(1, space.rows))
  ends[space.rows - 1] = end
  for (const gap of gaps) ends[gap.slot - 1] = gap.from
  return ends
}

/** A row without its line end. The ends of its cells may not all be known. */
function lineOf({ block, space }: CollectedRows, row: number, next: number): Uint8Array {
  const from = space.rowStarts[row]!
  if (block[next - 1] !== LF) return block.subarray(from, next)
  const to = next - 1
  return block.subarray(from, to > from && block[to - 1] === CR ? to - 1 : to)
}
