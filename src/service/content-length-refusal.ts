// The one complaint of an HTTP parser that has a code of its own here: a Content-Length that is repeated, conflicting or no number.

import { FeedError } from '../errors'

/** HTTP_CONTENT_LENGTH where a client stopped at that header before the response was through; both clients name it then, and only then. */
export function contentLengthRefusal(error: unknown, url: string): FeedError | undefined {
  if (FeedError.is(error) || !/content[-_]length/i.test(`${error} ${(error as { code?: unknown } | undefined)?.code}`)) return undefined
  const message = 'Content-Length is repeated, conflicting or not a number'
  return new FeedError('HTTP_CONTENT_LENGTH', message, { url, received: '' }, { cause: error })
}
