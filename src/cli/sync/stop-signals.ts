// SIGINT and SIGTERM as an AbortSignal, for commands that have something to end. A second one ends
// the process as it always does.

import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface StopRequest {
  /** Fires with the first of them. */
  readonly signal: AbortSignal
  /** 128 plus the signal's number, as shells count. Undefined where no signal came. */
  readonly exitCode: number | undefined
  /** Gives the signals back to the process. */
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
