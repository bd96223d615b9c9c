// What one pass over a batch finds out about its cells.

/** What is known of the cells of a batch. It is valid until the next batch. */
export interface BatchHashes {
  /** The hash of the bytes of each cell that is not empty, in the order of the index. */
  readonly hashes: Int32Array
  /**
   * Returns 1 for each row whose cell in an aspects column needs no decoder to be known as good;
   * undefined where nothing is known.
   */
  plainAspects(column: number): Uint8Array | undefined
}
