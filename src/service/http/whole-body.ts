// All of a small body as text, within a cap on its size and a limit on its time.

import type { FeedError } from '../../errors'
import type { RangeResponse } from '../../stages/range/range-transport'
import { readBody } from '../../stages/range/response-body'
import { type WaitLimits, waitFor } from '../../stages/wait'

/**
 * Throws what `onTooLong` gives for a body past `maxBytes`, what `limits` give, and the body's own
 * failure. The response is discarded.
 */
export async function readWholeBody(
  response: RangeResponse,
  maxBytes: number,
  limits: WaitLimits,
  onTooLong: () => FeedError,
): Promise<string> {
  const parts: Uint8Array[] = []
  let leftBytes = maxBytes
  const reading = async () => {
    for await (const part of readBody(response, limits)) {
      leftBytes -= part.length
      if (leftBytes < 0) throw onTooLong()
      parts.push(part)
    }
  }
  try {
    // The limit of each part is the limit of all of them together.
    await waitFor(reading(), limits)
  } finally {
    response.discard()
  }
  return Buffer.concat(parts).toString('utf8')
}
