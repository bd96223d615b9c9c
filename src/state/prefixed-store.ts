// A view of all keys of a store that begin with a prefix, as a store of its own whose keys lack the
// prefix. Several categories share one store on disk in this way, and a write to that store is
// atomic over all its keys.

import { filledText } from '../engine/index'
import {
  checkedStore,
  type KeyedStore,
  type KeyRange,
  prefixRange,
  type ReadOptions,
  type StoreEntry,
  type StoreOp,
  type WriteOptions,
} from './keyed-store'

class PrefixedStore implements KeyedStore {
  readonly #store: KeyedStore
  readonly #prefix: string

  constructor(store: KeyedStore, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  getMany(keys: readonly string[], options?: ReadOptions): ReturnType<KeyedStore['getMany']> {
    return this.#store.getMany(
      keys.map(key => this.#prefix + key),
      options,
    )
  }

  write(ops: readonly StoreOp[], options?: WriteOptions): ReturnType<KeyedStore['write']> {
    return this.#store.write(
      ops.map(op => ({ ...op, key: this.#prefix + op.key })),
      options,
    )
  }

  async *entries(
    { from, to }: KeyRange = {},
    options?: ReadOptions,
  ): AsyncGenerator<readonly StoreEntry[], void, void> {
    const all = prefixRange(this.#prefix)
    const range = {
      from: from === undefined ? all.from : this.#prefix + from,
      to: to === undefined ? all.to : this.#prefix + to,
    }
    const { length } = this.#prefix
    for await (const block of this.#store.entries(range as Required<KeyRange>, options)) {
      yield block.map(({ key, value }) => ({ key: key.slice(length), value }))
    }
  }

  /** The store stays open, because it belongs to its owner. */
  close(): void {}
}

/**
 * Returns a view of the keys of `store` that begin with `prefix`. The store stays open when the
 * view is closed.
 * @param store the store that holds the keys of all views
 * @param prefix not empty, ends in an ASCII character; no other view's prefix begins with it
 * @example
 * ```ts
 * import { MemoryStore } from 'feedmill'
 * import { prefixedStore } from 'feedmill/level'
 *
 * const store = new MemoryStore()
 * await prefixedStore(store, 'us/').write([{ key: 'v1|1|0', value: Uint8Array.of(1) }])
 * console.log(store.getMany(['us/v1|1|0'])[0]?.length)
 * // => 1
 * ```
 */
export function prefixedStore(store: KeyedStore, prefix: string): KeyedStore {
  return new PrefixedStore(checkedStore('store', store), filledText('prefix', prefix))
}
