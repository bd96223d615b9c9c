// All of a small body as text, within a cap on its size and a limit on its time.

import type { FeedError } from '../../errors'
import type { RangeResponse } from '../../stages/range/range-transport'
import { readInTime } from '../../stages/range/response-body'
import type { WaitLimits } from '../../stages/wait'

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
  await readInTime(response, limits, part => {
    leftBytes -= part.length
    if (leftBytes < 0) throw onTooLong()
    return parts.push(part) > 0
  })
  return Buffer.concat(parts).toString('utf8')
}
