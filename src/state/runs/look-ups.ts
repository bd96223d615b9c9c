// Look-ups of single keys that wait at the same time. They are made in the order of the keys, a few at
// once, so that those in one block follow each other and the block is read once.

import { compareKeys, turnIfDue } from '../../engine/index'

/** Node decompresses four pages at the same time, while others are read and parsed. */
const MOST_AT_ONCE = 8

interface Waiting<T> {
  readonly key: string
  resolve(found: T): void
  reject(error: unknown): void
}

export class LookUps<T> {
  readonly #lookUp: (key: string) => Promise<T>
  #arrived: Waiting<T>[] = []
  /** The next one is the last. */
  #ordered: Waiting<T>[] = []
  #atOnce = 0

  constructor(lookUp: (key: string) => Promise<T>) {
    this.#lookUp = lookUp
  }

  find(key: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#arrived.push({ key, resolve, reject })
      if (this.#atOnce < MOST_AT_ONCE) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#atOnce++
    // The caller may ask for more keys before it waits.
    await undefined
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      try {
        next.resolve(await this.#lookUp(next.key))
      } catch (error) {
        next.reject(error)
      }
      const turn = turnIfDue()
      if (turn !== undefined) await turn
    }
    this.#atOnce--
  }

  #next(): Waiting<T> | undefined {
    if (this.#ordered.length === 0 && this.#arrived.length > 0) {
      this.#ordered = interleaved(this.#arrived.sort((a, b) => compareKeys(b.key, a.key)))
      this.#arrived = []
    }
    return this.#ordered.pop()
  }
}

/** Takes one of each part in turn, so that those that are made at once are in different blocks. */
function interleaved<T>(sorted: readonly T[]): T[] {
  const length = Math.ceil(sorted.length / MOST_AT_ONCE)
  const order: T[] = []
  for (let n = 0; n < length; n++)
    for (let at = n; at < sorted.length; at += length) order.push(sorted[at]!)
  return order
}
