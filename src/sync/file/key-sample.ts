// A sample of keys, chosen by a hash of the key so that both sides of a comparison choose the same
// keys. It holds every key up to a limit, then the keys of every second hash, of every fourth, and
// so on. A share that is counted in the sample estimates the share of all keys, and is exact up to
// the limit.

import { crc32 } from '../../engine/index'

/**
 * Limit of the keys in the sample, which take some megabytes. A share that is counted among half as
 * many has an error of about one hundredth.
 */
const MOST_KEYS = 65_536

export class KeySample {
  readonly #mostKeys: number
  #keys = new Set<string>()
  #mask = 0

  constructor(mostKeys = MOST_KEYS) {
    this.#mostKeys = mostKeys
  }

  /** Number of keys that each key of the sample represents; 1 while the sample holds all keys. */
  get scale(): number {
    return this.#mask + 1
  }

  add(key: string): void {
    if (!this.covers(key)) return
    this.#keys.add(key)
    while (this.#keys.size > this.#mostKeys) this.#halve()
  }

  /** Returns true for a key of the chosen hashes, which the sample has where it was added. */
  covers(key: string): boolean {
    return (hashOf(key) & this.#mask) === 0
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  #halve(): void {
    this.#mask = this.#mask * 2 + 1
    this.#keys = new Set([...this.#keys].filter(key => this.covers(key)))
  }
}

function hashOf(key: string): number {
  return crc32(Buffer.from(key))
}
