// What a transport of the caller's own may throw, as a typed failure of the connection.

import { excerpt, FeedError } from '../errors'

/** A FeedError as it is; anything else as HTTP_TRANSPORT with the original as its cause. */
export function asTransportError(error: unknown, url: string, byteOffset?: number): FeedError {
  if (FeedError.is(error)) return error
  const text = excerpt(error instanceof Error ? error.message : String(error))
  const context = byteOffset === undefined ? { url } : { url, byteOffset }
  return new FeedError('HTTP_TRANSPORT', `the connection failed: ${text}`, context, { cause: error })
}
