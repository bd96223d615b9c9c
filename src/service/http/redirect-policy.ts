// Where a request may go on to: a redirect's target or a `next` link is followed within the origin
// it came from, and nowhere else, because the request carries a token. Nothing is sent to a refused
// target.

import { printableUrl } from '../../codec/range/printable-url'
import { requestUrl } from '../../codec/range/request-url'
import { FeedError } from '../../errors'
import type { RangeResponse } from '../../stages/range/range-transport'
import type { HttpRequest } from './http-transport'

/** Hops that one request may take. */
const MAX_HOPS = 5

/** Statuses with which a Location header names where the resource is now (RFC 9110, 15.4). */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * `link`, relative or absolute, as a URL of the same origin as `from` and without user info. Throws
 * HTTP_ORIGIN_REFUSED.
 */
export function sameOriginUrl(from: string | URL, link: string): URL {
  const base = new URL(from)
  const to = URL.canParse(link, base.href) ? new URL(link, base) : undefined
  // The origin of a blob: URL is that of the address inside it.
  const isSame = to?.protocol === base.protocol && to.origin === base.origin
  if (to && isSame && to.username === '' && to.password === '') return to
  const context = { from: printableUrl(base), to: printableUrl(to ?? link) }
  throw new FeedError('HTTP_ORIGIN_REFUSED', `the link leads away from ${base.origin}`, context)
}

/**
 * Sends a request by `sendOnce` and follows its redirects, those of a GET only: a POST that is sent
 * on has been received twice. Responses that were followed are discarded. Throws
 * HTTP_ORIGIN_REFUSED, HTTP_REDIRECT_LOOP, and OPTION_INVALID for a URL that nothing can be sent
 * to.
 */
export async function followRedirects(
  { url, method }: Pick<HttpRequest, 'url' | 'method'>,
  sendOnce: (url: URL) => Promise<RangeResponse>,
): Promise<RangeResponse> {
  let at = requestUrl(url)
  if (method === 'POST') return sendOnce(at)
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const response = await sendOnce(at)
    const location = REDIRECT_STATUSES.has(response.status)
      ? response.header('location')
      : undefined
    if (location === undefined) return response
    response.discard()
    at = sameOriginUrl(at, location)
  }
  throw new FeedError('HTTP_REDIRECT_LOOP', `more than ${MAX_HOPS} redirects`, {
    url: printableUrl(url),
    hops: MAX_HOPS,
  })
}
