// A part of a store as a store of its own: all keys that begin with a prefix, seen without it. So
// several categories and what belongs to them share one store on disk, and one write of it is
// atomic over all that it names.

import { filledText } from '../options'
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
      ops.map(({ key, value }) => ({ key: this.#prefix + key, value })),
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

  /** The store stays open: it is its owner's. */
  close(): void {}
}

/**
 * The keys of `store` that begin with `prefix`. Closing the view leaves the store open.
 * @param prefix not empty, ends in an ASCII character; no other view's prefix begins with it
 */
export function prefixedStore(store: KeyedStore, prefix: string): KeyedStore {
  return new PrefixedStore(checkedStore('store', store), filledText('prefix', prefix))
}
