// How one budget of memory is shared by what a synchronisation holds at a time.

import { wholeNumber } from '../options'

const MIB = 2 ** 20
const READ_BYTES = MIB / 4
const BATCH_BYTES = MIB / 16
/**
 * What the process takes beside what is held, measured: the runtime, its young objects, the code,
 * the inflate engine, tables of the store that are mapped.
 */
const RUNTIME_BYTES = 200 * MIB
const LEAST_BYTES = 240 * MIB
/** Less the store does not take. */
const LEAST_STORE_BYTES = 16 * MIB
export const DEFAULT_MEMORY_BYTES = 256 * MIB
/** Ranges on their way for each download. */
const RANGES = 4

export interface MemoryShares {
  /** Of the store on disk: its caches and buffers. */
  readonly storeBytes: number
  /** Rows gathered before they are committed. */
  readonly commitBytes: number
  /** Held or on its way for each download. */
  readonly windowBytes: number
  readonly chunkBytes: number
  readonly rangesAtOnce: number
  /** Compressed bytes gathered before a piece of the spool is written. */
  readonly pieceBytes: number
  /** Compressed bytes read, and bytes of a batch of rows, where a file is applied. */
  readonly readBytes: number
  readonly batchBytes: number
}

/** @throws FeedError OPTION_INVALID */
export function memoryShares(memoryBytes: number, downloads: number): MemoryShares {
  const held = wholeNumber('memoryBytes', memoryBytes, LEAST_BYTES) - RUNTIME_BYTES
  const each = Math.floor((held * 0.3) / downloads)
  // A piece is held twice while it is written.
  const pieceBytes = Math.min(4 * MIB, Math.floor(each / 4))
  const windowBytes = each - 2 * pieceBytes
  return {
    storeBytes: Math.max(LEAST_STORE_BYTES, Math.floor(held * 0.35)),
    // Rows, what they replace and what is told of them are held side by side.
    commitBytes: Math.floor(held * 0.05),
    windowBytes,
    chunkBytes: Math.floor(windowBytes / RANGES),
    rangesAtOnce: RANGES,
    pieceBytes,
    readBytes: READ_BYTES,
    batchBytes: BATCH_BYTES,
  }
}
