// A second listing in key order, which is read in step with a first one, in place of look-ups.

export class InStep<Second, First> {
  readonly #blocks: AsyncGenerator<readonly Second[], void, void>
  readonly #compare: (second: Second, first: First) => number
  #block: readonly Second[] = []
  #at = 0
  #hasEnded = false

  /**
   * @param blocks of the second listing
   * @param compare compares the keys of elements of both listings
   */
  constructor(
    blocks: AsyncGenerator<readonly Second[], void, void>,
    compare: (second: Second, first: First) => number,
  ) {
    this.#blocks = blocks
    this.#compare = compare
  }

  /**
   * Returns for each element of the first listing the one of the second with its key; undefined where
   * there is none.
   * @param firsts in the order of their keys, and behind those of the call before
   */
  async of(firsts: readonly First[]): Promise<readonly (Second | undefined)[]> {
    const found = new Array<Second | undefined>(firsts.length).fill(undefined)
    for (let n = 0; n < firsts.length; ) {
      const next = this.#block[this.#at]
      if (next === undefined) {
        if (this.#hasEnded) break
        await this.#readOn()
        continue
      }
      const order = this.#compare(next, firsts[n]!)
      if (order === 0) found[n] = next
      if (order <= 0) this.#at++
      if (order >= 0) n++
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
