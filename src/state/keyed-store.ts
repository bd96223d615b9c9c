// The interface of the keyed stores: where joins and merges keep what is larger than one batch.
// Keys are text, values bytes, calls take batches, so that a store on disk pays once a batch and
// not once a row. What the bytes mean is the business of whoever writes them.

import { withMethods } from '../options'

export type MaybePromise<T> = T | Promise<T>

export interface StoreEntry {
  readonly key: string
  readonly value: Uint8Array
}

/** Sets a key, or removes it where the value is null. */
export interface StoreOp {
  readonly key: string
  readonly value: Uint8Array | null
}

export interface ReadOptions {
  /**
   * No more than so many bytes of each value's beginning are wanted. A hint: a store may give more.
   */
  readonly firstBytes?: number
}

export interface WriteOptions {
  /**
   * The write, and every one before it, is on the disk when the call is done. Without it a crash
   * may lose the newest writes, in order: never one before another.
   */
  readonly sync?: boolean
}

/** Keys from `from` (included) to `to` (excluded), in the order of {@link compareKeys}. */
export interface KeyRange {
  readonly from?: string
  readonly to?: string
}

/**
 * Keys are well-formed text (no lone surrogates). One writer at a time.
 * A store that was handed to a stage stays its caller's: stages do not close it.
 */
export interface KeyedStore {
  /**
   * The value of each key in the order asked, undefined where there is none. The values are the
   * caller's own copies.
   */
  getMany(
    keys: readonly string[],
    options?: ReadOptions,
  ): MaybePromise<readonly (Uint8Array | undefined)[]>

  /**
   * Applies all of `ops` in order, or, when it fails, none. Values are copied before the call
   * returns or its promise resolves. A store in memory takes no notice of `sync`.
   * @throws FeedError STATE_LIMIT, STATE_IO
   */
  write(ops: readonly StoreOp[], options?: WriteOptions): MaybePromise<void>

  /**
   * Blocks of entries in key order, at most a few hundred each. Keys written after the first block
   * was asked for may be missing. The values are the caller's own copies.
   */
  entries(
    range?: KeyRange,
    options?: ReadOptions,
  ): Iterable<readonly StoreEntry[]> | AsyncIterable<readonly StoreEntry[]>

  /** Frees what the store holds. It is not used afterwards. */
  close(): MaybePromise<void>
}

/** A store that a caller gives, by its methods. @throws FeedError OPTION_INVALID */
export function checkedStore(option: string, store: KeyedStore): KeyedStore {
  return withMethods(option, store, ['getMany', 'write', 'entries', 'close'])
}

/** All keys that begin with `prefix`, which is not empty and ends in an ASCII character. */
export function prefixRange(prefix: string): KeyRange {
  const last = prefix.length - 1
  return {
    from: prefix,
    to: prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1),
  }
}

/**
 * The order of keys: that of their UTF-8 bytes, as a store on disk has it. `<` on strings compares
 * UTF-16 units, which puts characters past U+FFFF before those from U+E000 to U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at)
    if (difference !== 0) return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at))
  }
  return a.length - b.length
}

/** Moves surrogates, which stand for the characters past U+FFFF, behind all other units. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
