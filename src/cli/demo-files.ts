// The files of one category as pipelines of rows: what an ingestion does with the public API.

import {
  ChunkReassembler,
  ColumnDecoder,
  type Columns,
  type FeedFile,
  type FeedSchema,
  Gunzip,
  itemGroupSchema,
  itemSchema,
  itemSnapshotSchema,
  type Pipeline,
  type PipelineOptions,
  pipeline,
  RangeFetcher,
  type RangeTransport,
  type RowBatch,
  TsvRowParser,
} from '../index'

const HOUR_MS = 3_600_000
const MARKETPLACE = 'MKT_US'
const CATEGORY_ID = '220'

/** Ranges held or in flight at the most: what bounds the memory of a download. */
const RANGES_AHEAD = 4

export interface FeedAccess {
  readonly url: string
  readonly token: string
  readonly transport: RangeTransport
  readonly chunkBytes: number
  /** For every file: progress, counters, abort. */
  readonly options: PipelineOptions
}

/** Rows of the bootstrap file. @param generated its Last-Modified: what its rows' age is reckoned from */
export const bootstrap = (access: FeedAccess, generated: Date) =>
  rows(access, 'item?feed_scope=ALL_ACTIVE', itemSchema, { feed: 'item', scope: 'ALL_ACTIVE', lastModified: generated })

/** Rows of the item groups that belong to the bootstrap file. */
export const groups = (access: FeedAccess) =>
  rows(access, 'item_group?feed_scope=ALL_ACTIVE', itemGroupSchema, { feed: 'item_group', scope: 'ALL_ACTIVE' })

/** Rows of the snapshot files of `count` hours from `start` on, one pipeline a file. */
export function snapshots(access: FeedAccess, start: Date, count: number) {
  return Array.from({ length: count }, (_, n) => {
    const hour = new Date(start.getTime() + n * HOUR_MS)
    return rows(access, `item_snapshot?snapshot_date=${hour.toISOString()}`, itemSnapshotSchema, { feed: 'item_snapshot', hour })
  })
}

function rows<C extends Columns>(access: FeedAccess, query: string, schema: FeedSchema<C>, file: FeedFile): Pipeline<RowBatch<C>> {
  const { transport, chunkBytes } = access
  const url = `${access.url}/buy/feed/v1_beta/${query}&category_id=${CATEGORY_ID}`
  const headers = {
    Authorization: `Bearer ${access.token}`,
    'X-MKT-C-MARKETPLACE-ID': MARKETPLACE,
    Accept: 'application/json,text/tab-separated-values',
  }
  return pipeline(() => new RangeFetcher({ url, transport, headers, chunkBytes, windowBytes: RANGES_AHEAD * chunkBytes }), access.options)
    .to(() => new ChunkReassembler())
    .to(() => new Gunzip())
    .to(() => new TsvRowParser({ schema, file: { marketplace: MARKETPLACE, categoryId: CATEGORY_ID, ...file } }))
    .to(() => new ColumnDecoder<C>())
}
