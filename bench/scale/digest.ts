// What the two states have to agree on.

export interface Digest {
  readonly items: number
  /** The sum of half an MD5 of each item: all its columns, its version, its priority, its group. */
  readonly sum: string
}

/** The columns of the files of items and of item groups. */
export interface DigestColumns {
  readonly item: readonly string[]
  readonly item_group: readonly string[]
}
