// What the clients need of HTTP: the range fetcher's transport, and beside GET a POST with a text
// body.

import type {
  RangeRequest,
  RangeResponse,
  RangeTransport,
} from '../../stages/range/range-transport'

export interface HttpRequest extends RangeRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST'
  /** Of a POST; its Content-Type is among the headers. */
  readonly body?: string
}

/**
 * Sends requests as a {@link RangeTransport} does. Redirects of a GET are followed within one
 * origin; those of a POST are not followed: they are the answer.
 */
export interface HttpTransport extends RangeTransport {
  send(request: HttpRequest): Promise<RangeResponse>
}
