// The routes. The only file that knows hono: what is behind a route is a function from Request to Response.

import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { FeedName } from './feed-file'
import type { FeedService } from './feed-service'
import type { TokenIssuer } from './tokens'

/** Paths of the emulated service, relative to its address. */
export const TOKEN_PATH = '/identity/v1/oauth2/token'
export const FEED_BASE_PATH = '/buy/feed/v1_beta'

const FEED_PATHS: readonly FeedName[] = ['item', 'item_group', 'item_snapshot', 'item_priority']
const TOKEN_BODY_BYTES = 16 * 1024

export interface AppParts {
  readonly feeds: FeedService
  readonly tokens: TokenIssuer
}

/** The whole service as one function from request to response. It does not throw. */
export function createApp({ feeds, tokens }: AppParts): (request: Request) => Promise<Response> {
  const app = new Hono()
  app.post(TOKEN_PATH, bodyLimit({ maxSize: TOKEN_BODY_BYTES }), context => tokens.answer(context.req.raw))
  for (const feed of FEED_PATHS) app.get(`${FEED_BASE_PATH}/${feed}`, context => feeds.answer(feed, context.req.raw))
  app.onError(() => feeds.failure())
  return async request => app.fetch(request)
}
