// What two states, or a state and its file, have to agree on.

import { createHash } from 'node:crypto'

export interface Digest {
  readonly items: number
  /** The sum of half an MD5 of all that is compared of each item. */
  readonly sum: string
}

/** The columns of the files of items and of item groups. */
export interface DigestColumns {
  readonly item: readonly string[]
  readonly item_group: readonly string[]
}

/** Sums half an MD5 of each text, so that the order of the texts makes no difference. */
export class TextSum {
  #items = 0
  #sum = 0n

  add(text: string): void {
    this.#items++
    this.#sum += createHash('md5').update(text).digest().readBigUInt64LE(8)
  }

  get digest(): Digest {
    return { items: this.#items, sum: this.#sum.toString() }
  }
}
