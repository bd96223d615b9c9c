// What a decoder of cells is, the block of bytes that it reads, and the error of a bad cell.
// cell-decoders.ts has all decoders.

import { excerpt, FeedError } from '../../errors'
import type { CellType } from '../../schema/values'

export interface CellDecoder<V = unknown> {
  /**
   * The value of an empty cell, and of a column that the file lacks. All rows share it, and that of
   * a built-in kind is frozen.
   */
  readonly empty: V
  /**
   * Decodes a text that is not empty, without quotes and escapes.
   * @throws FeedError CELL_INVALID without a position
   */
  decode(text: string): V
  /**
   * Reads a cell of at least one byte, which may be two quotes without text. `slot` is the place of
   * the row in its batch. It returns undefined where the bytes are not plainly good, and then
   * `decode` decides. So the two can differ in speed only.
   * @throws FeedError CELL_INVALID without a position
   */
  read(source: CellSource, slot: number, start: number, end: number): V | undefined
}

/** A block of bytes with the texts of its cells. */
export interface CellSource {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly view: DataView
  /** The byte before an escaped quote; -1 where quotes are text. */
  readonly escapedBy: number
  /** A cell's text without quotes and escapes. `slot` is the number of its row in the block. */
  textBetween(slot: number, start: number, end: number): string
  /** The text of a cell that is not empty, as a string that shares no memory and may be kept. */
  ownText(start: number, end: number): string
}

/**
 * The error of all decoders for `text`, which cannot be read as `type` because of `reason`. The row
 * that reads the cell adds the position.
 */
export function invalidCell(
  type: CellType,
  reason: string,
  text: string,
  cause?: unknown,
): FeedError<'CELL_INVALID'> {
  return new FeedError(
    'CELL_INVALID',
    `not readable as ${type}: ${reason}`,
    { type, reason, excerpt: excerpt(text) },
    { cause },
  )
}

export function isBadCell(error: unknown): error is FeedError<'CELL_INVALID'> {
  return FeedError.is(error) && error.code === 'CELL_INVALID'
}
