// The check of the header fields of a request (RFC 9110, 5.1 and 5.5). A CR or LF in a value would
// let the author of that value add a header or a request.

import { excerpt, FeedError } from '../../errors'
import { anObject } from '../../options'

/** Header fields by name. HTTP ignores the case of names. */
export type RequestHeaders = Readonly<Record<string, string>>

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/**
 * Visible characters, space, tab and the upper half of Latin-1. CR, LF, NUL and other control
 * characters are excluded.
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Returns `headers` where every field can be sent. Throws HTTP_HEADER_INVALID otherwise, with the
 * name of the field and without its value, which may be secret.
 */
export function sendableHeaders<H extends RequestHeaders>(headers: H): H {
  for (const [name, value] of Object.entries(anObject('headers', headers))) {
    if (NAME.test(name) && VALUE.test(value)) continue
    const header = excerpt(JSON.stringify(name).slice(1, -1))
    throw new FeedError(
      'HTTP_HEADER_INVALID',
      `the header ${header} has characters that HTTP does not allow: remove them`,
      { header },
    )
  }
  return headers
}
