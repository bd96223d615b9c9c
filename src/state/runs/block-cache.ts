// Blocks that look-ups have read: those that were used last, up to a number of bytes. The tables of an
// open state share one cache. A run never changes, so what is in it stays true as long as the run is
// open.

import { compareKeys } from '../../engine/index'
import { type Block, blockOf, type KeyedBlocks } from './run-reader'

/** Memory of look-ups that come in about the order of the keys. */
const DEFAULT_BYTES = 1 << 23

/** A block that is in memory, or that is being read. */
export interface CachedBlock {
  block: Block | undefined
  readonly reading: Promise<unknown>
  /** Bytes of the block when it was counted last. */
  bytes: number
}

export class BlockCache {
  readonly #mostBytes: number
  /** Bytes of the blocks. */
  byteLength = 0
  /** By their records; the one that was used last is the last. */
  readonly #blocks = new Map<object, CachedBlock>()

  constructor(mostBytes = DEFAULT_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** Returns the blocks of a run that may have a key, which may be in the next block too. */
  blocksOf(run: KeyedBlocks, key: string): readonly CachedBlock[] {
    const { blocks } = run.index
    const found: CachedBlock[] = []
    let number = blockOf(run, key, 0)
    for (; number < blocks.length && compareKeys(blocks[number]!.firstKey, key) <= 0; number++)
      found.push(this.#get(run, number))
    return found
  }

  /** Counts the bytes of a block, which grow as its rows are read. */
  count(block: Block): void {
    const cached = this.#blocks.get(block.record)
    if (cached?.block !== block) return
    const { byteLength } = block
    this.byteLength += byteLength - cached.bytes
    cached.bytes = byteLength
    for (const [record, { bytes }] of this.#blocks) {
      if (this.byteLength <= this.#mostBytes) return
      this.#blocks.delete(record)
      this.byteLength -= bytes
    }
  }

  clear(): void {
    this.#blocks.clear()
    this.byteLength = 0
  }

  #get(run: KeyedBlocks, number: number): CachedBlock {
    const record = run.index.blocks[number]!
    const cached = this.#blocks.get(record) ?? this.#read(run, number)
    this.#blocks.delete(record)
    this.#blocks.set(record, cached)
    return cached
  }

  #read(run: KeyedBlocks, number: number): CachedBlock {
    const reading = run.block(number).then(
      block => {
        cached.block = block
        this.count(block)
      },
      error => {
        // A later look-up reads it again.
        this.#blocks.delete(run.index.blocks[number]!)
        throw error
      },
    )
    const cached: CachedBlock = { block: undefined, reading, bytes: 0 }
    return cached
  }
}
