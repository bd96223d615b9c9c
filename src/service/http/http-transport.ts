// The interface of the clients to HTTP: that of RangeFetcher, and in addition a POST with a text
// body. Redirects and `next` links are followed only within the origin of the request, because the
// request carries a token. Nothing is sent to another origin.

import type { RangeRequest, RangeResponse, RangeTransport } from '../../engine/index'
import { FeedError, printableUrl, requestUrl } from '../../engine/index'

export interface HttpRequest extends RangeRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST'
  /** The body of a POST. The headers have its Content-Type. */
  readonly body?: string
}

/**
 * Sends requests as a {@link RangeTransport} does. It follows the redirects of a GET within one
 * origin. It does not follow those of a POST: they are the response.
 */
export interface HttpTransport extends RangeTransport {
  send(request: HttpRequest): Promise<RangeResponse>
}

/** The limit of redirects of one request. */
const MAX_HOPS = 5

/** Statuses whose Location header is the new address of the resource (RFC 9110, 15.4). */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Returns `link`, relative to `from` or absolute, as a URL of the same origin without user info.
 * Throws HTTP_ORIGIN_REFUSED for any other.
 */
export function sameOriginUrl(from: string | URL, link: string): URL {
  const base = new URL(from)
  const to = URL.canParse(link, base.href) ? new URL(link, base) : undefined
  // A blob: URL has the origin of the address inside it, so the protocol is compared too.
  const isSame = to?.protocol === base.protocol && to.origin === base.origin
  if (to && isSame && to.username === '' && to.password === '') return to
  const context = { from: printableUrl(base), to: printableUrl(to ?? link) }
  throw new FeedError(
    'HTTP_ORIGIN_REFUSED',
    `the link leads away from ${base.origin}: only links within it are followed`,
    context,
  )
}

/**
 * Sends a request by `sendOnce` and follows its redirects. The redirects of a POST are not
 * followed, because the service would receive it twice. Followed responses are discarded. Throws
 * HTTP_ORIGIN_REFUSED, HTTP_REDIRECT_LOOP, and OPTION_INVALID for an invalid URL.
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
  const message = `the request was redirected more than ${MAX_HOPS} times: check the address`
  throw new FeedError('HTTP_REDIRECT_LOOP', message, { url: printableUrl(url), hops: MAX_HOPS })
}
