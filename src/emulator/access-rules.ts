// What the calling application may read (feed-file-catalog.md, section 3.5; 13022 to 13024 in
// item-feeds.md, section 5). All operations share one value, so that the feeds, the catalog and
// getAccess agree.

import { is, type OptionTable, readOptions } from '../engine/index'

/** One marketplace that the application may read. */
export interface AccessConstraint {
  /** The marketplace that the client may read. */
  readonly marketplaceId: string
  /** Top-level categories; an empty list stands for all. Default: all categories. */
  readonly categoryIds?: readonly string[]
}

const CONSTRAINT = {
  marketplaceId: is.filledText,
  categoryIds: [is.texts],
} satisfies OptionTable<AccessConstraint>

export interface AccessOptions {
  /** What the application may read. Default: everything. An empty list allows nothing. */
  readonly constraints?: readonly AccessConstraint[]
}

const ACCESS = {
  constraints: [(option, constraints) => is.arrayOf(option, constraints).map(checkConstraint)],
} satisfies OptionTable<AccessOptions>

/** The top-level category of Real Estate, which no feed of any marketplace has. */
const REAL_ESTATE = '10542'

export class AccessRules {
  /** The constraints as given. Undefined while nothing is restricted. */
  readonly constraints: readonly AccessConstraint[] | undefined

  /** @throws FeedError OPTION_INVALID */
  constructor(options: AccessOptions = {}) {
    this.constraints = readOptions(options, ACCESS, 'access', '').constraints
  }

  isRealEstate(categoryId: string): boolean {
    return categoryId === REAL_ESTATE
  }

  allowsMarketplace(marketplaceId: string): boolean {
    return this.constraints === undefined || this.#of(marketplaceId).length > 0
  }

  /** Also returns false when the whole marketplace is not allowed. */
  allowsCategory(marketplaceId: string, categoryId: string): boolean {
    if (this.constraints === undefined) return true
    return this.#of(marketplaceId).some(
      ({ categoryIds = [] }) => categoryIds.length === 0 || categoryIds.includes(categoryId),
    )
  }

  #of(marketplaceId: string): readonly AccessConstraint[] {
    return (this.constraints ?? []).filter(constraint => constraint.marketplaceId === marketplaceId)
  }
}

function checkConstraint(constraint: AccessConstraint): AccessConstraint {
  readOptions(constraint, CONSTRAINT, 'constraints[]', '')
  return constraint
}
