// How one request is sent, for ranges and for JSON alike: within a time limit, and once more with a
// new token after a 401. Repeats after other failures follow retries.ts. Each thing that a request
// waits for has its own limit, and every limit that is exceeded is one HTTP_TIMEOUT.

import { printableUrl } from '../../codec/range/request'
import { FeedError } from '../../errors'
import { type WaitLimits, waitFor } from '../wait'
import type { RangeRequest, RangeResponse } from './range-transport'

/** Times that one request is sent at the most: the second time after a 401, with a new token. */
export const MOST_SENDS = 2

/** Why a request is sent: for the first time, or once more because it was answered with a 401. */
export type SendReason = 'first' | 'unauthorized'

/**
 * Sends a request and waits for its response until the limits end the wait. The request is then
 * aborted, and a response that still arrives is discarded.
 */
export async function sendInTime<R extends RangeRequest>(
  transport: { send(request: R): Promise<RangeResponse> },
  request: R,
  limits: WaitLimits,
): Promise<RangeResponse> {
  const sending = new AbortController()
  // An async function turns what a transport throws at once into a rejection.
  const response = (async () => transport.send({ ...request, signal: sending.signal }))()
  try {
    return await waitFor(response, limits)
  } catch (error) {
    sending.abort(error)
    response.then(
      late => late.discard(),
      () => {},
    )
    throw error
  }
}

/**
 * Sends a request by `send`. A response with status 401 is discarded, and `send` asked once more.
 */
export async function sendRenewing(
  send: (reason: SendReason) => Promise<RangeResponse>,
): Promise<RangeResponse> {
  const response = await send('first')
  if (response.status !== 401) return response
  response.discard()
  return send('unauthorized')
}

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
