// The interface of the clients to HTTP: that of RangeFetcher, and in addition a POST with a text
// body. The `next` links of lists are followed only within the origin of the request, because the
// request carries a token.

import type { RangeRequest, RangeResponse, RangeTransport } from '../../engine/index'
import { FeedError, printableUrl } from '../../engine/index'

export interface HttpRequest extends RangeRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST'
  /** The body of a POST. The headers have its Content-Type. */
  readonly body?: string
}

/** A request of any method, whose body may be bytes. */
export interface NodeRequest extends RangeRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** The body of a POST or a PUT. Its bytes have to stay as they are until the response has come. */
  readonly body?: string | Uint8Array
}

/**
 * Sends requests as a {@link RangeTransport} does. It does not follow the redirects of a POST: they
 * are the response.
 */
export interface HttpTransport extends RangeTransport {
  send(request: HttpRequest): Promise<RangeResponse>
}

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
  const reason = `the link leads away from ${base.origin}: only links within it are followed`
  throw originRefused(base, to ?? link, reason)
}

export function originRefused(from: URL, to: URL | string, reason: string): FeedError {
  const context = { from: printableUrl(from), to: printableUrl(to) }
  return new FeedError('HTTP_ORIGIN_REFUSED', reason, context)
}
