// A second input of a stage, which the stage itself reads to its end, such as the groups of a join.
// This file owns reading it once and releasing it; the stage interprets the batches.

/** A source of batches: an array, a generator, a stage, a pipeline or a readable stream. */
export type SideSource<T> = AsyncIterable<T> | Iterable<T>

export class SideInput<T> {
  readonly #source: SideSource<T>
  #iterator: AsyncIterator<T> | Iterator<T> | undefined
  #finished = false

  constructor(source: SideSource<T>) {
    this.#source = source
  }

  /** Reads all batches, once. The caller reads to the end or calls {@link close}. */
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
   * Releases the rest of the source. It destroys a source that can be destroyed, because its
   * iterator may be waiting and would close only after that.
   */
  close(): void {
    if (this.#finished) return
    this.#finished = true
    const { destroy } = this.#source as { destroy?: unknown }
    if (typeof destroy === 'function') destroy.call(this.#source)
    // `return` is called for its clean-up only; no caller could receive a failure from here.
    try {
      const closing = (this.#iterator ?? iteratorOf(this.#source)).return?.()
      Promise.resolve(closing).catch(() => {})
    } catch {}
  }
}

function iteratorOf<T>(source: SideSource<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}
