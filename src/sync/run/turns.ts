// Turns at something that only so many may do at a time, in the order in which they asked.

export class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /**
   * Does `work` when it is its turn. One that is aborted while it waits still takes its turn, and
   * ends at once.
   */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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
