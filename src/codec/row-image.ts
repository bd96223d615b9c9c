// A row as one compact run of bytes, for the stores: where it came from, where its cells end, and
// its bytes as in the file. The header and the file are named by a number; state/origin-book.ts
// knows which they are. No text is made here.
//
//   origin · row · line · byte offset · flags · length of each cell │ the row's bytes          (numbers as in byte-writer.ts)

import type { FeedFile } from '../schema/feed-schema'
import { ByteReader } from './byte-reader'
import type { ByteWriter } from './byte-writer'
import type { BoundHeader } from './tsv/header'
import { CELL_MARK, type RowIndex } from './tsv/scanner'

/** What joins and merges need of a row, whatever its schema: every `Row` is one. */
export interface AnyRow {
  readonly batch: AnyBatch
  readonly slot: number
  readonly position: { readonly row: number; readonly line: number; readonly byteOffset: number }
  get(name: string): unknown
  text(name: string): string
}

/** What joins and merges need of a batch: every `RowBatch` is one. */
export interface AnyBatch {
  readonly header: BoundHeader
  readonly file: FeedFile
  readonly index: RowIndex
  readonly length: number
  readonly confirmed: boolean
  bytesOf(slot?: number): Uint8Array
  [Symbol.iterator](): Iterator<AnyRow>
}

export interface RowImage {
  readonly origin: number
  readonly firstRow: number
  readonly firstLine: number
  readonly innerLines: 0
  readonly baseOffset: number
  readonly index: RowIndex
  /** A view of the image. */
  readonly bytes: Uint8Array
}

export function writeRowImage(row: AnyRow, origin: number, writer: ByteWriter): void {
  const { slot, position } = row
  const { index } = row.batch
  for (const number of [origin, position.row, position.line, position.byteOffset])
    writer.number(number)
  writer.byte(index.rowFlags[slot]!)
  writer.lengths(
    index.cellEnds,
    slot * index.columns,
    (slot + 1) * index.columns,
    index.rowStarts[slot]!,
  )
  writer.bytes(row.batch.bytesOf(slot))
}

/**
 * The origin of an image that begins at `at`: its header has to be known before the rest can be
 * read.
 */
export function originOfImage(image: Uint8Array, at: number): number {
  return new ByteReader(image, at).number()
}

/**
 * Only the row's bytes, for comparing: a view of the image.
 * @param columns of the origin's header
 */
export function bytesOfImage(image: Uint8Array, at: number, columns: number): Uint8Array {
  const reader = new ByteReader(image, at)
  for (let place = 0; place < 4; place++) reader.number()
  reader.byte()
  for (let cell = 0; cell < columns; cell++) reader.number()
  return reader.rest()
}

/** @param columns of the origin's header */
export function readRowImage(image: Uint8Array, at: number, columns: number): RowImage {
  const reader = new ByteReader(image, at)
  const [origin, firstRow, firstLine, baseOffset] = [
    reader.number(),
    reader.number(),
    reader.number(),
    reader.number(),
  ]
  const rowFlags = Uint8Array.of(reader.byte())
  const cellEnds = new Int32Array(columns)
  let start = 0
  for (let cell = 0; cell < columns; cell++) {
    const end = start + reader.number()
    // What the cells are is not in the image.
    cellEnds[cell] = end | CELL_MARK
    start = end + 1
  }
  const index = { columns, rowStarts: Uint32Array.of(0), cellEnds, rowFlags }
  return { origin, firstRow, firstLine, innerLines: 0, baseOffset, index, bytes: reader.rest() }
}
