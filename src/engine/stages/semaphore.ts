// A semaphore: at most so many jobs at a time, started in the order in which they asked. Requests
// to one host and the files of a synchronisation are counted by it.

import { type WaitLimits, waitFor } from './wait'

export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param count jobs at a time */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits for a permit and returns the function that gives it back; further calls of that function
   * do nothing. Where `limits` end the wait, no permit is taken. Without `limits` the wait ends
   * only with a permit.
   */
  async acquire(limits?: WaitLimits): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await this.#permit(limits)
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  /**
   * Does `work` with a permit. A job whose signal fires while it waits stays in the queue, and ends
   * with the signal's reason when its permit comes.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire()
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      release()
    }
  }

  async #permit(limits: WaitLimits | undefined): Promise<void> {
    let take = () => {}
    const permit = new Promise<void>(resolve => {
      take = resolve
    })
    this.#waiting.push(take)
    if (limits === undefined) return permit
    try {
      await waitFor(permit, limits)
    } catch (error) {
      const at = this.#waiting.indexOf(take)
      // A permit that came in the same moment goes to the next job.
      if (at >= 0) this.#waiting.splice(at, 1)
      else this.#release()
      throw error
    }
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
