// The interface of the clients to HTTP: that of RangeFetcher, and in addition a POST with a text
// body.

import type { RangeRequest, RangeResponse, RangeTransport } from '../../engine/index'

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
