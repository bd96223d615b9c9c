// Small bodies, read as a whole, within limits of size and time.

import type { FeedError, RangeResponse, WaitLimits } from '../../engine/index'
import { readInTime } from '../../engine/index'

/**
 * Returns the text of a small body and discards the response. Throws the error of `onTooLong` for a
 * body above `maxBytes`, that of `limits` after the time limit, and the failure of the body.
 */
export async function readWholeBody(
  response: RangeResponse,
  maxBytes: number,
  limits: WaitLimits,
  onTooLong: () => FeedError,
): Promise<string> {
  const parts: Uint8Array[] = []
  let leftBytes = maxBytes
  await readInTime(response, limits, part => {
    leftBytes -= part.length
    if (leftBytes < 0) throw onTooLong()
    return parts.push(part) > 0
  })
  return Buffer.concat(parts).toString('utf8')
}
