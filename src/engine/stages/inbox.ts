// A queue of the inputs that were written to a stage and not yet taken. Each operation takes
// constant time, whatever the length.

export class Inbox {
  #items: unknown[] = []
  /**
   * The number of items at the front that were taken: shifting a long array is not constant time.
   */
  #taken = 0

  get length(): number {
    return this.#items.length - this.#taken
  }

  push(item: unknown): void {
    this.#items.push(item)
  }

  /** Removes and returns the oldest item. The caller checks `length` first. */
  take(): unknown {
    const item = this.#items[this.#taken]
    this.#items[this.#taken++] = undefined
    if (this.length === 0) this.clear()
    return item
  }

  clear(): void {
    this.#items = []
    this.#taken = 0
  }
}
