// The client of the four beta feeds: item, item group, hourly snapshot, item priority
// (item-feeds.md, section 3).

import type { FeedFile } from '../../engine/index'
import {
  type ItemColumns,
  type ItemGroupColumns,
  type ItemPriorityColumns,
  type ItemSnapshotColumns,
  itemGroupSchema,
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
  knownOptions,
  type OptionNames,
} from '../../engine/index'
import type { FeedDownload } from './feed-download'
import { hourText } from './request-checks'
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

/** The client of the feeds. All calls throw REQUEST_INVALID before anything is sent. */
export interface Feeds {
  getItemFeed(query: ItemFeedQuery): FeedDownload<ItemColumns>
  getItemGroupFeed(query: ItemFeedQuery): FeedDownload<ItemGroupColumns>
  getItemSnapshotFeed(query: SnapshotQuery): FeedDownload<ItemSnapshotColumns>
  /** Read the daily item and item group feeds before this feed. */
  getItemPriorityFeed(query: PriorityQuery): FeedDownload<ItemPriorityColumns>
}

/** The documented header Accept of all four feeds. Errors come as JSON. */
const ACCEPT = 'application/json,text/tab-separated-values'
const SCOPES = ['ALL_ACTIVE', 'NEWLY_LISTED'] as const

const ITEM_NAMES: OptionNames<ItemFeedQuery> = {
  marketplace: true,
  categoryId: true,
  scope: true,
  date: true,
}
const SNAPSHOT_NAMES: OptionNames<SnapshotQuery> = {
  marketplace: true,
  categoryId: true,
  snapshotDate: true,
}
const PRIORITY_NAMES: OptionNames<PriorityQuery> = {
  marketplace: true,
  categoryId: true,
  date: true,
}

export function feedsOf(core: ServiceCore): Feeds {
  return {
    getItemFeed: query =>
      core.download('getItemFeed', {
        schema: itemSchema,
        ...scoped(core, 'getItemFeed', 'item', query),
      }),
    getItemGroupFeed: query =>
      core.download('getItemGroupFeed', {
        schema: itemGroupSchema,
        ...scoped(core, 'getItemGroupFeed', 'item_group', query),
      }),
    getItemSnapshotFeed: query =>
      core.download('getItemSnapshotFeed', {
        schema: itemSnapshotSchema,
        ...snapshot(core, query),
      }),
    getItemPriorityFeed: query =>
      core.download('getItemPriorityFeed', {
        schema: itemPrioritySchema,
        ...priority(core, query),
      }),
  }
}

function scoped(
  core: ServiceCore,
  operation: 'getItemFeed' | 'getItemGroupFeed',
  feed: FeedFile['feed'],
  query: ItemFeedQuery,
) {
  const { marketplace, categoryId, scope, date } = knownOptions(query, ITEM_NAMES, 'query')
  const checks = core.checks(operation)
  checks.marketplace(marketplace)
  checks.category(categoryId)
  checks.oneOf('scope', scope, SCOPES)
  if (scope === 'NEWLY_LISTED') checks.date(date, core.profile.limits.dailyDays)
  const daily = date === undefined ? {} : { date }
  return {
    marketplace,
    query: { feed_scope: scope, category_id: categoryId, date },
    file: { feed, marketplace, categoryId, scope, ...daily },
    names: [marketplace, categoryId, scope, date],
    accept: ACCEPT,
  }
}

function snapshot(core: ServiceCore, query: SnapshotQuery) {
  const { marketplace, categoryId, snapshotDate } = knownOptions(query, SNAPSHOT_NAMES, 'query')
  const checks = core.checks('getItemSnapshotFeed')
  checks.marketplace(marketplace)
  checks.category(categoryId)
  checks.hour('snapshotDate', snapshotDate)
  const hour = snapshotDate === undefined ? undefined : hourText(snapshotDate)
  return {
    marketplace,
    query: { category_id: categoryId, snapshot_date: hour },
    file: { feed: 'item_snapshot', marketplace, categoryId, hour: new Date(snapshotDate) } as const,
    names: [marketplace, categoryId, hour],
    accept: ACCEPT,
  }
}

function priority(core: ServiceCore, query: PriorityQuery) {
  const { marketplace, categoryId, date } = knownOptions(query, PRIORITY_NAMES, 'query')
  const checks = core.checks('getItemPriorityFeed')
  checks.marketplace(marketplace)
  checks.category(categoryId)
  checks.date(date, core.profile.limits.priorityDays)
  return {
    marketplace,
    query: { category_id: categoryId, date },
    file: { feed: 'item_priority', marketplace, categoryId, date } as const,
    names: [marketplace, categoryId, date],
    accept: ACCEPT,
  }
}
