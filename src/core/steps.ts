// Lazy sequences of outputs: one that answers at once where it can, and with a promise only where
// something has to be waited for; and the mark by which a machine that works without giving an
// output lets go of the thread. An async generator costs microseconds for each step and layer, so
// the sequences of the hot path are `Steps`.

export type Step<T> = IteratorResult<T, void>

/** What stands at the end of a sequence. */
export const DONE: IteratorReturnResult<void> = { done: true, value: undefined }

/**
 * Stands in a sequence where an output would: "nothing yet, ask again". A machine gives it after a
 * bounded amount of work without an output (about a millisecond's), and so needs no clock: whoever
 * drives it decides whether the event loop turns before the next step. It is no output, and is
 * neither counted nor handed on. Two copies of the package in one process share the symbol.
 */
export const PAUSE: unique symbol = Symbol.for('feedmill.pause')
export type Pause = typeof PAUSE

/** The step that gives it. */
export const PAUSED: IteratorYieldResult<Pause> = { done: false, value: PAUSE }

/** One step at a time: `next` is called again only when the last step has come. */
export class Steps<T> implements AsyncIterable<T> {
  readonly next: () => Step<T> | Promise<Step<T>>

  constructor(next: () => Step<T> | Promise<Step<T>>) {
    this.next = next
  }

  /** The same steps, each with a promise. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let step = await this.next(); !step.done; step = await this.next()) yield step.value
  }
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
