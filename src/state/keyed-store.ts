// The interface of keyed stores, in which joins and merges keep rows. Keys are text and values are
// bytes. A call takes a batch, so that a store on disk pays for each batch and not for each row.
// Only the caller knows what the bytes mean.

import { filledText, withMethods } from '../engine/index'

export type MaybePromise<T> = T | Promise<T>

export interface StoreEntry {
  readonly key: string
  readonly value: Uint8Array
}

/** Sets a key, or removes it where the value is null. */
export interface StoreOp {
  readonly key: string
  readonly value: Uint8Array | null
  /** The CRC-32 of the value, where the writer knows it. Default: a store that needs it makes it. */
  readonly checksum?: number
}

export interface ReadOptions {
  /**
   * Number of bytes that the caller needs of the beginning of each value. A store may return more.
   */
  readonly firstBytes?: number
}

export interface WriteOptions {
  /**
   * With true, this write and all earlier ones are durable when the call is done. Otherwise a crash
   * may lose the newest writes, and never an earlier write without all later ones.
   */
  readonly sync?: boolean
}

/** Keys from `from` (included) to `to` (excluded), in the order of their UTF-8 bytes. */
export interface KeyRange {
  readonly from?: string
  readonly to?: string
}

/**
 * Keys are well-formed text (no lone surrogates). A store has one writer at a time. A stage does
 * not close the store that a caller gives it.
 */
export interface KeyedStore {
  /**
   * Returns the value of each key in the order of `keys`, and undefined for a missing key. The
   * caller owns the values, which are copies.
   */
  getMany(
    keys: readonly string[],
    options?: ReadOptions,
  ): MaybePromise<readonly (Uint8Array | undefined)[]>

  /**
   * Applies all of `ops` in order, or none when it fails. The store copies the values before the
   * call returns or its promise resolves. A store in memory ignores `sync`.
   * @throws FeedError STATE_LIMIT, STATE_IO
   */
  write(ops: readonly StoreOp[], options?: WriteOptions): MaybePromise<void>

  /**
   * Returns all entries in key order, in blocks of at most a few hundred. Keys that are written
   * after the request for the first block may be missing. The caller owns the values, which are
   * copies.
   */
  entries(
    range?: KeyRange,
    options?: ReadOptions,
  ): Iterable<readonly StoreEntry[]> | AsyncIterable<readonly StoreEntry[]>

  /** Frees what the store holds. The caller does not use the store afterwards. */
  close(): MaybePromise<void>
}

/**
 * Checks that a caller's store has the methods of one, and returns it. @throws FeedError
 * OPTION_INVALID
 */
export function checkedStore(option: string, store: KeyedStore): KeyedStore {
  return withMethods(option, store, ['getMany', 'write', 'entries', 'close'])
}

/**
 * Returns the range of all keys that begin with `prefix`, which is not empty and ends in an ASCII
 * character.
 */
export function prefixRange(prefix: string): KeyRange {
  const last = prefix.length - 1
  return {
    from: prefix,
    to: prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1),
  }
}

/**
 * Compares keys by their UTF-8 bytes, which is the order of a store on disk. The operator `<`
 * compares UTF-16 units, which puts characters past U+FFFF before those from U+E000 to U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at)
    if (difference !== 0) return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at))
  }
  return a.length - b.length
}

/** Ranks surrogates, which encode the characters past U+FFFF, behind all other units. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

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
 */
export function prefixedStore(store: KeyedStore, prefix: string): KeyedStore {
  return new PrefixedStore(checkedStore('store', store), filledText('prefix', prefix))
}
