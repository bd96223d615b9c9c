// The files of one category as pipelines of rows: what an ingestion does with the service's clients.

import { ColumnDecoder, createFeedService, defineProfile, type FeedService, type PipelineOptions } from '../index'
import type { ServeAddress } from './serve'

const HOUR_MS = 3_600_000
const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }

/** Ranges held or in flight at the most: what bounds the memory of a download. */
const RANGES_AHEAD = 4

/** Making a file of millions of items takes the emulated service minutes, and it answers when it is done. */
const HEADERS_TIMEOUT_MS = 600_000

/** @param now the service's clock: what its windows are reckoned from */
export function demoService(address: ServeAddress, now: Date, chunkBytes: number): FeedService {
  const profile = defineProfile({ baseUrl: address.url, tokenUrl: address.tokenUrl, scopeBase: 'https://api.market.example/oauth' })
  return createFeedService(profile, address, {
    now: () => now.getTime(),
    headersTimeoutMs: HEADERS_TIMEOUT_MS,
    ranges: { chunkBytes, windowBytes: RANGES_AHEAD * chunkBytes },
  })
}

export const bootstrap = ({ feeds }: FeedService, options: PipelineOptions) =>
  feeds
    .getItemFeed({ ...CATEGORY, scope: 'ALL_ACTIVE' })
    .rows(options)
    .to(() => new ColumnDecoder())

/** The groups that belong to the bootstrap file. */
export const groups = ({ feeds }: FeedService, options: PipelineOptions) =>
  feeds
    .getItemGroupFeed({ ...CATEGORY, scope: 'ALL_ACTIVE' })
    .rows(options)
    .to(() => new ColumnDecoder())

/** The snapshot files of `count` hours from `start` on, one pipeline a file. */
export function snapshots({ feeds }: FeedService, start: Date, count: number, options: PipelineOptions) {
  return Array.from({ length: count }, (_, n) =>
    feeds
      .getItemSnapshotFeed({ ...CATEGORY, snapshotDate: new Date(start.getTime() + n * HOUR_MS) })
      .rows(options)
      .to(() => new ColumnDecoder()),
  )
}
