// What stops a command, as an AbortSignal: SIGINT, SIGTERM, and a standard output that is full or that nobody reads any more.
// A second SIGINT or SIGTERM ends the process as it always does.

import { constants } from 'node:os'
import { type FeedError, sinkFailed } from '../index'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface StopRequest {
  /** Fires with the first of them. */
  readonly signal: AbortSignal
  /** 128 plus the signal's number, as shells count. Undefined where no signal came. */
  readonly exitCode: number | undefined
  /** Why standard output cannot be written: the command has to fail with it. */
  readonly failure: FeedError<'SINK_FAILED'> | undefined
  /** Gives the signals back to the process. */
  release(): void
}

export function stopRequest(): StopRequest {
  const stop = new AbortController()
  let exitCode: number | undefined
  let failure: FeedError<'SINK_FAILED'> | undefined
  const on = (name: NodeJS.Signals) => {
    exitCode ??= 128 + constants.signals[name]
    for (const signal of SIGNALS) process.off(signal, on)
    stop.abort()
  }
  const onOutputError = (error: NodeJS.ErrnoException) => {
    failure ??= sinkFailed('standard output', 'standard output', error)
    stop.abort(failure)
  }
  for (const signal of SIGNALS) process.on(signal, on)
  process.stdout.on('error', onOutputError)
  return {
    signal: stop.signal,
    get exitCode() {
      return exitCode
    },
    get failure() {
      return failure
    },
    release: () => {
      for (const signal of SIGNALS) process.off(signal, on)
      // What was written last may still fail.
      if (stop.signal.aborted) return
      process.stdout.off('error', onOutputError)
    },
  }
}
