// Counts the values of a column in constant memory. Counts are exact while there are at most
// MOST_VALUES distinct values of at most KEY_BYTES bytes. Beyond that the counts are those of Misra
// and Gries (1982): where a new value finds no place, the median count is taken from all values,
// and those without a rest leave. So each count lacks at most the sum of what was taken, and every
// value with more than that is there.

import { lastBytes } from '../../engine/index'

/** The most values that are counted at a time. */
export const MOST_VALUES = 128
/** Longer values are not counted. */
export const KEY_BYTES = 64
/** Places of the hash table; a power of two. */
const PLACES = 512
/** A column without a frequent value among so many cells has none that a report would show. */
const TRIAL_CELLS = 4096
/** A value is frequent where its count is more than this part of all cells. */
const FREQUENT_SHARE = 1 / 64

/** What is known of the validity of a value. */
export const GOOD = 1
export const BAD = 2

export class FrequentValues {
  /** What was taken from counts: each lacks at most this. */
  lacking = 0
  /** Cells with a value that is too long to be counted. */
  tooLong = 0
  /** False once the column proved to have no frequent value: nothing is counted any more. */
  isCounting = true
  /** {@link GOOD} or {@link BAD} for each value. */
  readonly validity = new Uint8Array(MOST_VALUES)
  /** Entries + 1 by hash; 0 for a free place. */
  readonly #places = new Uint8Array(PLACES)
  readonly #hashes = new Int32Array(MOST_VALUES)
  readonly #counts = new Float64Array(MOST_VALUES)
  readonly #lengths = new Uint8Array(MOST_VALUES)
  readonly #keys = new Uint8Array(MOST_VALUES * KEY_BYTES)
  /** The same bytes. */
  readonly #keyWords = new DataView(this.#keys.buffer)
  /** The number of values that are counted now. */
  size = 0

  /** True where all values were counted and no count lacks anything. */
  get isExact(): boolean {
    return this.isCounting && this.lacking === 0 && this.tooLong === 0
  }

  /** Counts a known value and returns its entry. Returns -1 for a value that has no entry. */
  count(hash: number, bytes: DataView, start: number, end: number): number {
    for (let place = hash & (PLACES - 1); ; place = (place + 1) & (PLACES - 1)) {
      const entry = this.#places[place]! - 1
      if (entry < 0) return -1
      if (this.#hashes[entry] !== hash || !this.#has(entry, bytes, start, end)) continue
      this.#counts[entry]!++
      return entry
    }
  }

  /**
   * Takes in a value for which `count` has returned -1.
   * @param cells the cells of the column so far, this one included
   */
  add(
    hash: number,
    bytes: DataView,
    start: number,
    end: number,
    validity: number,
    cells: number,
  ): void {
    if (end - start > KEY_BYTES) {
      this.tooLong++
      return
    }
    if (this.size === MOST_VALUES) {
      this.#shrink()
      if (cells >= TRIAL_CELLS && this.#highest() < cells * FREQUENT_SHARE) {
        this.isCounting = false
        return
      }
    }
    const entry = this.size++
    this.#keep(entry, bytes, start, end)
    this.#hashes[entry] = hash
    this.#counts[entry] = 1
    this.validity[entry] = validity
    this.#place(entry)
  }

  /**
   * The most frequent values with how often they occur, at least: the highest count first, equal
   * counts in the order of their bytes.
   */
  top(most: number) {
    return Array.from({ length: this.size }, (_, entry) => ({
      bytes: this.#keys.slice(entry * KEY_BYTES, entry * KEY_BYTES + this.#lengths[entry]!),
      count: this.#counts[entry]!,
    }))
      .sort((a, b) => b.count - a.count || Buffer.compare(a.bytes, b.bytes))
      .slice(0, most)
  }

  /** Compares whole words, and then the bytes behind the last of them. */
  #has(entry: number, bytes: DataView, start: number, end: number): boolean {
    if (this.#lengths[entry] !== end - start) return false
    const keys = this.#keyWords
    let key = entry * KEY_BYTES
    let at = start
    for (; at + 4 <= end; at += 4, key += 4)
      if (bytes.getInt32(at, true) !== keys.getInt32(key, true)) return false
    return at === end || lastBytes(bytes, end, end - at) === keys.getInt32(key, true)
  }

  #keep(entry: number, bytes: DataView, start: number, end: number): void {
    this.#lengths[entry] = end - start
    const keys = this.#keyWords
    let key = entry * KEY_BYTES
    let at = start
    for (; at + 4 <= end; at += 4, key += 4) keys.setInt32(key, bytes.getInt32(at, true), true)
    if (at < end) keys.setInt32(key, lastBytes(bytes, end, end - at), true)
  }

  #highest(): number {
    let highest = 0
    for (let entry = 0; entry < this.size; entry++)
      if (this.#counts[entry]! > highest) highest = this.#counts[entry]!
    return highest
  }

  /** Takes the median count from all values, and removes at least half of them. */
  #shrink(): void {
    const taken = this.#counts.slice(0, this.size).sort()[this.size >> 1]!
    this.lacking += taken
    let kept = 0
    for (let entry = 0; entry < this.size; entry++) {
      if (this.#counts[entry]! <= taken) continue
      this.#keys.copyWithin(kept * KEY_BYTES, entry * KEY_BYTES, (entry + 1) * KEY_BYTES)
      this.#lengths[kept] = this.#lengths[entry]!
      this.#hashes[kept] = this.#hashes[entry]!
      this.validity[kept] = this.validity[entry]!
      this.#counts[kept] = this.#counts[entry]! - taken
      kept++
    }
    this.size = kept
    this.#places.fill(0)
    for (let entry = 0; entry < kept; entry++) this.#place(entry)
  }

  #place(entry: number): void {
    let place = this.#hashes[entry]! & (PLACES - 1)
    while (this.#places[place] !== 0) place = (place + 1) & (PLACES - 1)
    this.#places[place] = entry + 1
  }
}
