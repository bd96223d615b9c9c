// How one request is sent, for ranges and for JSON alike: within a time limit, and once more with a
// new token after a 401. Repeats after other failures follow retries.ts.

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
