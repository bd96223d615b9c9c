// A Bloom filter in memory, which knows that a new store on disk lacks a key. A first bootstrap
// reads millions of keys that the store does not have, and each such read would cost a call into
// LevelDB.

/**
 * Size of the filter: 2^25 bits. The share of false positives is one in 350 at two million keys,
 * and one in four at ten million.
 */
export const FILTER_BYTES = 2 ** 22
/** All bits of a key are in one block, which is a line of the processor's cache. */
const BLOCK_BYTES = 64
const BLOCK_MASK = FILTER_BYTES / BLOCK_BYTES - 1
const BIT_MASK = BLOCK_BYTES * 8 - 1
const PROBES = 4

export class BloomFilter {
  readonly #bits = new Uint8Array(FILTER_BYTES)
  /** Offset of the block of the key, and the bit of its next probe in that block. */
  #block = 0
  #bit = 0
  #step = 0

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
   * Makes two hashes in one pass. The first gives the block, the second the first bit and the
   * distance between two probes (Kirsch and Mitzenmacher).
   */
  #begin(key: string): void {
    let a = 0x811c9dc5
    let b = 0x9747b28c
    for (let at = 0; at < key.length; at++) {
      const unit = key.charCodeAt(at)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul(b ^ unit, 0x85ebca6b)
    }
    const bits = mixed(b)
    this.#block = (mixed(a) & BLOCK_MASK) * BLOCK_BYTES
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
