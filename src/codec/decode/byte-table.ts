// A bounded dictionary from runs of bytes to what they were decoded to, for what a feed repeats:
// the same run is decoded once.
//
// A run may stand in any of the four places of its hash's set, and takes one of them in turn from
// whatever stood there. So the table never grows, and input that repeats nothing, or that is made
// to collide, costs four comparisons, a hash and a copy of its bytes more than no table at all. A
// find compares every byte. The table copies bytes: it never holds on to a batch. Values are shared
// by all who find them, so they must not change.

export const WORD_BYTES = 4
/** The bits of a tag that hold a length. */
const LENGTH_MASK = 2 ** 11 - 1
export const SET_BITS = 2
export const SET_ENTRIES = 1 << SET_BITS
/** Odd, its bits without a pattern: 2^32 divided by the golden ratio. */
const HASH_FACTOR = 0x9e3779b1 | 0

export interface ByteTableOptions {
  /** Entries are 2 to this power. */
  readonly entryBits: number
  /** Longer runs are not kept. A multiple of four, below 2,048. */
  readonly maxKeyBytes: number
}

export class ByteTable<V> {
  readonly #shift: number
  readonly #keyWords: number
  /** Of each entry: what {@link tagOf} makes of its run; 0 where there is none. */
  readonly #tags: Int32Array
  /** Each entry's run, in as many words as the longest has. */
  readonly #words: Int32Array
  readonly #values: (V | undefined)[]
  /** Which place of a set is overwritten next. */
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
   * What was kept for the bytes from `start` to `end`, of which `hash` is the hash; undefined where
   * nothing is.
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

  /** Keeps a value for bytes that {@link find} does not find. */
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
 * The hash of a run, of which {@link hashWord} can make a part while the run's end is still
 * searched.
 */
export function hashBytes(bytes: DataView, start: number, end: number): number {
  let hash = 0
  let at = start
  for (; at + WORD_BYTES <= end; at += WORD_BYTES) hash = hashWord(hash, bytes.getInt32(at, true))
  return at === end ? hash : hashWord(hash, lastWord(bytes, start, end))
}

/** The hash of a run and four bytes more. Its high bits depend on all bits. */
export function hashWord(hash: number, word: number): number {
  return Math.imul(((hash << 5) | (hash >>> 27)) ^ word, HASH_FACTOR)
}

/**
 * A run's length, which is never 0 and short enough to be kept, and some of its hash: runs of one
 * tag have one length, and hardly ever differ.
 */
export function tagOf(hash: number, length: number): number {
  return (hash & ~LENGTH_MASK) | length
}

/**
 * The last four bytes of a run, or all of a shorter one. With the words before it, it says the rest
 * of a run that is no whole number of words.
 */
function lastWord(bytes: DataView, start: number, end: number): number {
  if (end - start >= WORD_BYTES) return bytes.getInt32(end - WORD_BYTES, true)
  let word = 0
  for (let at = start; at < end; at++) word = (word << 8) | bytes.getUint8(at)
  return word
}
