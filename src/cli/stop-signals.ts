// What asks a command to stop, as an AbortSignal: SIGINT, SIGTERM, and a reader of standard output that has gone away.
// A second SIGINT or SIGTERM ends the process as it always does.

import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface StopRequest {
  /** Fires with the first of them. */
  readonly signal: AbortSignal
  /** 128 and the number of the signal, as shells count; SIGPIPE's for the reader. Undefined where none came. */
  readonly exitCode: number | undefined
  /** Signals are the process's own again. */
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
  const onOutputError = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    on('SIGPIPE')
  }
  for (const signal of SIGNALS) process.on(signal, on)
  process.stdout.on('error', onOutputError)
  return {
    signal: stop.signal,
    get exitCode() {
      return exitCode
    },
    release: () => {
      for (const signal of SIGNALS) process.off(signal, on)
      // What was written last may still fail.
      if (stop.signal.aborted) return
      process.stdout.off('error', onOutputError)
    },
  }
}
