// The hashes of all cells of a batch at once, by the WebAssembly module where it runs and takes the
// batch, and by plain code elsewhere.

import type { RowBatch } from '../row-batch'
import { CELL_END, type RowIndex } from '../tsv/scanner'
import { cellsCore } from './cells-core'

export function hashBatch(batch: RowBatch): BatchHashes {
  const { index, rowCount } = batch
  const core = cellsCore()
  if (core?.take(batch.bytesOf(), index, rowCount)) return core
  return { hashes: plainHashes(batch.cells.view, index, rowCount), plainAspects: () => undefined }
}

function plainHashes(
  bytes: DataView,
  { rowStarts, cellEnds, columns }: RowIndex,
  rows: number,
): Int32Array {
  const hashes = new Int32Array(rows * columns)
  for (let row = 0, cell = 0; row < rows; row++) {
    let start = rowStarts[row]! | 0
    for (let column = 0; column < columns; column++, cell++) {
      const end = cellEnds[cell]! & CELL_END
      if (start !== end) hashes[cell] = cellHash(bytes, start, end)
      start = end + 1
    }
  }
  return hashes
}

/** What is known of the cells of a batch. It is valid until the next batch. */
export interface BatchHashes {
  /** The hash of the bytes of each cell that is not empty, in the order of the index. */
  readonly hashes: Int32Array
  /**
   * Returns 1 for each row whose cell in an aspects column needs no decoder to be known as good;
   * undefined where nothing is known.
   */
  plainAspects(column: number): Uint8Array | undefined
}

// The hash of the bytes of a cell: 32 bits that are well mixed, as the estimate of distinct values
// needs them. It is the function MurmurHash3_x86_32 with a fixed seed. The caches of
// codec/decode/shared-cells.ts have a quicker hash, which mixes less. If you change the hash, also
// change src/engine/wasm/cells.ts.

const SEED = 0x5bd1e995
const C1 = 0xcc9e2d51
const C2 = 0x1b873593

/** Returns the hash of `bytes[start, end)` as a signed number. */
export function cellHash(bytes: DataView, start: number, end: number): number {
  let hash = SEED
  let at = start
  for (const last = end - 4; at <= last; at += 4) {
    hash ^= scrambled(bytes.getInt32(at, true))
    // Without this truncation V8 would compute with doubles.
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
  }
  const rest = end - at
  if (rest > 0) hash ^= scrambled(lastBytes(bytes, end, rest))
  hash ^= end - start
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

function scrambled(word: number): number {
  const mixed = Math.imul(word, C1)
  return Math.imul((mixed << 15) | (mixed >>> 17), C2)
}

/** Returns the one to three bytes before `end` as a word, with zeros above them. */
export function lastBytes(bytes: DataView, end: number, count: number): number {
  // One read takes the bytes before them too, which only the first cell of a block may lack.
  if (end >= 4) return bytes.getInt32(end - 4, true) >>> (32 - 8 * count)
  let word = 0
  for (let n = 1; n <= count; n++) word = (word << 8) | bytes.getUint8(end - n)
  return word
}
