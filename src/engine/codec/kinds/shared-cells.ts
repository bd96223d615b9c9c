// Reads cells that a feed repeats from row to row, lists and regions. Each is decoded once, and all
// rows share its frozen value.

import type { CellSource } from './kind-of-cells'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Reads a cell of `source` that is not empty: the value that {@link ByteTable} has for its bytes,
 * or else the value that `decode` makes of its text.
 */
export type SharedReader<V> = (
  source: CellSource,
  slot: number,
  start: number,
  end: number,
) => V | undefined

/**
 * After so many cells one after the other that the table did not have, the reader looks for only
 * one in so many, because the column repeats nothing.
 */
const MANY_MISSES = 64

/**
 * Makes a reader with a table of its own, which is allocated on first use. `decode` returns a
 * frozen value, and the reader throws what it throws. `read` is a quicker way from the bytes to the
 * same value, which returns undefined where `decode` has to decide.
 */
export function sharedReader<V>(
  options: ByteTableOptions,
  decode: (text: string) => V & {},
  read: (source: CellSource, start: number, end: number) => V | undefined = () => undefined,
): SharedReader<V> {
  let table: ByteTable<V> | undefined
  let misses = 0
  const decoded = (source: CellSource, start: number, end: number) => {
    const text = source.ownText(start, end)
    // Two quotes without text are an empty cell.
    return text === '' ? undefined : decode(text)
  }
  return (source, _slot, start, end) => {
    // The same bytes in quotes are another text in another dialect, so they have no place in the
    // table.
    if (source.bytes[start] === QUOTE && source.escapedBy !== BACKSLASH)
      return decoded(source, start, end)
    if (misses >= MANY_MISSES && ++misses % MANY_MISSES !== 0)
      return read(source, start, end) ?? decoded(source, start, end)
    table ??= new ByteTable(options)
    const hash = hashBytes(source.view, start, end)
    const known = table.find(hash, source.view, start, end)
    if (known !== undefined) {
      misses = 0
      return known
    }
    misses = Math.min(misses + 1, MANY_MISSES)
    const value = read(source, start, end) ?? decoded(source, start, end)
    if (value !== undefined) table.keep(hash, source.view, start, end, value)
    return value
  }
}

// A bounded cache from runs of bytes to their decoded values, for cells that a feed repeats: the
// same run is decoded once.
//
// The cache is set-associative: the hash of a run selects a set of four places, and a new run
// replaces them in turn. So the table never grows. Input that repeats nothing, or that is made to
// collide, costs four comparisons, a hash and a copy of its bytes. A hit compares every byte. The
// table copies bytes, so it never pins a batch. All readers share a value, so it must not change.

export const WORD_BYTES = 4
/** The bits of a tag that hold the length. */
const LENGTH_MASK = 2 ** 11 - 1
export const SET_BITS = 2
export const SET_ENTRIES = 1 << SET_BITS
/**
 * The multiplier of the hash: 2^32 divided by the golden ratio, an odd number without a pattern.
 */
const HASH_FACTOR = 0x9e3779b1 | 0

export interface ByteTableOptions {
  /** Binary logarithm of the number of entries. */
  readonly entryBits: number
  /** The table does not keep longer runs. The number is a multiple of four, below 2,048. */
  readonly maxKeyBytes: number
}

export class ByteTable<V> {
  readonly #shift: number
  readonly #keyWords: number
  /** The tag of each entry's run, from {@link tagOf}; 0 for a free entry. */
  readonly #tags: Int32Array
  /** The run of each entry, in as many words as the longest run has. */
  readonly #words: Int32Array
  readonly #values: (V | undefined)[]
  /** The place of a set that is replaced next. */
  #turn = 0

  constructor({ entryBits, maxKeyBytes }: ByteTableOptions) {
    const entries = 2 ** entryBits
    this.#shift = 32 - entryBits + SET_BITS
    this.#keyWords = maxKeyBytes / WORD_BYTES
    this.#tags = new Int32Array(entries)
    this.#words = new Int32Array(entries * this.#keyWords)
    this.#values = new Array<V | undefined>(entries).fill(undefined)
  }

  /**
   * Returns the value of the bytes from `start` to `end`, whose hash is `hash`, or undefined where
   * the table has none.
   */
  find(hash: number, bytes: DataView, start: number, end: number): V | undefined {
    if (end - start > this.#keyWords * WORD_BYTES) return undefined
    const tag = tagOf(hash, end - start)
    const tags = this.#tags
    const words = this.#words
    const first = (hash >>> this.#shift) << SET_BITS
    for (let entry = first; entry < first + SET_ENTRIES; entry++) {
      if (tags[entry] !== tag) continue
      let word = entry * this.#keyWords
      let at = start
      while (at + WORD_BYTES <= end && words[word] === bytes.getInt32(at, true)) {
        at += WORD_BYTES
        word++
      }
      if (at === end || (at + WORD_BYTES > end && words[word] === lastWord(bytes, start, end)))
        return this.#values[entry]
    }
    return undefined
  }

  /** Adds a value for bytes that {@link find} has not found. */
  keep(hash: number, bytes: DataView, start: number, end: number, value: V): void {
    if (end - start > this.#keyWords * WORD_BYTES) return
    this.#turn = (this.#turn + 1) % SET_ENTRIES
    const entry = ((hash >>> this.#shift) << SET_BITS) + this.#turn
    let word = entry * this.#keyWords
    let at = start
    for (; at + WORD_BYTES <= end; at += WORD_BYTES) this.#words[word++] = bytes.getInt32(at, true)
    if (at < end) this.#words[word] = lastWord(bytes, start, end)
    this.#tags[entry] = tagOf(hash, end - start)
    this.#values[entry] = value
  }
}

/**
 * Returns the hash of a run. A reader that still searches the end of a run can compute it step by
 * step with {@link hashWord}.
 */
export function hashBytes(bytes: DataView, start: number, end: number): number {
  let hash = 0
  let at = start
  for (; at + WORD_BYTES <= end; at += WORD_BYTES) hash = hashWord(hash, bytes.getInt32(at, true))
  return at === end ? hash : hashWord(hash, lastWord(bytes, start, end))
}

/** Returns the hash of a run with four more bytes. Its high bits depend on all bits. */
export function hashWord(hash: number, word: number): number {
  return Math.imul(((hash << 5) | (hash >>> 27)) ^ word, HASH_FACTOR)
}

/**
 * Returns a run's length, which is never 0 and within the limit, together with a part of its hash:
 * runs with the same tag have the same length, and hardly ever differ.
 */
export function tagOf(hash: number, length: number): number {
  return (hash & ~LENGTH_MASK) | length
}

/**
 * Returns the last four bytes of a run, or all bytes of a shorter run. Together with the words
 * before them they cover a run whose length is not a multiple of four.
 */
function lastWord(bytes: DataView, start: number, end: number): number {
  if (end - start >= WORD_BYTES) return bytes.getInt32(end - WORD_BYTES, true)
  let word = 0
  for (let at = start; at < end; at++) word = (word << 8) | bytes.getUint8(at)
  return word
}
