// Lazy sequences of outputs. A sequence answers at once where it can, and with a promise only where
// it waits. This file also has `PAUSE`, with which a machine yields the thread while it works
// without an output. An async generator costs microseconds for each step and layer, so the
// sequences of the hot path are `Steps`.

export type Step<T> = IteratorResult<T, void>

/** The step at the end of a sequence. */
export const DONE: IteratorReturnResult<void> = { done: true, value: undefined }

/**
 * An element of a sequence that is no output: it means "no output yet, ask again". A machine gives
 * it after a bounded amount of work without an output (about a millisecond's), so machines need no
 * clock: the caller of the driver decides whether the event loop turns before the next step. A
 * `PAUSE` is neither counted nor passed on. The symbol is global, so that two copies of the package
 * in one process agree on it.
 */
export const PAUSE: unique symbol = Symbol.for('feedmill.pause')
export type Pause = typeof PAUSE

/** The step whose value is `PAUSE`. */
export const PAUSED: IteratorYieldResult<Pause> = { done: false, value: PAUSE }

/**
 * A sequence of one step at a time: `next` must not be called again before the last step has
 * resolved.
 */
export class Steps<T> implements AsyncIterable<T> {
  readonly next: () => Step<T> | Promise<Step<T>>

  constructor(next: () => Step<T> | Promise<Step<T>>) {
    this.next = next
  }

  /** The same steps, each as a promise. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let step = await this.next(); !step.done; step = await this.next()) yield step.value
  }
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
