// A row image: a row as one compact run of bytes for the stores, with its origin, the ends of its
// cells, and its bytes as in the file. The origin is a number that state/origin-book.ts resolves to
// a header and a file. This module makes no text.
//
//   origin · row · line · byte offset · flags · length of each cell │ the row's bytes
//
// byte-records.ts says how the numbers are written.

import type { RowPosition } from '../errors'
import type { FeedFile } from '../schema/feed-schema'
import type { ByteWriter } from './byte-records'
import { ByteReader } from './byte-records'
import type { FileProgress } from './row-batch'
import type { BoundHeader } from './tsv/header'
import { CELL_MARK, type RowIndex } from './tsv/scan-space'

/** The part of a row that joins and merges need; every `Row` has it. */
export interface AnyRow {
  readonly batch: AnyBatch
  readonly slot: number
  readonly position: RowPosition
  get(name: string): unknown
  text(name: string): string
  ownText(name: string): string
}

/** The part of a batch that joins and merges need; every `RowBatch` has it. */
export interface AnyBatch {
  readonly header: BoundHeader
  readonly file: FeedFile
  readonly index: RowIndex
  readonly length: number
  readonly confirmed: boolean
  readonly progress: FileProgress
  row(n: number): AnyRow
  bytesOf(slot?: number): Uint8Array
  lineOf(slot: number): Uint8Array
}

export interface RowImage {
  readonly origin: number
  readonly position: RowPosition
  readonly index: RowIndex
  /** A view of the image. */
  readonly bytes: Uint8Array
}

/** @param bytes the bytes of the row, where the caller has them */
export function writeRowImage(
  row: AnyRow,
  origin: number,
  writer: ByteWriter,
  bytes = row.batch.bytesOf(row.slot),
): void {
  const { slot, position } = row
  const { index } = row.batch
  writer.number(origin)
  writer.number(position.row)
  writer.number(position.line)
  writer.number(position.byteOffset)
  writer.byte(index.rowFlags[slot]!)
  writer.lengths(
    index.cellEnds,
    slot * index.columns,
    (slot + 1) * index.columns,
    index.rowStarts[slot]!,
  )
  writer.bytes(bytes)
}

/**
 * Returns the origin of the image at `at`. A reader needs the origin's header to read the rest.
 */
export function originOfImage(image: Uint8Array, at: number): number {
  return new ByteReader(image, at).number()
}

/**
 * Returns a view of the row's bytes, for comparisons.
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
  const origin = reader.number()
  const position = { row: reader.number(), line: reader.number(), byteOffset: reader.number() }
  const rowFlags = Uint8Array.of(reader.byte())
  const cellEnds = new Int32Array(columns)
  let start = 0
  for (let cell = 0; cell < columns; cell++) {
    const end = start + reader.number()
    // The image has no marks, so every cell is marked.
    cellEnds[cell] = end | CELL_MARK
    start = end + 1
  }
  const index = { columns, rowStarts: Uint32Array.of(0), cellEnds, rowFlags }
  return { origin, position, index, bytes: reader.rest() }
}
