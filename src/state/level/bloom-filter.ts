// A Bloom filter in memory, which knows that a new store on disk lacks a key. A first bootstrap
// reads millions of keys that the store does not have, and each such read would be a call into
// LevelDB. Once the store has most keys that are asked for, the filter saves nothing.

/** Size of the filter: 2^25 bits, enough for some million keys. */
export const FILTER_BYTES = 2 ** 22
/** All bits of a key are in one block. */
const BLOCK_BYTES = 64
const BLOCK_MASK = FILTER_BYTES / BLOCK_BYTES - 1
const BIT_MASK = BLOCK_BYTES * 8 - 1
const PROBES = 4
/** Questions after which the filter judges its use again. */
const QUESTIONS = 2 ** 17
/** The least share of them that the filter answers alone. */
const LEAST_USE = 1 / 8

export class BloomFilter {
  readonly #bits = new Uint8Array(FILTER_BYTES)
  /** Offset of the block of the key, and the bit of its next probe in that block. */
  #block = 0
  #bit = 0
  #step = 0
  #questions = 0
  #answered = 0
  #isUseful = true

  /** False where the store has almost all of the keys that were asked for of late. */
  get isUseful(): boolean {
    return this.#isUseful
  }

  /** @returns true where the key was certainly not added before */
  add(key: string): boolean {
    this.#begin(key)
    let isNew = false
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = this.#next()
      const at = this.#block + (bit >>> 3)
      const mask = 1 << (bit & 7)
      if ((this.#bits[at]! & mask) !== 0) continue
      this.#bits[at]! |= mask
      isNew = true
    }
    return isNew
  }

  /** Returns false for a key that was certainly never added. */
  mayHave(key: string): boolean {
    const mayHave = this.#has(key)
    this.#questions++
    if (!mayHave) this.#answered++
    if (this.#questions === QUESTIONS) {
      this.#isUseful = this.#answered >= LEAST_USE * QUESTIONS
      this.#questions = 0
      this.#answered = 0
    }
    return mayHave
  }

  #has(key: string): boolean {
    this.#begin(key)
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = this.#next()
      if ((this.#bits[this.#block + (bit >>> 3)]! & (1 << (bit & 7))) === 0) return false
    }
    return true
  }

  #next(): number {
    const bit = this.#bit & BIT_MASK
    this.#bit += this.#step
    return bit
  }

  /**
   * Makes one hash of the key (FNV-1a over pairs of characters) and mixes it in two ways. One gives
   * the block, the other the first bit and the distance between two probes (Kirsch and
   * Mitzenmacher). Two keys of the same hash are rarer than false positives are.
   */
  #begin(key: string): void {
    let hash = 0x811c9dc5
    const { length } = key
    let at = 0
    for (; at + 1 < length; at += 2)
      hash = Math.imul(hash ^ key.charCodeAt(at) ^ (key.charCodeAt(at + 1) << 16), 0x01000193)
    if (at < length) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
    const bits = mixed(hash ^ 0x9747b28c)
    this.#block = (mixed(hash) & BLOCK_MASK) * BLOCK_BYTES
    this.#bit = bits & BIT_MASK
    this.#step = ((bits >>> 9) & BIT_MASK) | 1
  }
}

/** Spreads differences in the high bits over all bits (the last step of MurmurHash3). */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return mix ^ (mix >>> 16)
}
