// Reads and checks the requests of the catalog. Each operation has a table of checks, and the first
// failing row gives the error.

import type { RequestLimits, ServiceProfile } from '../../service/index'
import type { World } from '../world/world'
import type { CatalogErrorId } from './catalog-errors'
import type { FeedTypeSeed } from './feed-types'

/** The parts of a request. Null stands for a missing part. */
export interface CatalogQuery {
  readonly marketplace: string | null
  readonly feedTypeId: string | null
  readonly feedScope: string | null
  readonly limit: string | null
  readonly continuationToken: string | null
  readonly categoryIds: string | null
  readonly marketplaceIds: string | null
  readonly lookBack: string | null
}

export interface QueryContext {
  readonly world: World
  readonly types: readonly FeedTypeSeed[]
  readonly limits: RequestLimits
}

interface Check {
  readonly code: CatalogErrorId
  refuses(query: CatalogQuery, context: QueryContext): boolean
}

const MARKETPLACE: Check = {
  code: 13014,
  refuses: ({ marketplace }, { world }) =>
    marketplace === null || !world.options.marketplaces.includes(marketplace),
}

const LIMIT: Check = {
  code: 14001,
  refuses: ({ limit }, { limits }) =>
    limit !== null && !isBetween(countIn(limit), limits.pageSizeLeast, limits.pageSizeMost),
}

const FEED_TYPE: Check = {
  code: 14008,
  refuses: ({ feedTypeId }, { types }) =>
    feedTypeId !== null && !types.some(type => type.feedTypeId === feedTypeId),
}

const CATEGORIES: Check = {
  code: 14005,
  refuses: ({ categoryIds }, { limits }) => (listOf(categoryIds)?.length ?? 0) > limits.categoryIds,
}

const LOOK_BACK: Check = {
  code: 14006,
  refuses: ({ lookBack }) =>
    lookBack !== null && !isBetween(countIn(lookBack), 1, Number.MAX_SAFE_INTEGER),
}

const MARKETPLACES: Check = {
  code: 14010,
  refuses: ({ marketplaceIds }, { world, limits }) => {
    const ids = listOf(marketplaceIds) ?? []
    return (
      ids.length > limits.marketplaceIds || ids.some(id => !world.options.marketplaces.includes(id))
    )
  },
}

const CHECKS = {
  getFeedTypes: [MARKETPLACES, LIMIT],
  getFiles: [MARKETPLACE, FEED_TYPE, CATEGORIES, LOOK_BACK, LIMIT],
  getFile: [MARKETPLACE],
  downloadFile: [MARKETPLACE],
} as const satisfies Record<string, readonly Check[]>

/** Returns the error of the request, before any resource is looked up. */
export function queryRefusal(
  operation: keyof typeof CHECKS,
  query: CatalogQuery,
  context: QueryContext,
): CatalogErrorId | undefined {
  const checks: readonly Check[] = CHECKS[operation]
  return checks.find(check => check.refuses(query, context))?.code
}

export function readCatalogQuery(
  request: Request,
  { marketplaceHeader, lookBackParameter }: ServiceProfile,
): CatalogQuery {
  const { searchParams } = new URL(request.url)
  return {
    marketplace: request.headers.get(marketplaceHeader),
    feedTypeId: searchParams.get('feed_type_id'),
    feedScope: searchParams.get('feed_scope'),
    limit: searchParams.get('limit'),
    continuationToken: searchParams.get('continuation_token'),
    categoryIds: searchParams.get('category_ids'),
    marketplaceIds: searchParams.get('marketplace_ids'),
    lookBack: searchParams.get(lookBackParameter),
  }
}

/** The value that an error about `input` repeats. */
export function queryPart(query: CatalogQuery, input: string | undefined): string | null {
  const parts: Record<string, string | null> = {
    marketplace: query.marketplace,
    feed_type_id: query.feedTypeId,
    limit: query.limit,
    category_ids: query.categoryIds,
    marketplace_ids: query.marketplaceIds,
    look_back: query.lookBack,
  }
  return input === undefined ? null : (parts[input] ?? null)
}

/** Splits a list at its commas. A missing or empty parameter gives an empty result. */
export function listOf(text: string | null): readonly string[] | undefined {
  return text === null || text === '' ? undefined : text.split(',')
}

/** Returns NaN unless the text is a whole number. */
export function countIn(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

function isBetween(value: number, lowest: number, highest: number): boolean {
  return value >= lowest && value <= highest
}
