// The time limits of a request. Each thing that a request waits for has its own limit, and every
// limit that is exceeded is one HTTP_TIMEOUT, for ranges and for JSON alike.

import { printableUrl } from '../../codec/range/printable-url'
import { FeedError } from '../../errors'
import type { WaitLimits } from '../wait'

/** What a request waits for, in this order, with the phase and the words of its HTTP_TIMEOUT. */
const WAITS = {
  token: { phase: 'token', missing: 'no token' },
  turn: { phase: 'queue', missing: 'no turn for the request' },
  response: { phase: 'headers', missing: 'no response' },
  nextBytes: { phase: 'body', missing: 'no further bytes' },
  wholeBody: { phase: 'body', missing: 'no whole body' },
} as const

export interface LimitedWait {
  /** The address of the request; errors show its printable form. */
  readonly url: string
  readonly signal: AbortSignal
  readonly limitMs: number
  /** Where the range starts in the file; left out for a request that is no range. */
  readonly byteOffset?: number
}

/** Returns the limits of one wait. A wait past `limitMs` ends with HTTP_TIMEOUT. */
export function timeLimit(
  wait: keyof typeof WAITS,
  { url, signal, limitMs, byteOffset }: LimitedWait,
): WaitLimits {
  const { phase, missing } = WAITS[wait]
  const onLimit = () =>
    new FeedError('HTTP_TIMEOUT', `${missing} came in ${limitMs} ms`, {
      url: printableUrl(url),
      phase,
      limitMs,
      ...(byteOffset !== undefined && { byteOffset }),
    })
  return { signal, limitMs, onLimit }
}
