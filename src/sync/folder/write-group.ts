// A keyed store that gathers many writes to another store and commits them in one: the rows of many
// batches and the position behind them then reach the disk together. Reads and listings see what is
// gathered. The other store sees it after `commit`, or after a write with `sync`.

import {
  type BlockTaker,
  blockTakerOf,
  compareKeys,
  type KeyedStore,
  type KeyRange,
  type ReadOptions,
  type StoreEntry,
  type StoreOp,
  type WriteBlock,
  type WriteOptions,
} from '../../state/index'

/** Entries in a block of a listing. */
const BLOCK_ENTRIES = 128

export class WriteGroup implements KeyedStore {
  readonly #store: KeyedStore
  readonly #taker: BlockTaker
  /** What is gathered for the next commit. */
  #gathered: WriteBlock | undefined
  /** What is being committed, or could not be, the newest first. */
  #leaving: readonly WriteBlock[] = []
  #failure: { readonly error: unknown } | undefined

  constructor(store: KeyedStore) {
    this.#store = store
    this.#taker = blockTakerOf(store)
  }

  /** Bytes of memory that the gathered writes take, about. */
  get byteLength(): number {
    return this.#gathered?.byteLength ?? 0
  }

  async getMany(
    keys: readonly string[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    // Reads all gathered values before it waits, so that a write meanwhile does not mix into them.
    const gathered = keys.map(key => this.#valueOf(key, options?.firstBytes))
    const missing = keys.filter((_, n) => gathered[n] === undefined)
    const stored = missing.length === 0 ? [] : await this.#store.getMany(missing, options)
    let next = 0
    return gathered.map(value => (value === undefined ? stored[next++] : (value ?? undefined)))
  }

  /** Gathers copies of the values. With `sync`, commits these and what was gathered before. */
  write(ops: readonly StoreOp[], { sync = false }: WriteOptions = {}): void | Promise<void> {
    if (sync) return this.commit(ops, { sync })
    this.#check()
    this.#gather(ops)
  }

  /** The store's entries, merged in key order with what is gathered when the listing begins. */
  async *entries(
    range: KeyRange = {},
    options?: ReadOptions,
  ): AsyncGenerator<readonly StoreEntry[], void, void> {
    const gathered = this.#entriesIn(range, options)
    let next = 0
    let block: StoreEntry[] = []
    const take = ({ key, value }: StoreOp) => {
      if (value !== null) block.push({ key, value })
    }
    for await (const stored of this.#store.entries(range, options)) {
      for (const entry of stored) {
        while (next < gathered.length && compareKeys(gathered[next]!.key, entry.key) < 0)
          take(gathered[next++]!)
        if (gathered[next]?.key === entry.key) take(gathered[next++]!)
        else block.push(entry)
        if (block.length < BLOCK_ENTRIES) continue
        yield* blocksOf(block)
        block = []
      }
    }
    while (next < gathered.length) take(gathered[next++]!)
    yield* blocksOf(block)
  }

  /**
   * Writes all that is gathered, and `also` behind it, in one step. What is written meanwhile is
   * gathered for the next commit. Where it fails, all later writes and commits fail too, because
   * nobody knows what the store has.
   * @throws what the store throws
   */
  async commit(also: readonly StoreOp[] = [], options?: WriteOptions): Promise<void> {
    this.#check()
    this.#gather(also)
    const block = this.#gathered!
    this.#gathered = undefined
    this.#leaving = [block, ...this.#leaving]
    try {
      await this.#taker.writeBlock(block, options)
    } catch (error) {
      this.#failure = { error }
      throw error
    }
    this.#leaving = this.#leaving.filter(other => other !== block)
  }

  /** Drops what is gathered. The store stays open, because it belongs to its owner. */
  close(): void {
    this.#gathered = undefined
    this.#leaving = []
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #gather(ops: readonly StoreOp[]): void {
    this.#gathered ??= this.#taker.newBlock()
    this.#gathered.add(ops)
  }

  #valueOf(key: string, firstBytes?: number): Uint8Array | null | undefined {
    let value = this.#gathered?.valueOf(key, firstBytes)
    for (let n = 0; value === undefined && n < this.#leaving.length; n++)
      value = this.#leaving[n]!.valueOf(key, firstBytes)
    return value
  }

  /** Returns copies, because what is gathered may be committed while a listing is read. */
  #entriesIn({ from, to }: KeyRange, { firstBytes }: ReadOptions = {}): StoreOp[] {
    const blocks = [...this.#leaving].reverse()
    if (this.#gathered !== undefined) blocks.push(this.#gathered)
    const newest = new Map<string, Uint8Array | null>()
    for (const block of blocks) {
      for (const { key, value } of block.ops()) {
        if (from !== undefined && compareKeys(key, from) < 0) continue
        if (to !== undefined && compareKeys(key, to) >= 0) continue
        newest.set(key, value && new Uint8Array(value.subarray(0, firstBytes)))
      }
    }
    return Array.from(newest, ([key, value]) => ({ key, value })).sort((a, b) =>
      compareKeys(a.key, b.key),
    )
  }
}

function* blocksOf(entries: readonly StoreEntry[]): Generator<readonly StoreEntry[], void, void> {
  for (let at = 0; at < entries.length; at += BLOCK_ENTRIES)
    yield entries.slice(at, at + BLOCK_ENTRIES)
}
