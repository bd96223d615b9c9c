// Walks through a run in the order of its keys, one block of heads at a time.

import { ReusedMemory } from '../../engine/index'
import { compareHeads, type Keys, keyOf, type RowHeads } from './row-heads'
import { type Block, blockOf, type KeyedBlocks } from './run-reader'

export class RunCursor {
  readonly run: KeyedBlocks
  /** The number of the file that the run is of: the order in which files were applied. */
  readonly sequence: number
  /** The place of the run among others. */
  readonly rank: number
  /** The place in the block. */
  at = 0
  /** The number of the current key in a queue. */
  order = 0
  /** True once there is no further block. */
  hasEnded = false
  #block: Block | undefined
  #next = 0
  /** Blocks from the next one on that are read. */
  #ahead: Block[] = []
  readonly #headMemory: ReusedMemory | undefined
  readonly #memory: ReusedMemory | undefined

  /** @param isLent true where a block and its rows are valid only until the next one is read */
  constructor(run: KeyedBlocks, sequence: number, isLent = false, rank = 0) {
    this.run = run
    this.sequence = sequence
    this.rank = rank
    // Several rows of a key may stand in two blocks.
    if (!isLent || !run.index.isUnique) return
    this.#headMemory = new ReusedMemory()
    this.#memory = new ReusedMemory()
  }

  /** Returns a cursor at the first row of a block. */
  static over(run: KeyedBlocks, block: Block): RunCursor {
    const cursor = new RunCursor(run, 0)
    cursor.#block = block
    return cursor
  }

  /** The block of the current row. */
  get block(): Block {
    return this.#block!
  }

  get heads(): RowHeads {
    return this.#block!.heads
  }

  get isInLastBlock(): boolean {
    return this.#next >= this.run.index.blocks.length
  }

  /** True where the rows of the block are used up: {@link load} reads the next block. */
  get isSpent(): boolean {
    return this.#block === undefined || this.at >= this.#block.rows
  }

  /** Reads the next block. Returns false at the end of the run. */
  async load(): Promise<boolean> {
    if (this.isInLastBlock) {
      this.hasEnded = true
      return false
    }
    this.#memory?.clear()
    if (this.#ahead.length === 0) {
      const { run } = this
      this.#headMemory?.clear()
      this.#ahead = await run.blocksFrom(this.#next, this.#headMemory, this.#memory)
    }
    this.#next++
    this.#block = this.#ahead.shift()
    this.at = 0
    return true
  }

  /**
   * Moves to the first row of the block whose key is not smaller than another. Returns false where
   * the block has no such row.
   */
  seekInBlock(heads: Keys, n: number): boolean {
    const block = this.#block!
    let low = this.at
    let high = block.rows
    // The row is near where both runs have as many keys, so the steps grow.
    for (let step = 1; low < high; step *= 2) {
      const probe = Math.min(high - 1, low + step - 1)
      if (compareHeads(block.heads, probe, heads, n) >= 0) {
        high = probe
        break
      }
      low = probe + 1
    }
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareHeads(block.heads, middle, heads, n) < 0) low = middle + 1
      else high = middle
    }
    this.at = low
    return low < block.rows
  }

  /**
   * Moves to the first row whose key is not smaller than another, and reads no block before it.
   * Returns false at the end of the run.
   */
  async seek(heads: Keys, n: number): Promise<boolean> {
    if (!this.isSpent && this.seekInBlock(heads, n)) return true
    const next = blockOf(this.run, keyOf(heads, n), this.#next)
    this.#ahead.splice(0, next - this.#next)
    this.#next = next
    while (await this.load()) if (this.seekInBlock(heads, n)) return true
    return false
  }
}
