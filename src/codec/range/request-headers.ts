// The rule for header fields that a request may carry (RFC 9110, 5.1 and 5.5).
// A CR or LF in a value would start a header, or a request, of somebody else's choosing.

import { excerpt, FeedError } from '../../errors'

/** Header fields by name; names are compared without regard to case by HTTP. */
export type RequestHeaders = Readonly<Record<string, string>>

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/**
 * Visible characters, space, tab and the upper half of Latin-1: no CR, LF, NUL or other control.
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Returns `headers` when every field can be sent, else throws HTTP_HEADER_INVALID, which names the
 * field and not its value.
 */
export function sendableHeaders<H extends RequestHeaders>(headers: H): H {
  for (const [name, value] of Object.entries(headers)) {
    if (NAME.test(name) && VALUE.test(value)) continue
    const header = excerpt(JSON.stringify(name).slice(1, -1))
    throw new FeedError('HTTP_HEADER_INVALID', `header ${header} cannot be sent`, { header })
  }
  return headers
}
