// Several writes to a store gathered into one: the rows of many batches and the position behind
// them are then committed together, and what is committed is known before it is. Reads and listings
// see what is gathered. Nothing is in the store until `commit`.

import {
  compareKeys,
  type KeyedStore,
  type KeyRange,
  type ReadOptions,
  type StoreEntry,
  type StoreOp,
  type WriteOptions,
} from '../../state/keyed-store'

/** What an entry costs beside its key and value. */
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

  /** About the memory that is gathered. */
  get byteLength(): number {
    return this.#bytes
  }

  async getMany(
    keys: readonly string[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    // All of what is gathered now, before anything is waited for.
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

  /** Gathers; with `sync` it also commits. */
  write(ops: readonly StoreOp[], { sync = false }: WriteOptions = {}): void | Promise<void> {
    for (const { key, value } of ops) {
      this.#gathered.set(key, value && copyOf(value))
      this.#bytes += key.length + (value?.length ?? 0) + ENTRY_BYTES
    }
    return sync ? this.commit([], { sync }) : undefined
  }

  /** The store's entries, with what was gathered when the listing began in its place among them. */
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

  /** Writes all that is gathered, and `also`, in one step. Where that fails it stays gathered. */
  async commit(also: readonly StoreOp[] = [], options?: WriteOptions): Promise<void> {
    const gathered = [...this.#gathered]
    const bytes = this.#bytes
    await this.#store.write([...gathered.map(([key, value]) => ({ key, value })), ...also], options)
    for (const [key, value] of gathered)
      if (this.#gathered.get(key) === value) this.#gathered.delete(key)
    this.#bytes -= bytes
  }

  /** Drops what is gathered. The store stays open: it is its owner's. */
  close(): void {
    this.#gathered.clear()
    this.#bytes = 0
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

function copyOf(value: Uint8Array, { firstBytes }: ReadOptions = {}): Uint8Array {
  return new Uint8Array(value.subarray(0, firstBytes))
}
