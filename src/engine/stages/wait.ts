// Bounded waits: every promise that depends on a network is awaited through this file, and its
// semaphore lets at most so many jobs run at a time, in the order in which they asked.

import { setMaxListeners } from 'node:events'

/** The limits of a wait: what may end it early. */
export interface WaitLimits {
  readonly signal: AbortSignal
  readonly limitMs: number
  /** Makes the error of a wait that takes longer than `limitMs`. */
  readonly onLimit: () => Error
}

/**
 * Prepares a caller's signal for listeners. One signal may end any number of jobs at a time, and
 * Node would report so many listeners as a leak. Each job removes its listener when it ends.
 */
export function listenable(signal: AbortSignal | undefined): AbortSignal | undefined {
  try {
    if (signal) setMaxListeners(0, signal)
  } catch {
    // This signal is not Node's own, so nothing counts its listeners.
  }
  return signal
}

/**
 * Resolves as `work` does, unless the time limit or the signal comes first. No timer and no
 * listener remains afterwards.
 */
export function waitFor<T>(work: Promise<T>, limits: WaitLimits): Promise<T> {
  const { signal, limitMs, onLimit } = limits
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(onLimit())), limitMs)
    const onAbort = () => settle(() => reject(signal.reason))
    const settle = (outcome: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      outcome()
    }
    signal.addEventListener('abort', onAbort)
    work.then(
      value => settle(() => resolve(value)),
      error => settle(() => reject(error)),
    )
    if (signal.aborted) onAbort()
  })
}

/** The waits of a pipeline that is aborted take a second at most in all. */
const GRACE_MS = 200

/**
 * Resolves as `work` does, but behind an abort it waits for a moment only, and then rejects with
 * what `onLate` makes: nobody can stop a call that does not listen to the signal.
 */
export async function inTime<T>(
  work: PromiseLike<T>,
  signal: AbortSignal | undefined,
  onLate: () => Error,
  graceMs = GRACE_MS,
): Promise<T> {
  if (signal === undefined) return work
  let timer: NodeJS.Timeout | undefined
  let onAbort = () => {}
  const late = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(onLate()), graceMs)
    }
  })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Resolves after `delayMs`. Rejects with the signal's reason as soon as the signal is aborted. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, delayMs)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

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
