// The interface between RangeFetcher and HTTP. service/http has implementations; a caller may bring
// its own.

import type { RequestHeaders } from '../../codec/range/request-headers'

/**
 * A GET request. A transport must not add headers that change the body, such as Accept-Encoding.
 */
export interface RangeRequest {
  /** The address of the file. */
  readonly url: string
  /** The headers to send, `Range` included. */
  readonly headers: RequestHeaders
  /**
   * Ends the wait for the response at once. After the response has come, `discard` ends its body.
   */
  readonly signal: AbortSignal
  /** Number of this attempt since the last progress, from 1; for logs. Default 1. */
  readonly attempt?: number
}

export interface RangeResponse {
  /** The status code of the response. */
  readonly status: number
  /** A header's value by its lower-case name; repeated headers joined by `, `. */
  header(name: string): string | undefined
  /**
   * The body as the server sent it. It can be read once, and it is read on demand. The reader owns
   * the memory of the parts. Fails with a FeedError where the connection fails, usually
   * HTTP_TRANSPORT.
   */
  readonly body: AsyncIterable<Uint8Array>
  /**
   * Another way to read all of the body: each part is passed to `onPart` as it arrives, which costs
   * less than an iterator. A reader calls it once, and does not read `body`. Resolves when the body
   * has ended; fails as `body` does.
   */
  receive?(onPart: (bytes: Uint8Array) => void): Promise<void>
  /**
   * Drops the rest of the body and frees its connection. Further calls do nothing. Never throws.
   */
  discard(): void
}

/**
 * Sends requests. The transport follows redirects within one origin and refuses others. Fails with
 * a FeedError, whose `retryable` says whether a repeat may help.
 */
export interface RangeTransport {
  send(request: RangeRequest): Promise<RangeResponse>
}
