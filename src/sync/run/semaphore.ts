// A semaphore: it admits so many jobs at a time, in the order in which they ask.

export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(permits: number) {
    this.#free = permits
  }

  /**
   * Runs `work` once a permit is free. A caller that is aborted while it waits keeps its place in
   * the queue, and fails with the signal's reason as soon as it has the permit.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
