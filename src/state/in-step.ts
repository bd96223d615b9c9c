// A second listing in key order, which is read in step with a first one, in place of look-ups.

import { compareKeys } from './row-key'

export class InStep<R> {
  readonly #blocks: AsyncGenerator<readonly Keyed<R>[], void, void>
  #block: readonly Keyed<R>[] = []
  #at = 0
  #hasEnded = false

  constructor(blocks: AsyncGenerator<readonly Keyed<R>[], void, void>) {
    this.#blocks = blocks
  }

  /** Returns the rows of keys that are in their order, and behind those of the call before. */
  async of(keyed: readonly { readonly key: string }[]): Promise<ReadonlyMap<string, R>> {
    const found = new Map<string, R>()
    for (const { key } of keyed) {
      let order = -1
      while (order < 0) {
        const next = this.#block[this.#at]
        if (next === undefined) {
          if (this.#hasEnded) return found
          await this.#readOn()
          continue
        }
        order = compareKeys(next.key, key)
        if (order === 0) found.set(key, next.row)
        if (order <= 0) this.#at++
      }
    }
    return found
  }

  async close(): Promise<void> {
    await this.#blocks.return()
  }

  async #readOn(): Promise<void> {
    const { value, done } = await this.#blocks.next()
    this.#hasEnded = done === true
    this.#block = value ?? []
    this.#at = 0
  }
}

interface Keyed<R> {
  readonly key: string
  readonly row: R
}
