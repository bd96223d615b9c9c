// Inputs that are asked for before they are needed, between two drivers (machine.ts).

import type { Inputs, Next } from './machine'
import { isPromise, PAUSE, type Pause, type Step } from './steps'

/**
 * Asks for one item ahead wherever items are waited for, so that a stage that waits for a network
 * works while the next stage does. An item that comes without a promise is not asked for ahead:
 * that would gain nothing, and would hold one item more.
 */
export class ReadAhead<T> implements Inputs<T> {
  readonly #inputs: Inputs<T>
  #ahead: Next<T> | undefined
  #isClosed = false

  constructor(inputs: Inputs<T>) {
    this.#inputs = inputs
  }

  next(): Next<T> | undefined {
    const ahead = this.#ahead
    this.#ahead = undefined
    const step = ahead ?? this.#inputs.next()
    return step && isPromise(step) ? this.#later(step) : step
  }

  close(): void {
    this.#isClosed = true
    this.#inputs.close()
  }

  async #later(promise: Promise<Step<T | Pause>>): Promise<Step<T | Pause>> {
    const step = await promise
    if (!step.done && step.value !== PAUSE && !this.#isClosed) this.#ahead = this.#askAhead()
    return step
  }

  /**
   * A failure of the item ahead is reported in its turn, after the item before it: the run learns
   * of it only then.
   */
  #askAhead(): Next<T> | undefined {
    try {
      const step = this.#inputs.next()
      if (step && isPromise(step)) step.catch(() => {})
      return step
    } catch (error) {
      const failed = Promise.reject<Step<T>>(error)
      failed.catch(() => {})
      return failed
    }
  }
}
