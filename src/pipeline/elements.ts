// The elements of a run, one by one, for `for await`.

import type { ElementOf } from './batch'
import { elementsOf } from './batch'
import type { Run } from './run'

/**
 * An async iterator over the elements of all items. Written by hand: inside a batch the next element is at hand,
 * and an async generator would make several promises for each.
 */
export class ElementIterator<T> implements AsyncIterableIterator<ElementOf<T>> {
  readonly #run: Run
  readonly #items: AsyncIterator<T>
  #elements: Iterator<ElementOf<T>> | undefined

  constructor(run: Run) {
    this.#run = run
    this.#items = (run.output as AsyncIterable<T>)[Symbol.asyncIterator]()
  }

  next(): Promise<IteratorResult<ElementOf<T>>> {
    const result = this.#elements?.next()
    return result && !result.done ? Promise.resolve(result) : this.#nextItem()
  }

  async return(): Promise<IteratorResult<ElementOf<T>>> {
    this.#run.close()
    await this.#items.return?.()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #nextItem(): Promise<IteratorResult<ElementOf<T>>> {
    for (;;) {
      const item = await this.#items.next()
      if (item.done) return this.return()
      this.#elements = elementsOf(item.value)[Symbol.iterator]()
      const result = this.#elements.next()
      if (!result.done) return result
    }
  }
}
