// Bounded waits: every promise that depends on a network is awaited through this file.

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
