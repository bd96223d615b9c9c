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

/** Memory that an entry takes beside its key and value. */
const ENTRY_BYTES = 100
/** Entries in a block of a listing. */
const BLOCK_ENTRIES = 128

type Gathered = readonly [key: string, value: Uint8Array | null]

export class WriteGroup implements KeyedStore {
  readonly #store: KeyedStore
  readonly #gathered = new Map<string, Uint8Array | null>()
  #bytes = 0

  constructor(store: KeyedStore) {
    this.#store = store
  }

  /** Bytes of memory that the gathered writes take, about. */
  get byteLength(): number {
    return this.#bytes
  }

  async getMany(
    keys: readonly string[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    // Reads all gathered values before it waits, so that a write meanwhile does not mix into them.
    const values = keys.map(key => {
      const value = this.#gathered.get(key)
      return value && copyOf(value, options)
    })
    const missing = Array.from(keys.keys()).flatMap(n => (values[n] === undefined ? [n] : []))
    const stored =
      missing.length === 0
        ? []
        : await this.#store.getMany(
            missing.map(n => keys[n]!),
            options,
          )
    for (const [at, n] of missing.entries()) values[n] = stored[at]
    return values.map(value => value ?? undefined)
  }

  /** Gathers copies of the values. With `sync`, commits these and what was gathered before. */
  write(ops: readonly StoreOp[], { sync = false }: WriteOptions = {}): void | Promise<void> {
    // These are not gathered: where the commit fails, nothing of this write may be seen.
    if (sync) return this.commit(ops, { sync })
    // All values are copied before the first is gathered: a value that is no bytes throws here.
    const copies = ops.map(
      ({ key, value }): Gathered => [key, value === null ? null : copyOf(value)],
    )
    for (const [key, value] of copies) {
      this.#drop(key)
      this.#gathered.set(key, value)
      this.#bytes += costOf(key, value)
    }
  }

  /** The store's entries, merged in key order with what is gathered when the listing begins. */
  async *entries(
    range: KeyRange = {},
    options?: ReadOptions,
  ): AsyncGenerator<readonly StoreEntry[], void, void> {
    const gathered = this.#gatheredIn(range)
    let next = 0
    let block: StoreEntry[] = []
    const take = ([key, value]: Gathered) => {
      if (value !== null) block.push({ key, value: copyOf(value, options) })
    }
    for await (const stored of this.#store.entries(range, options)) {
      for (const entry of stored) {
        while (next < gathered.length && compareKeys(gathered[next]![0], entry.key) < 0)
          take(gathered[next++]!)
        if (gathered[next]?.[0] === entry.key) take(gathered[next++]!)
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
    const gathered = [...this.#gathered]
    await this.#store.write([...gathered.map(([key, value]) => ({ key, value })), ...also], options)
    for (const [key, value] of gathered) if (this.#gathered.get(key) === value) this.#drop(key)
  }

  /** Drops what is gathered. The store stays open, because it belongs to its owner. */
  close(): void {
    this.#gathered.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    const value = this.#gathered.get(key)
    if (value === undefined) return
    this.#gathered.delete(key)
    this.#bytes -= costOf(key, value)
  }

  #gatheredIn({ from, to }: KeyRange): Gathered[] {
    const isIn = (key: string) =>
      (from === undefined || compareKeys(key, from) >= 0) &&
      (to === undefined || compareKeys(key, to) < 0)
    return [...this.#gathered].filter(([key]) => isIn(key)).sort(([a], [b]) => compareKeys(a, b))
  }
}

function* blocksOf(entries: readonly StoreEntry[]): Generator<readonly StoreEntry[], void, void> {
  for (let at = 0; at < entries.length; at += BLOCK_ENTRIES)
    yield entries.slice(at, at + BLOCK_ENTRIES)
}

function costOf(key: string, value: Uint8Array | null): number {
  return key.length + (value?.length ?? 0) + ENTRY_BYTES
}

function copyOf(value: Uint8Array, { firstBytes }: ReadOptions = {}): Uint8Array {
  return new Uint8Array(value.subarray(0, firstBytes))
}
