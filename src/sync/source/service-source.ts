// The service as a source: its calendar says which files are due.

import { FeedError, optionInvalid } from '../../engine/index'
import { type FeedService, RequestChecks } from '../../service/index'
import { type Category, downloadOf, fileIdKey, type ServiceId } from '../file-id'
import { planCategory } from '../plan/calendar'
import type { CalendarLimits } from '../plan/calendar-files'
import type { SyncSource } from './sync-source'

export interface ServiceSourceParts {
  readonly service: FeedService
  readonly marketplace: string
  /** The identifiers of top-level categories. */
  readonly categories: readonly string[]
  readonly now: () => number
  readonly until: Date | undefined
  readonly limits: Partial<CalendarLimits>
}

/**
 * Time for which removals are kept. The oldest file that can arrive is 17 days old (item-feeds.md,
 * section 6: 14 daily files, the newest three days late); the rest is a margin.
 */
const REMOVALS_KEPT_MS = 21 * 86_400_000

/** @throws FeedError OPTION_INVALID */
export function serviceSource(parts: ServiceSourceParts): SyncSource {
  const { service, marketplace, now, until, limits } = parts
  return {
    origin: { marketplace, service: service.profile.baseUrl },
    categories: checkedCategories(parts),
    own: undefined,
    removalsKeptMs: REMOVALS_KEPT_MS,
    plan: (category, done, missing) =>
      planCategory({ ...category, now: new Date(now()), done, missing, limits, until }),
    download: id => downloadOf(service, id as ServiceId),
    nameOf: fileIdKey,
  }
}

/**
 * Refuses categories that the clients would refuse in every request, so that no folder is made for
 * an invalid marketplace.
 */
function checkedCategories({
  service: { profile },
  marketplace,
  categories,
  now,
}: ServiceSourceParts): Category[] {
  const checks = new RequestChecks('sync', { mode: 'forms', profile, now })
  asOption('marketplace', marketplace, () => checks.marketplace(marketplace))
  for (const categoryId of categories)
    asOption('categories', categoryId, () => checks.category(categoryId))
  return [...new Set(categories)].map(categoryId => ({ marketplace, categoryId }))
}

function asOption(option: string, value: unknown, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw FeedError.is(error) && error.code === 'REQUEST_INVALID'
      ? optionInvalid(option, error.context.expected, value)
      : error
  }
}
