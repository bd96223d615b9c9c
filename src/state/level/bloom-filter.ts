// Which keys a new store on disk certainly does not have: a Bloom filter in memory. A first
// bootstrap asks for millions of keys that are not there, and every such question would cost a call
// into LevelDB.

/**
 * 2^25 bits: one key in 500 is looked for in vain at two million keys, one in four at ten million.
 */
export const FILTER_BYTES = 2 ** 22
const BIT_MASK = FILTER_BYTES * 8 - 1
const PROBES = 4

export class BloomFilter {
  readonly #bits = new Uint8Array(FILTER_BYTES)
  #hash = 0
  #step = 0

  /** @returns true where the key was certainly not there before */
  add(key: string): boolean {
    this.#begin(key)
    let isNew = false
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = this.#next()
      const at = bit >>> 3
      const mask = 1 << (bit & 7)
      if ((this.#bits[at]! & mask) !== 0) continue
      this.#bits[at]! |= mask
      isNew = true
    }
    return isNew
  }

  /** False where the key was never added. */
  mayHave(key: string): boolean {
    this.#begin(key)
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = this.#next()
      if ((this.#bits[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
    }
    return true
  }

  #next(): number {
    const bit = this.#hash & BIT_MASK
    this.#hash = (this.#hash + this.#step) | 0
    return bit
  }

  /**
   * Two hashes in one pass: the second is how far one probe is from the next (Kirsch and
   * Mitzenmacher).
   */
  #begin(key: string): void {
    let a = 0x811c9dc5
    let b = 0x9747b28c
    for (let at = 0; at < key.length; at++) {
      const unit = key.charCodeAt(at)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul(b ^ unit, 0x85ebca6b)
    }
    this.#hash = mixed(a)
    this.#step = mixed(b) | 1
  }
}

/** Spreads what differs in high bits over all (MurmurHash3's last step). */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return mix ^ (mix >>> 16)
}
