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
  itemGroupSchema,
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
  knownOptions,
  type OptionNames,
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

const CATEGORY_NAMES: OptionNames<CategoryQuery> = { marketplace: true, categoryId: true }
const ITEM_NAMES: OptionNames<ItemFeedQuery> = { ...CATEGORY_NAMES, scope: true, date: true }
const SNAPSHOT_NAMES: OptionNames<SnapshotQuery> = { ...CATEGORY_NAMES, snapshotDate: true }
const PRIORITY_NAMES: OptionNames<PriorityQuery> = { ...CATEGORY_NAMES, date: true }

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
  const { marketplace, categoryId, scope, date } = knownOptions(query, ITEM_NAMES, 'query')
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
  const { marketplace, categoryId, snapshotDate } = knownOptions(query, SNAPSHOT_NAMES, 'query')
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
  const { marketplace, categoryId, date } = knownOptions(query, PRIORITY_NAMES, 'query')
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
