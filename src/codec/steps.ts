// A lazy sequence that answers at once where it can, and with a promise only where something has to be waited for.
// Async generators cost microseconds a step and a layer; sequences that lie on each other in the hot path are these instead.

export type Step<T> = IteratorResult<T, void>

/** What stands at the end of a sequence. */
export const DONE: IteratorReturnResult<void> = { done: true, value: undefined }

/** One step at a time: `next` is called again only when the last step has come. */
export class Steps<T> implements AsyncIterable<T> {
  readonly next: () => Step<T> | Promise<Step<T>>

  constructor(next: () => Step<T> | Promise<Step<T>>) {
    this.next = next
  }

  /** For whoever is not in a hurry. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let step = await this.next(); !step.done; step = await this.next()) yield step.value
  }
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
