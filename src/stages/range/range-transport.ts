// The one small interface between RangeFetcher and HTTP. Adapters live in service/; a test or a
// user may bring another.

import type { RequestHeaders } from '../../codec/range/request-headers'

/**
 * A GET request. Whoever sends it adds nothing that changes the body: no Accept-Encoding of its
 * own.
 */
export interface RangeRequest {
  readonly url: string
  readonly headers: RequestHeaders
  /** Ends the wait for the response at once. Once a response was given, `discard` ends it. */
  readonly signal: AbortSignal
}

export interface RangeResponse {
  readonly status: number
  /** A header's value by its lower-case name; repeated headers joined by `, `. */
  header(name: string): string | undefined
  /**
   * The body as the server sent it, read once, on demand: nothing is pulled while nobody asks. The
   * parts belong to the reader. Fails with a FeedError when the connection does, HTTP_TRANSPORT in
   * general.
   */
  readonly body: AsyncIterable<Uint8Array>
  /**
   * The body in another way, for who takes all of it: each part is handed to `onPart` as it
   * arrives, for a fraction of what a step of an iterator costs. Called once, and not where `body`
   * is read. Settles when the body has ended; fails as `body` does.
   */
  receive?(onPart: (bytes: Uint8Array) => void): Promise<void>
  /**
   * Gives up what is left of the body and frees its connection; no-op when there is nothing left.
   * Never throws.
   */
  discard(): void
}

/**
 * Sends requests. Redirects are the transport's own: it follows them within one origin and refuses
 * the rest. Fails with a FeedError; `retryable` on it says whether another attempt makes sense.
 */
export interface RangeTransport {
  send(request: RangeRequest): Promise<RangeResponse>
}
