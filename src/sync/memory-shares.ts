// Divides the memory of a synchronisation among its parts.

import { wholeNumber } from '../engine/index'

const MIB = 2 ** 20
const READ_BYTES = MIB / 4
const BATCH_BYTES = MIB / 8
/**
 * A commit fits into one block of the store. Its rows, the rows that they replace and their changes
 * are held at the same time.
 */
const COMMIT_BYTES = 1.75 * MIB
/**
 * Memory that the process takes beside the shares, as measured: the runtime, its young objects, the
 * code, the inflate engine, mapped tables of the store.
 */
const RUNTIME_BYTES = 170 * MIB
const LEAST_BYTES = 240 * MIB
export const DEFAULT_MEMORY_BYTES = 256 * MIB
/** Concurrent ranges of each download. */
const RANGES = 4

export interface MemoryShares {
  /** Caches and buffers of the store on disk. */
  readonly storeBytes: number
  /** Rows that are gathered before a commit. */
  readonly commitBytes: number
  /** Bytes of each download that are held or requested. */
  readonly windowBytes: number
  readonly chunkBytes: number
  readonly rangesAtOnce: number
  /** Compressed bytes that are gathered before a piece of the spool is written. */
  readonly pieceBytes: number
  /** Compressed bytes of one read of a spooled file. */
  readonly readBytes: number
  readonly batchBytes: number
}

/** @throws FeedError OPTION_INVALID */
export function memoryShares(memoryBytes: number, downloads: number): MemoryShares {
  const held = wholeNumber('memoryBytes', memoryBytes, LEAST_BYTES) - RUNTIME_BYTES
  const each = Math.floor((held * 0.12) / downloads)
  const pieceBytes = Math.min(4 * MIB, Math.floor(each / 4))
  const windowBytes = each - pieceBytes
  return {
    storeBytes: Math.floor(held * 0.6),
    commitBytes: COMMIT_BYTES,
    windowBytes,
    chunkBytes: Math.floor(windowBytes / RANGES),
    rangesAtOnce: RANGES,
    pieceBytes,
    readBytes: READ_BYTES,
    batchBytes: BATCH_BYTES,
  }
}
