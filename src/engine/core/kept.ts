// Inputs for a reader that keeps them, between two drivers (machine.ts).

import type { Inputs, Next } from './machine'
import { isPromise, type Pause, type Step } from './steps'

/**
 * Copies the bytes of items whose maker may fill their memory again when the next one is asked for:
 * blocks, and pieces that have one.
 */
export class Kept<T> implements Inputs<T> {
  readonly #inputs: Inputs<T>

  constructor(inputs: Inputs<T>) {
    this.#inputs = inputs
  }

  next(): Next<T> | undefined {
    const step = this.#inputs.next()
    return step && isPromise(step) ? step.then(copied) : step && copied(step)
  }

  close(): void {
    this.#inputs.close()
  }
}

function copied<T>(step: Step<T | Pause>): Step<T | Pause> {
  const { value } = step as { value: unknown }
  if (value instanceof Uint8Array) return { done: false, value: copyOf(value) as T }
  const { offset, bytes } = (value ?? {}) as { readonly offset?: unknown; readonly bytes?: unknown }
  if (offset === undefined || !(bytes instanceof Uint8Array)) return step
  return { done: false, value: { offset, bytes: copyOf(bytes) } as T }
}

/** The method `slice` of a Buffer is no copy. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes)
}
