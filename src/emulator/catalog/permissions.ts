// Decides which feed types and files the application may use, from the access rules
// (emulator/access-rules.ts) and the settings of the types.

import type { AccessRules } from '../access-rules'
import type { World } from '../world/world'
import { type FeedTypeSeed, supportsMarketplace } from './feed-types'
import type { PublishedFile } from './published-files'

/**
 * The marketplaces on which a feed type may be used, each with its categories: none means all of
 * them.
 */
export interface PermittedMarketplace {
  readonly marketplaceId: string
  readonly categoryIds: readonly string[]
}

export class Permissions {
  readonly #world: World
  readonly #access: AccessRules

  constructor(world: World, access: AccessRules) {
    this.#world = world
    this.#access = access
  }

  marketplacesOf(type: FeedTypeSeed): readonly PermittedMarketplace[] {
    if (type.permitted === false) return []
    const allowed =
      this.#access.constraints ??
      this.#world.options.marketplaces.map(marketplaceId => ({ marketplaceId, categoryIds: [] }))
    return allowed
      .filter(({ marketplaceId }) => supportsMarketplace(type, marketplaceId))
      .map(({ marketplaceId, categoryIds = [] }) => ({ marketplaceId, categoryIds }))
  }

  /** The refusal of a feed type that is asked for by name. */
  refusalOfType(type: FeedTypeSeed, marketplaceId: string): 14009 | 14011 | undefined {
    const marketplaces = this.marketplacesOf(type)
    if (marketplaces.length === 0) return 14011
    return marketplaces.some(permitted => permitted.marketplaceId === marketplaceId)
      ? undefined
      : 14009
  }

  refusalOfFile({
    type,
    file: { marketplaceId, categoryId },
  }: PublishedFile): 14007 | 14009 | undefined {
    if (this.refusalOfType(type, marketplaceId) !== undefined) return 14009
    return this.#access.allowsCategory(marketplaceId, categoryId) ? undefined : 14007
  }
}
