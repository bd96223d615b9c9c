// A run of records with different keys, and the first key of each of its blocks in memory. It finds
// records by their keys, and reads only the blocks that may have them.

import { compareKeys } from '../row-key'
import {
  type BlockCursor,
  type KeyedRecord,
  mergeRecords,
  type RecordBlocks,
  RecordRun,
} from '../spill/record-run'
import type { ScratchFolder } from '../spill/scratch-folder'

/** A look-up reads a whole block, so its blocks are smaller than those of other runs. */
const BLOCK_BYTES = 1 << 14
/** Look-ups that read at the same time. */
const AT_ONCE = 64

export class IndexedRun {
  readonly #run: RecordRun
  readonly #offsets: readonly number[]
  readonly #firstKeys: readonly string[]
  readonly #mostCached: number
  /** The blocks that were used last, by their numbers. */
  readonly #cache = new Map<number, Promise<BlockCursor>>()

  private constructor(
    run: RecordRun,
    offsets: readonly number[],
    firstKeys: readonly string[],
    cacheBytes: number,
  ) {
    this.#run = run
    this.#offsets = offsets
    this.#firstKeys = firstKeys
    this.#mostCached = Math.max(AT_ONCE, Math.floor(cacheBytes / BLOCK_BYTES))
  }

  /** @throws FeedError STATE_IO, and the failures of `blocks` */
  static async write(
    folder: ScratchFolder,
    blocks: RecordBlocks,
    cacheBytes: number,
  ): Promise<IndexedRun> {
    const offsets: number[] = []
    const firstKeys: string[] = []
    const onBlock = (offset: number, firstKey: string) => {
      offsets.push(offset)
      firstKeys.push(firstKey)
    }
    const run = await RecordRun.write(folder, blocks, { blockBytes: BLOCK_BYTES, onBlock })
    return new IndexedRun(run, offsets, firstKeys, cacheBytes)
  }

  /** Yields all records, in blocks. */
  records(): AsyncGenerator<readonly KeyedRecord[], void, void> {
    return mergeRecords([this.#run])
  }

  /**
   * Returns a copy of the value of each key, and undefined for a missing key.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async getMany(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    const values: (Uint8Array | undefined)[] = []
    const wanted = keys.map((key, n) => ({ key, n, block: this.#blockOf(key) }))
    wanted.sort((a, b) => a.block - b.block)
    while (wanted.length > 0)
      await Promise.all(
        wanted.splice(-AT_ONCE).map(async ({ key, n, block }) => {
          values[n] = block < 0 ? undefined : valueIn(await this.#read(block), key)
        }),
      )
    return values
  }

  /** The last block that begins with a key that is not greater; -1 where there is none. */
  #blockOf(key: string): number {
    let low = 0
    let high = this.#firstKeys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareKeys(this.#firstKeys[middle]!, key) <= 0) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  #read(block: number): Promise<BlockCursor> {
    const reading = this.#cache.get(block) ?? this.#run.block(this.#offsets[block]!)
    this.#cache.delete(block)
    this.#cache.set(block, reading)
    if (this.#cache.size > this.#mostCached) this.#cache.delete(this.#cache.keys().next().value!)
    return reading
  }
}

function valueIn(cursor: BlockCursor, key: string): Uint8Array | undefined {
  const wanted = Buffer.from(key)
  cursor.rewind()
  while (cursor.next()) if (cursor.isAt(wanted)) return new Uint8Array(cursor.record.value)
  return undefined
}
