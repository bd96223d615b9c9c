// Makes of each row of a batch its key in the store and its register.

import {
  type AnyBatch,
  type AnyRow,
  ByteWriter,
  type FeedError,
  findVersion,
  headOf,
  type TextPrefix,
  type VersionOf,
  versionMissing,
  writeRegister,
} from '../../engine/index'
import { isRowError, keyOfRow } from '../row-key'
import type { RowArrival } from './register-change'

export interface ArrivalOptions {
  readonly keyColumn: string
  /** The text before the keys in the store. */
  readonly prefix: TextPrefix
  readonly versionOf: VersionOf | undefined
  /** The number of the batch's header and file. */
  readonly origin: number
  /** Takes the registers. Default: a writer that never overwrites one. */
  readonly writer: ByteWriter | undefined
  /** Called for a row without a key or a version. Default: such a row fails the whole batch. */
  readonly leaveOut: ((row: AnyRow, error: FeedError) => void) | undefined
}

/**
 * Reads all rows of a batch.
 * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID
 */
export function arrivalsOf(batch: AnyBatch, options: ArrivalOptions): RowArrival[] {
  const { leaveOut } = options
  const arrivals: RowArrival[] = []
  for (let n = 0; n < batch.length; n++) {
    const row = batch.row(n)
    try {
      arrivals.push(arrivalOf(row, options))
    } catch (error) {
      if (leaveOut === undefined || !isRowError(error)) throw error
      leaveOut(row, error)
    }
  }
  return arrivals
}

function arrivalOf(
  row: AnyRow,
  { keyColumn, prefix, versionOf, origin, writer }: ArrivalOptions,
): RowArrival {
  const key = keyOfRow(row, keyColumn, prefix)
  const bytes = row.batch.bytesOf(row.slot)
  const version = findVersion(row, versionOf) ?? versionMissing(row, key.slice(prefix.text.length))
  const head = headOf(row, version, bytes)
  const register = writeRegister(row, head, origin, bytes, writer)
  return { row, key, head, register, rowBytes: bytes.length }
}

/**
 * Batches whose registers are in use at the same time: one that is being merged, the one before it,
 * whose changes its rows see, and the next, whose rows the store looks up.
 */
const BATCHES = 3

export class RegisterMemory {
  readonly #writers = Array.from({ length: BATCHES }, () => new ByteWriter())

  /**
   * Returns the writer for the registers of the next batch. What the third call before this one has
   * returned holds no registers any more.
   */
  next(): ByteWriter {
    const writer = this.#writers.shift()!
    this.#writers.push(writer)
    writer.rewind()
    return writer
  }
}
