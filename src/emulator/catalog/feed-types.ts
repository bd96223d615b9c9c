// The feed types of the catalog: the name of each, the files of the world that it publishes, how
// long they stay, and its FeedType resource (feed-file-catalog.md, sections 3.1 to 3.4); and which
// types and files the application may use, from the access rules and the settings of the types.

import { type Columns, is, type OptionTable, readOptions, schemaOf } from '../../engine/index'
import type { FeedType } from '../../service/index'
import type { AccessConstraint, AccessRules } from '../access-rules'
import { feedLines } from '../feeds/feed-file'
import type { FeedFile, FileFormat } from '../feeds/file-format'
import { DAY_MS } from '../world/item-life'
import type { World } from '../world/world'

/** The options of a feed type. */
export interface FeedTypeSeed {
  /** The identifier, such as `ITEM`. */
  readonly feedTypeId: string
  /** The text that the catalog shows for the feed type. */
  readonly description: string
  /** The feed whose daily files the type publishes. */
  readonly feed: 'item' | 'item_group'
  /**
   * What the file of a day holds: the rows that are new on that day (`span`), or all rows at its
   * end (`bootstrap`). Default `span`.
   */
  readonly content?: FeedFile['content']
  /** How long files stay, at most a year. Default 14 days. */
  readonly lookBackMinutes?: number
  /** The marketplaces of the type. Default: every marketplace. */
  readonly marketplaceIds?: readonly string[]
  /** The status of the type. Default ACTIVE. */
  readonly status?: 'ACTIVE' | 'PAUSED' | 'DEPRECATED'
  /** False denies the type to the application. Default true. */
  readonly permitted?: boolean
}

/** The limit of a year bounds the work of a request, which walks the files of all days. */
const MAX_LOOK_BACK_MINUTES = 366 * 24 * 60

const FEED_TYPE = {
  feedTypeId: is.filledText,
  description: is.any,
  feed: is.choice('item', 'item_group'),
  content: [is.choice('bootstrap', 'span')],
  lookBackMinutes: [is.wholeNumber(1, MAX_LOOK_BACK_MINUTES)],
  marketplaceIds: [is.texts],
  status: [is.choice('ACTIVE', 'PAUSED', 'DEPRECATED')],
  permitted: [is.flag],
} satisfies OptionTable<FeedTypeSeed>

/** @throws FeedError OPTION_INVALID */
export function checkFeedType(seed: FeedTypeSeed): FeedTypeSeed {
  readOptions(seed, FEED_TYPE, 'feedTypes[]', '')
  return seed
}

export const SCHEMA_VERSION = '1.0'

export const DEFAULT_FEED_TYPES: readonly FeedTypeSeed[] = [
  {
    feedTypeId: 'CURATED_ITEM_FEED',
    description: 'Items listed in one day, in one category.',
    feed: 'item',
  },
  {
    feedTypeId: 'PRODUCT_FEED',
    description: 'Groups of the items listed in one day, in one category.',
    feed: 'item_group',
  },
]

/**
 * The feeds keep 14 daily files (item-feeds.md, section 6); the catalog states its own look-back,
 * of the same length by default.
 */
const DEFAULT_LOOK_BACK_MINUTES = (14 * DAY_MS) / 60_000

export function lookBackMinutes(seed: FeedTypeSeed): number {
  return seed.lookBackMinutes ?? DEFAULT_LOOK_BACK_MINUTES
}

export function supportsMarketplace(seed: FeedTypeSeed, marketplaceId: string): boolean {
  return seed.marketplaceIds?.includes(marketplaceId) ?? true
}

/** The FeedType resource. `scope` is the scope that gives access to the files. */
export function feedTypeResource(
  seed: FeedTypeSeed,
  world: World,
  format: FileFormat,
  scope: string,
): FeedType {
  return {
    feedTypeId: seed.feedTypeId,
    description: seed.description,
    supportedFeeds: [
      {
        authorizationScopes: [scope],
        ...(seed.marketplaceIds === undefined
          ? {}
          : { constraint: { marketplaceIds: [...seed.marketplaceIds] } }),
        feedScope: 'DAILY',
        lookBack: { unit: 'MINUTE', value: lookBackMinutes(seed) },
        status: seed.status ?? 'ACTIVE',
        supportedSchemas: [
          {
            definition: definition(seed.feed, world, format),
            deprecated: false,
            formats: ['TSV'],
            schemaVersion: SCHEMA_VERSION,
          },
        ],
      },
    ],
  }
}

/**
 * The columns in the order of the files, by their documented names; a file may spell them
 * otherwise, and have more.
 */
function definition(feed: FeedTypeSeed['feed'], world: World, format: FileFormat): string {
  const [marketplaceId, categoryId] = [world.options.marketplaces[0]!, world.options.categories[0]!]
  const { start } = world
  const file: FeedFile = {
    feed,
    content: 'bootstrap',
    marketplaceId,
    categoryId,
    from: start,
    to: start,
  }
  const plain: FileFormat = { ...format, headerSpelling: 'camelCase', unknownColumns: false }
  const [header = ''] = feedLines(world, file, plain)
  const columns: Columns = schemaOf(feed).columns
  const types = new Map(
    Object.entries(columns).map(([name, column]) => [name, typeName(column.type)]),
  )
  const names = header.trimEnd().split('\t')
  return JSON.stringify(Object.fromEntries(names.map(name => [name, types.get(name) ?? 'string'])))
}

function typeName(type: string): string {
  if (type === 'int32') return 'integer'
  return type === 'boolean' ? 'boolean' : 'string'
}

/** The access rules of the application, over the marketplaces of a world. */
export interface Access {
  readonly world: World
  readonly access: AccessRules
}

/**
 * The marketplaces on which a feed type may be used, each with its categories: none means all of
 * them.
 */
export function marketplacesOf(type: FeedTypeSeed, { world, access }: Access) {
  if (type.permitted === false) return []
  const everywhere = world.options.marketplaces.map(marketplaceId => ({ marketplaceId }))
  const allowed: readonly AccessConstraint[] = access.constraints ?? everywhere
  return allowed
    .filter(({ marketplaceId }) => supportsMarketplace(type, marketplaceId))
    .map(({ marketplaceId, categoryIds = [] }) => ({ marketplaceId, categoryIds }))
}

/** The refusal of a feed type that is asked for by name. */
export function refusalOfType(
  type: FeedTypeSeed,
  marketplaceId: string,
  access: Access,
): 14009 | 14011 | undefined {
  const marketplaces = marketplacesOf(type, access)
  if (marketplaces.length === 0) return 14011
  return marketplaces.some(permitted => permitted.marketplaceId === marketplaceId)
    ? undefined
    : 14009
}

export function refusalOfFile(
  type: FeedTypeSeed,
  { marketplaceId, categoryId }: FeedFile,
  access: Access,
): 14007 | 14009 | undefined {
  if (refusalOfType(type, marketplaceId, access) !== undefined) return 14009
  return access.access.allowsCategory(marketplaceId, categoryId) ? undefined : 14007
}
