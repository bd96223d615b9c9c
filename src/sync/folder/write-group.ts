// A keyed store that gathers many writes to another store and commits them in one: the rows of many
// batches and the position behind them then reach the disk together. Reads and listings see what is
// gathered. The other store sees it after `commit`, or after a write with `sync`.

import {
  compareKeys,
  type KeyedStore,
  type KeyRange,
  type ReadOptions,
  type StoreEntry,
  type StoreOp,
  type WriteOptions,
} from '../../state/keyed-store'
import { GatheredValues, REMOVED } from './gathered-values'

/** Memory that an entry takes beside its key and value. */
const ENTRY_BYTES = 100
/** Entries in a block of a listing. */
const BLOCK_ENTRIES = 128

export class WriteGroup implements KeyedStore {
  readonly #store: KeyedStore
  readonly #gathered = new Map<string, number>()
  readonly #values = new GatheredValues()
  /** Memory that the keys and entries take, about. */
  #keyBytes = 0
  #commits = 0
  /** Number of writes, which tells a commit whether there were some meanwhile. */
  #writes = 0

  constructor(store: KeyedStore) {
    this.#store = store
  }

  /** Bytes of memory that the gathered writes take, about. */
  get byteLength(): number {
    return this.#values.byteLength + this.#keyBytes
  }

  async getMany(
    keys: readonly string[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    const values = new Array<Uint8Array | undefined>(keys.length)
    const missing: number[] = []
    const missingKeys: string[] = []
    // Reads all gathered values before it waits, so that a write meanwhile does not mix into them.
    for (let n = 0; n < keys.length; n++) {
      const key = keys[n]!
      const place = this.#gathered.get(key)
      if (place === undefined) {
        missing.push(n)
        missingKeys.push(key)
      } else if (place !== REMOVED) values[n] = this.#values.copyOf(place, options?.firstBytes)
    }
    if (missing.length === 0) return values
    const stored = await this.#store.getMany(missingKeys, options)
    for (let at = 0; at < missing.length; at++) values[missing[at]!] = stored[at]
    return values
  }

  /** Gathers copies of the values. With `sync`, commits these and what was gathered before. */
  write(ops: readonly StoreOp[], { sync = false }: WriteOptions = {}): void | Promise<void> {
    // These are not gathered: where the commit fails, nothing of this write may be seen.
    if (sync) return this.commit(ops, { sync })
    // All values are copied before the first is gathered: a value that is no bytes throws here.
    const places = ops.map(({ value }) => this.#values.add(value))
    for (let n = 0; n < ops.length; n++) {
      const { key } = ops[n]!
      const { size } = this.#gathered
      this.#gathered.set(key, places[n]!)
      if (this.#gathered.size > size) this.#keyBytes += costOf(key)
    }
    this.#writes++
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
   * Writes all that is gathered, and `also` behind it, in one step. Where that fails, what was
   * gathered stays so. What is written meanwhile stays gathered too.
   * @throws what the store throws
   */
  async commit(also: readonly StoreOp[] = [], options?: WriteOptions): Promise<void> {
    const ops: StoreOp[] = []
    const places: number[] = []
    // Each step of a loop over a map would allocate two objects.
    this.#gathered.forEach((place, key) => {
      ops.push({ key, value: this.#values.view(place) })
      places.push(place)
    })
    for (const op of also) ops.push(op)
    const writes = this.#writes
    this.#commits++
    try {
      await this.#store.write(ops, options)
    } finally {
      this.#commits--
    }
    if (this.#writes === writes) this.#dropAll()
    // A value that was written meanwhile has another place.
    else
      for (const [n, place] of places.entries()) {
        const { key } = ops[n]!
        if (this.#gathered.get(key) === place) this.#drop(key)
      }
    // The store may still read the values of another commit.
    if (this.#gathered.size > 0 || this.#commits > 0) return
    // The end of a file is a synced commit. A category that waits for a file holds no memory.
    this.#values.clear(options?.sync)
  }

  /** Drops what is gathered. The store stays open, because it belongs to its owner. */
  close(): void {
    this.#dropAll()
    this.#values.clear(true)
  }

  #dropAll(): void {
    this.#gathered.clear()
    this.#keyBytes = 0
  }

  #drop(key: string): void {
    if (this.#gathered.delete(key)) this.#keyBytes -= costOf(key)
  }

  /** Returns copies, because what is gathered may be committed while a listing is read. */
  #entriesIn({ from, to }: KeyRange, { firstBytes }: ReadOptions = {}): StoreOp[] {
    const entries: StoreOp[] = []
    for (const [key, place] of this.#gathered) {
      if (from !== undefined && compareKeys(key, from) < 0) continue
      if (to !== undefined && compareKeys(key, to) >= 0) continue
      entries.push({
        key,
        value: place === REMOVED ? null : this.#values.copyOf(place, firstBytes),
      })
    }
    return entries.sort((a, b) => compareKeys(a.key, b.key))
  }
}

function costOf(key: string): number {
  return key.length + ENTRY_BYTES
}

function* blocksOf(entries: readonly StoreEntry[]): Generator<readonly StoreEntry[], void, void> {
  for (let at = 0; at < entries.length; at += BLOCK_ENTRIES)
    yield entries.slice(at, at + BLOCK_ENTRIES)
}
