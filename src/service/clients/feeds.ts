// The client of the four beta feeds: item, item group, hourly snapshot, item priority
// (item-feeds.md, section 3).

import type {
  Columns,
  FeedFile,
  FeedSchema,
  ItemPriorityColumns,
  ItemSnapshotColumns,
} from '../../engine/index'
import {
  is,
  itemGroupSchema,
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
  type OptionTable,
  readOptions,
} from '../../engine/index'
import type { OperationName } from '../operations'
import type { FeedDownload } from './feed-download'
import { hourText, type RequestChecks } from './request-checks'
import type { ServiceCore } from './service-core'

/** The files of one top-level category in one marketplace. */
export interface CategoryQuery {
  /** The marketplace, such as MKT_US. */
  readonly marketplace: string
  /** The identifier of a top-level category. */
  readonly categoryId: string
}

/**
 * The latest bootstrap file, or the daily file of a day of UTC-7, `yyyyMMdd`. The service keeps 14
 * daily files.
 */
export type ItemFeedQuery = CategoryQuery &
  (
    | {
        /** The kind of file: all active items, or those that were listed on a day. */
        readonly scope: 'ALL_ACTIVE'
        /** The day of a NEWLY_LISTED file, which is required there. Default: none. */
        readonly date?: undefined
      }
    | { readonly scope: 'NEWLY_LISTED'; readonly date: string }
  )

export interface SnapshotQuery extends CategoryQuery {
  /**
   * A whole hour of UTC, as a Date or as `yyyy-MM-ddThh:00:00.000Z`. The file has the changes of
   * that hour.
   */
  readonly snapshotDate: Date | string
}

export interface PriorityQuery extends CategoryQuery {
  /** `yyyyMMdd`, at most 14 days in the past. */
  readonly date: string
}

export type Feeds = ReturnType<typeof feedsOf>

/** The documented header Accept of all four feeds. Errors come as JSON. */
const ACCEPT = 'application/json,text/tab-separated-values'
const SCOPES = ['ALL_ACTIVE', 'NEWLY_LISTED'] as const

const CATEGORY = { marketplace: is.any, categoryId: is.any } satisfies OptionTable<CategoryQuery>
const ITEM = { ...CATEGORY, scope: is.any, date: is.any } satisfies OptionTable<ItemFeedQuery>
const SNAPSHOT = { ...CATEGORY, snapshotDate: is.any } satisfies OptionTable<SnapshotQuery>
const PRIORITY = { ...CATEGORY, date: is.any } satisfies OptionTable<PriorityQuery>

/** Returns the client of the feeds. All calls throw REQUEST_INVALID before anything is sent. */
export function feedsOf(core: ServiceCore) {
  return {
    getItemFeed: (query: ItemFeedQuery) => scoped(core, 'getItemFeed', itemSchema, query),
    getItemGroupFeed: (query: ItemFeedQuery) =>
      scoped(core, 'getItemGroupFeed', itemGroupSchema, query),
    getItemSnapshotFeed: (query: SnapshotQuery) => snapshot(core, query),
    /** Read the daily item and item group feeds before this feed. */
    getItemPriorityFeed: (query: PriorityQuery) => priority(core, query),
  }
}

function scoped<C extends Columns>(
  core: ServiceCore,
  operation: 'getItemFeed' | 'getItemGroupFeed',
  schema: FeedSchema<C>,
  query: ItemFeedQuery,
): FeedDownload<C> {
  const { marketplace, categoryId, scope, date } = readOptions(query, ITEM, 'query')
  const checks = checksOf(core, operation, query)
  checks.oneOf('scope', scope, SCOPES)
  if (scope === 'NEWLY_LISTED') checks.date(date, core.profile.limits.dailyDays)
  const daily = date === undefined ? {} : { date }
  return core.download(operation, {
    schema,
    marketplace,
    query: { feed_scope: scope, category_id: categoryId, date },
    file: { feed: schema.name as FeedFile['feed'], marketplace, categoryId, scope, ...daily },
    names: [marketplace, categoryId, scope, date],
    accept: ACCEPT,
  })
}

function snapshot(core: ServiceCore, query: SnapshotQuery): FeedDownload<ItemSnapshotColumns> {
  const { marketplace, categoryId, snapshotDate } = readOptions(query, SNAPSHOT, 'query')
  checksOf(core, 'getItemSnapshotFeed', query).hour('snapshotDate', snapshotDate)
  const hour = snapshotDate === undefined ? undefined : hourText(snapshotDate)
  return core.download('getItemSnapshotFeed', {
    schema: itemSnapshotSchema,
    marketplace,
    query: { category_id: categoryId, snapshot_date: hour },
    file: { feed: 'item_snapshot', marketplace, categoryId, hour: new Date(snapshotDate) },
    names: [marketplace, categoryId, hour],
    accept: ACCEPT,
  })
}

function priority(core: ServiceCore, query: PriorityQuery): FeedDownload<ItemPriorityColumns> {
  const { marketplace, categoryId, date } = readOptions(query, PRIORITY, 'query')
  checksOf(core, 'getItemPriorityFeed', query).date(date, core.profile.limits.priorityDays)
  return core.download('getItemPriorityFeed', {
    schema: itemPrioritySchema,
    marketplace,
    query: { category_id: categoryId, date },
    file: { feed: 'item_priority', marketplace, categoryId, date },
    names: [marketplace, categoryId, date],
    accept: ACCEPT,
  })
}

/** Returns the checks of a request whose category is checked. */
function checksOf(
  core: ServiceCore,
  operation: OperationName,
  { marketplace, categoryId }: CategoryQuery,
): RequestChecks {
  const checks = core.checks(operation)
  checks.marketplace(marketplace)
  checks.category(categoryId)
  return checks
}
