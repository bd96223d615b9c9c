// Several writes to a store gathered into one: the rows of many batches and the position behind them are then committed together,
// and what is committed is known before it is. Reads see what is gathered. Nothing is in the store until `commit`.

import type { KeyedStore, KeyRange, ReadOptions, StoreEntry, StoreOp, WriteOptions } from '../state/keyed-store'

/** What an entry costs beside its key and value. */
const ENTRY_BYTES = 100

export class WriteGroup implements KeyedStore {
  readonly #store: KeyedStore
  #gathered = new Map<string, Uint8Array | null>()
  #bytes = 0

  constructor(store: KeyedStore) {
    this.#store = store
  }

  /** About the memory that is gathered. */
  get byteLength(): number {
    return this.#bytes
  }

  async getMany(keys: readonly string[], options?: ReadOptions): Promise<(Uint8Array | undefined)[]> {
    const missing = keys.filter(key => !this.#gathered.has(key))
    const stored = missing.length === 0 ? [] : await this.#store.getMany(missing, options)
    let next = 0
    return keys.map(key => {
      const value = this.#gathered.get(key)
      return value === undefined ? stored[next++] : (value ?? undefined)
    })
  }

  /** Gathers. The values are kept as they are, not copied: they must not change any more. */
  write(ops: readonly StoreOp[]): void {
    for (const { key, value } of ops) {
      this.#gathered.set(key, value)
      this.#bytes += key.length + (value?.length ?? 0) + ENTRY_BYTES
    }
  }

  /** Of the store alone: to be read when nothing is gathered, or where what is gathered does not matter. */
  entries(range?: KeyRange, options?: ReadOptions): Iterable<readonly StoreEntry[]> | AsyncIterable<readonly StoreEntry[]> {
    return this.#store.entries(range, options)
  }

  /** Writes all that is gathered, and `also`, in one step. */
  async commit(also: readonly StoreOp[] = [], options?: WriteOptions): Promise<void> {
    const ops: StoreOp[] = []
    for (const [key, value] of this.#gathered) ops.push({ key, value })
    ops.push(...also)
    this.#gathered = new Map()
    this.#bytes = 0
    await this.#store.write(ops, options)
  }

  /** The store stays open: it is its owner's. */
  close(): void {
    this.#gathered.clear()
    this.#bytes = 0
  }
}
