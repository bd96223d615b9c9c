// What two merges have to agree on.

export interface Digest {
  readonly items: number
  /** The sum of half an MD5 of each item: all its columns, its version, its priority. */
  readonly sum: string
}
