// The source stage over any iterable: arrays, generators, Node streams, web streams, and the
// batches of other pipelines.

import { Source } from '../stages/source'

export type AnyIterable<T> = AsyncIterable<T> | Iterable<T>

/**
 * A source over an iterable. Destroying it also destroys or cancels the iterable at once, even
 * while a read is pending.
 */
export class IterableSource<T> extends Source<T> {
  readonly #iterable: AnyIterable<T>
  #cancel = () => {}

  constructor(iterable: AnyIterable<T>) {
    super('source')
    this.#iterable = iterable
    if (isWebStream<T>(iterable)) this.#cancel = () => void iterable.cancel().catch(() => {})
  }

  protected override produce(): AnyIterable<T> {
    return isWebStream<T>(this.#iterable) ? this.#readWebStream(this.#iterable) : this.#iterable
  }

  protected override release(): Promise<void> | undefined {
    this.#cancel()
    const { destroy, lastWork } = this.#iterable as { destroy?: unknown; lastWork?: unknown }
    if (typeof destroy === 'function') destroy.call(this.#iterable)
    return typeof lastWork === 'function' ? lastWork.call(this.#iterable) : undefined
  }

  // The iterator of a web stream queues `return` behind the pending read; its reader cancels at
  // once.
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

function isWebStream<T>(value: object): value is ReadableStream<T> {
  return typeof (value as { getReader?: unknown }).getReader === 'function'
}
