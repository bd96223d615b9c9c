// Waiting with an end: every promise that a network stands behind is waited for through here.

import { setMaxListeners } from 'node:events'

/** What may end a wait early. */
export interface WaitLimits {
  readonly signal: AbortSignal
  readonly limitMs: number
  /** The failure that a wait past `limitMs` ends with. */
  readonly onLimit: () => Error
}

/**
 * A signal of the caller's, to be listened to: one may end any number of jobs at a time, which Node
 * would take for a leak. Whoever listens stops listening when the job is over.
 */
export function listenable(signal: AbortSignal | undefined): AbortSignal | undefined {
  try {
    if (signal) setMaxListeners(0, signal)
  } catch {
    // Not one of Node's own: it does not count its listeners.
  }
  return signal
}

/**
 * The outcome of `work`, unless the limit or the signal comes first. No timer and no listener
 * outlives it.
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

/** Resolves after `delayMs`; rejects with the signal's reason at once when it fires. */
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
