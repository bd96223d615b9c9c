// What the demo's ways have in common: the category, the service over its socket, and the result.

import { createFeedService, defineProfile, type FeedService } from '../index'
import type { ServeAddress } from './serve'

/** The emulated service's own category; its clock stands still. */
export const MARKETPLACE = 'MKT_US'
export const CATEGORY = '220'
export const SCOPE_BASE = 'https://api.market.example/oauth'

/** Ranges held or in flight at the most: what bounds the memory of a download. */
const RANGES_AHEAD = 4

/** Making a file of millions of items takes the emulated service minutes, and it answers when it is done. */
const HEADERS_TIMEOUT_MS = 600_000

/** How the files are fetched. */
export function demoRanges(chunkBytes: number): { readonly chunkBytes: number; readonly windowBytes: number } {
  return { chunkBytes, windowBytes: RANGES_AHEAD * chunkBytes }
}

/** @param now the service's clock: what its windows are reckoned from */
export function demoService(address: ServeAddress, now: Date, chunkBytes: number): FeedService {
  const profile = defineProfile({ baseUrl: address.url, tokenUrl: address.tokenUrl, scopeBase: SCOPE_BASE })
  const { clientId, clientSecret } = address
  return createFeedService(
    profile,
    { clientId, clientSecret },
    { now, headersTimeoutMs: HEADERS_TIMEOUT_MS, ranges: demoRanges(chunkBytes) },
  )
}
