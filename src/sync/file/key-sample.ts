// A sample of keys that both sides of a comparison can draw alike: by a hash of the key. It holds
// every key up to a cap, then only those of every second hash, of every fourth, and so on. So a
// share that is counted in it is that of all keys, exactly up to the cap.

import { crc32 } from '../../codec/gzip/crc32'

/**
 * Keys held at the most: some megabytes. A share that is counted among half as many is off by about
 * a hundredth at the most.
 */
const MOST_KEYS = 65_536

export class KeySample {
  readonly #mostKeys: number
  #keys = new Set<string>()
  #mask = 0

  constructor(mostKeys = MOST_KEYS) {
    this.#mostKeys = mostKeys
  }

  /** How many keys each key of the sample stands for; 1 as long as it holds all of them. */
  get scale(): number {
    return this.#mask + 1
  }

  add(key: string): void {
    if (!this.covers(key)) return
    this.#keys.add(key)
    while (this.#keys.size > this.#mostKeys) this.#halve()
  }

  /** True of keys that the sample speaks of: it has them where they were added. */
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
