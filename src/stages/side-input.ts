// A second input of a stage, which the stage reads to its end by itself: the groups of a join.
// It owns reading it once and letting go of it; what it carries is the stage's business.

/** Batches from anywhere: an array, a generator, a stage, a pipeline, a readable stream. */
export type SideSource<T> = AsyncIterable<T> | Iterable<T>

export class SideInput<T> {
  readonly #source: SideSource<T>
  #iterator: AsyncIterator<T> | Iterator<T> | undefined
  #finished = false

  constructor(source: SideSource<T>) {
    this.#source = source
  }

  /** All of it, once. The consumer takes it to its end or calls {@link close}. */
  async *read(): AsyncGenerator<T, void, void> {
    this.#iterator = iteratorOf(this.#source)
    for (;;) {
      const result = await this.#iterator.next()
      if (result.done) break
      yield result.value
    }
    this.#finished = true
  }

  /**
   * Lets go of what was not read. A source that can be destroyed is: its iterator could be waiting,
   * and would close only after that.
   */
  close(): void {
    if (this.#finished) return
    this.#finished = true
    const { destroy } = this.#source as { destroy?: unknown }
    if (typeof destroy === 'function') destroy.call(this.#source)
    // Called for its clean-up; what it throws now has no one to go to.
    try {
      const closing = (this.#iterator ?? iteratorOf(this.#source)).return?.()
      Promise.resolve(closing).catch(() => {})
    } catch {}
  }
}

function iteratorOf<T>(source: SideSource<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}
