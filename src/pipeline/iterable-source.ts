// Any iterable as the first stage of a pipeline: arrays, generators, Node streams, web streams, other pipelines' batches.

import { Source } from '../stages/source'

/** How long a source may go on without letting the event loop turn. */
const SLICE_MS = 20

export type AnyIterable<T> = AsyncIterable<T> | Iterable<T>

/** Destroying it also destroys or cancels what it reads from, at once, even in the middle of a pending read. */
export class IterableSource<T> extends Source<T> {
  readonly #iterable: AnyIterable<T>
  #cancel = () => {}

  constructor(iterable: AnyIterable<T>) {
    super('source')
    this.#iterable = iterable
  }

  protected override produce(): AsyncIterable<T> {
    return new InSlices(isWebStream<T>(this.#iterable) ? this.#readWebStream(this.#iterable) : this.#iterable)
  }

  protected override release(): void {
    this.#cancel()
    const { destroy } = this.#iterable as { destroy?: unknown }
    if (typeof destroy === 'function') destroy.call(this.#iterable)
  }

  // A web stream's own iterator puts `return` behind the pending read; its reader cancels at once.
  async *#readWebStream(stream: ReadableStream<T>): AsyncGenerator<T, void, void> {
    const reader = stream.getReader()
    this.#cancel = () => void reader.cancel().catch(() => {})
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  }
}

/**
 * The same items, with a pause for the event loop now and then: a source that never waits would keep timers,
 * sockets and an abort from being heard until its last item.
 */
class InSlices<T> implements AsyncIterable<T>, AsyncIterator<T, void> {
  readonly #items: Iterator<T, void> | AsyncIterator<T, void>
  #pausedAt = performance.now()

  constructor(items: AnyIterable<T>) {
    this.#items = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  }

  async next(): Promise<IteratorResult<T, void>> {
    if (performance.now() - this.#pausedAt > SLICE_MS) {
      await new Promise(resolve => setImmediate(resolve))
      this.#pausedAt = performance.now()
    }
    return this.#items.next()
  }

  async return(): Promise<IteratorResult<T, void>> {
    await this.#items.return?.()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

function isWebStream<T>(value: object): value is ReadableStream<T> {
  return typeof (value as { getReader?: unknown }).getReader === 'function'
}
