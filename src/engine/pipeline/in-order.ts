// Calls of a caller's function for the elements of one item, one after the other. The helpers that wait
// for promises share it.

import { isPromise } from '../core/steps'

/** Calls a function with one element after the other, and waits where it returns a promise. */
export class InOrder<E> {
  readonly #elements: Iterator<E>
  readonly #use: (element: E) => unknown

  constructor(elements: Iterable<E>, use: (element: E) => unknown) {
    this.#elements = elements[Symbol.iterator]()
    this.#use = use
  }

  /**
   * Returns the output once all elements were used, without a promise where nothing was waited for.
   * @param isOver tells whether the stage was destroyed while the function was waited for
   */
  before<O>(output: O, isOver: () => boolean): Iterable<O> | AsyncIterable<O> {
    const pending = this.#useUntilPromise()
    return pending === undefined ? [output] : this.#later(pending, output, isOver)
  }

  #useUntilPromise(): PromiseLike<unknown> | undefined {
    for (let step = this.#elements.next(); !step.done; step = this.#elements.next()) {
      const used = this.#use(step.value)
      if (typeof used === 'object' && isPromise(used)) return used
    }
    return undefined
  }

  async *#later<O>(
    first: PromiseLike<unknown>,
    output: O,
    isOver: () => boolean,
  ): AsyncGenerator<O, void, void> {
    let pending: PromiseLike<unknown> | undefined = first
    while (pending !== undefined) {
      await pending
      if (isOver()) return
      pending = this.#useUntilPromise()
    }
    yield output
  }
}
