// Divides the memory of a synchronisation among its parts.

import { is } from '../engine/index'

const MIB = 2 ** 20
/** Least memory for sorting: the rows of a batch, and of the blocks that are being written. */
const LEAST_SORT_BYTES = 48 * MIB
/**
 * Memory that the process takes beside the shares, as measured: the runtime, its young objects, the
 * code, the inflate engine.
 */
const RUNTIME_BYTES = 170 * MIB
const LEAST_BYTES = 240 * MIB
export const DEFAULT_MEMORY_BYTES = 256 * MIB
export const MEMORY_BYTES = is.wholeNumber(LEAST_BYTES)
/** Blocks that look-ups read before the bytes of a cache count them. */
const READ_BYTES = 32 * MIB
/** Concurrent ranges of each download. */
const RANGES = 4

/** Sizes in bytes; see {@link memoryShares}. */
export type MemoryShares = Readonly<ReturnType<typeof memoryShares>>

/** @throws FeedError OPTION_INVALID */
export function memoryShares(memoryBytes: number, downloads: number) {
  const held = memoryBytes - RUNTIME_BYTES
  const each = Math.floor((held * 0.12) / downloads)
  const pieceBytes = Math.min(4 * MIB, Math.floor(each / 4))
  const windowBytes = each - pieceBytes
  return {
    /** Memory of a database that rows go to. */
    storeBytes: Math.floor(held * 0.6),
    /** Bytes of rows that a state folder sorts at once. */
    sortBytes: Math.max(LEAST_SORT_BYTES, Math.floor(held * 0.3)),
    /** Bytes of each download that are held or requested. */
    windowBytes,
    chunkBytes: Math.floor(windowBytes / RANGES),
    rangesAtOnce: RANGES,
    /** Compressed bytes that are gathered before a piece of the spool is written. */
    pieceBytes,
  }
}

/** Bytes of blocks that the look-ups of a reader keep. */
export function lookUpBytes(memoryBytes: number): number {
  return memoryBytes - READ_BYTES
}
