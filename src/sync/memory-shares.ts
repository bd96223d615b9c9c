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

/** Sizes in bytes; see {@link memoryShares}. */
export type MemoryShares = Readonly<ReturnType<typeof memoryShares>>

/** @throws FeedError OPTION_INVALID */
export function memoryShares(memoryBytes: number, downloads: number) {
  const held = wholeNumber('memoryBytes', memoryBytes, LEAST_BYTES) - RUNTIME_BYTES
  const each = Math.floor((held * 0.12) / downloads)
  const pieceBytes = Math.min(4 * MIB, Math.floor(each / 4))
  const windowBytes = each - pieceBytes
  return {
    /** Caches and buffers of the store on disk. */
    storeBytes: Math.floor(held * 0.6),
    /** Rows that are gathered before a commit. */
    commitBytes: COMMIT_BYTES,
    /** Bytes of each download that are held or requested. */
    windowBytes,
    chunkBytes: Math.floor(windowBytes / RANGES),
    rangesAtOnce: RANGES,
    /** Compressed bytes that are gathered before a piece of the spool is written. */
    pieceBytes,
    /** Compressed bytes of one read of a spooled file. */
    readBytes: READ_BYTES,
    batchBytes: BATCH_BYTES,
  }
}
