// Turns SIGINT and SIGTERM into an AbortSignal, for commands that have work to stop. A second
// signal ends the process at once, which is the default of Node.

import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface StopRequest {
  /** Fires with the first signal. */
  readonly signal: AbortSignal
  /**
   * The exit code after a signal: 128 plus the number of the signal. Undefined while no signal has
   * come.
   */
  readonly exitCode: number | undefined
  /** Removes the listeners, so that signals have their default effect again. */
  release(): void
}

export function stopRequest(): StopRequest {
  const stop = new AbortController()
  let exitCode: number | undefined
  const on = (name: NodeJS.Signals) => {
    exitCode ??= 128 + constants.signals[name]
    for (const signal of SIGNALS) process.off(signal, on)
    stop.abort()
  }
  for (const signal of SIGNALS) process.on(signal, on)
  return {
    signal: stop.signal,
    get exitCode() {
      return exitCode
    },
    release: () => {
      for (const signal of SIGNALS) process.off(signal, on)
    },
  }
}

/**
 * Runs work that a signal stops. A failure after a signal is the stop: the exit code is that of the
 * signal then.
 * @param onStop called after a stop
 */
export async function untilSignal(
  work: (signal: AbortSignal) => Promise<void>,
  onStop: () => void = () => {},
): Promise<void> {
  const stop = stopRequest()
  try {
    await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.exitCode = stop.exitCode
    onStop()
  } finally {
    stop.release()
  }
}
