// The inputs that were written to a stage and not yet taken: a queue, constant time for each item
// however long it gets.

export class Inbox {
  #items: unknown[] = []
  /** Items at the front that were taken already: shifting a long array is not constant time. */
  #taken = 0

  get length(): number {
    return this.#items.length - this.#taken
  }

  push(item: unknown): void {
    this.#items.push(item)
  }

  /** The oldest item; only where there is one. */
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
