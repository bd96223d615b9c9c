// Reads and checks the requests of the feeds. Each feed has a table of checks, and the first
// failing row gives the error. The checks look at the headers first, then at the query and at
// Range. Later steps check whether the file exists and whether the range fits.

import type { AccessRules } from '../access-rules'
import type { World } from '../world/world'
import type { FeedName } from './feed-file'
import { type HeaderForm, readRange } from './requested-range'
import type { ServiceErrorId } from './service-errors'

/** The parts of a request. Null stands for a missing part. */
export interface FeedRequest {
  readonly marketplace: string | null
  readonly categoryId: string | null
  readonly feedScope: string | null
  readonly date: string | null
  readonly snapshotDate: string | null
  readonly range: string | null
}

export interface RequestContext {
  readonly world: World
  readonly access: AccessRules
  readonly headerForm: HeaderForm
  /** The prefix of marketplace identifiers, `MKT_` as documented. */
  readonly marketplacePrefix: string
}

interface Check {
  readonly code: ServiceErrorId
  refuses(request: FeedRequest, context: RequestContext): boolean
}

const absent = (code: ServiceErrorId, part: keyof FeedRequest): Check => ({
  code,
  refuses: request => !request[part],
})
/** The values of `feed_scope`: the daily file, and the bootstrap file. */
export const FEED_SCOPES: readonly string[] = ['NEWLY_LISTED', 'ALL_ACTIVE']
const isDaily = (request: FeedRequest) => request.feedScope === 'NEWLY_LISTED'

const MARKETPLACE: readonly Check[] = [
  absent(13013, 'marketplace'),
  {
    code: 13012,
    refuses: ({ marketplace }, { marketplacePrefix }) =>
      !isMarketplaceId(marketplace!, marketplacePrefix),
  },
  {
    code: 13014,
    refuses: ({ marketplace }, { world }) => !world.options.marketplaces.includes(marketplace!),
  },
  {
    code: 13023,
    refuses: ({ marketplace }, { access }) => !access.allowsMarketplace(marketplace!),
  },
]

const CATEGORY: readonly Check[] = [
  absent(13010, 'categoryId'),
  { code: 13004, refuses: ({ categoryId }) => !/^\d+$/.test(categoryId!) },
  {
    code: 13022,
    refuses: ({ categoryId }, { world, access }) =>
      !world.options.categories.includes(categoryId!) || access.isRealEstate(categoryId!),
  },
  {
    code: 13024,
    refuses: ({ marketplace, categoryId }, { access }) =>
      !access.allowsCategory(marketplace!, categoryId!),
  },
]

const SCOPE: readonly Check[] = [
  absent(13009, 'feedScope'),
  { code: 13003, refuses: ({ feedScope }) => !FEED_SCOPES.includes(feedScope!) },
  { code: 13011, refuses: request => isDaily(request) && !request.date },
]

/**
 * A Range header must be valid, even where it is not required. In the form of RFC 9110 it is
 * neither required nor checked.
 */
const RANGE_FORM: readonly Check[] = ([13016, 13018, 13019] as const).map(code => ({
  code,
  refuses: ({ range }, { headerForm }) =>
    headerForm !== 'rfc9110' && range !== null && readRange(range) === code,
}))

const RANGE_REQUIRED: readonly Check[] = [
  { code: 13015, refuses: ({ range }, { headerForm }) => headerForm !== 'rfc9110' && !range },
  ...RANGE_FORM,
]

const SHARED: readonly Check[] = [...MARKETPLACE, ...CATEGORY]

const CHECKS: Readonly<Record<FeedName, readonly Check[]>> = {
  item: [...SHARED, ...SCOPE, ...RANGE_REQUIRED],
  item_group: [...SHARED, ...SCOPE, ...RANGE_FORM],
  item_snapshot: [...SHARED, absent(13020, 'snapshotDate'), ...RANGE_REQUIRED],
  item_priority: [...SHARED, absent(13011, 'date'), ...RANGE_REQUIRED],
}

/** Returns the error of the request, before any file is looked up. */
export function refusalOf(
  feed: FeedName,
  request: FeedRequest,
  context: RequestContext,
): ServiceErrorId | undefined {
  return CHECKS[feed].find(check => check.refuses(request, context))?.code
}

/** Reads the parts. The profile gives the name of the marketplace header. */
export function readFeedRequest(request: Request, marketplaceHeader: string): FeedRequest {
  const { searchParams } = new URL(request.url)
  return {
    marketplace: request.headers.get(marketplaceHeader),
    categoryId: searchParams.get('category_id'),
    feedScope: searchParams.get('feed_scope'),
    date: searchParams.get('date'),
    snapshotDate: searchParams.get('snapshot_date'),
    range: request.headers.get('range'),
  }
}

/** The value that an error about `input` repeats. */
export function partNamed(request: FeedRequest, input: string | undefined): string | null {
  const parts: Record<string, string | null> = {
    marketplace: request.marketplace,
    category_id: request.categoryId,
    feed_scope: request.feedScope,
    date: request.date,
    snapshot_date: request.snapshotDate,
    Range: request.range,
  }
  return input === undefined ? null : (parts[input] ?? null)
}

function isMarketplaceId(value: string, prefix: string): boolean {
  return value.startsWith(prefix) && /^[A-Z]{2}$/.test(value.slice(prefix.length))
}
