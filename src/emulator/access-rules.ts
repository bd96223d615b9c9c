// What the calling application may read (feed-file-catalog.md, section 3.5; 13022 to 13024 in
// item-feeds.md, section 5). All operations share one value, so that the feeds, the catalog and
// getAccess agree.

import { arrayOf, filledText, knownOptions, type OptionNames, texts } from '../engine/index'

/** One marketplace that the application may read. */
export interface AccessConstraint {
  /** The marketplace that the client may read. */
  readonly marketplaceId: string
  /** Top-level categories; an empty list stands for all. Default: all categories. */
  readonly categoryIds?: readonly string[]
}

const CONSTRAINT_OPTIONS: OptionNames<AccessConstraint> = { marketplaceId: true, categoryIds: true }

export interface AccessOptions {
  /** What the application may read. Default: everything. An empty list allows nothing. */
  readonly constraints?: readonly AccessConstraint[]
}

const ACCESS_OPTIONS: OptionNames<AccessOptions> = { constraints: true }

/** The top-level category of Real Estate, which no feed of any marketplace has. */
const REAL_ESTATE = '10542'

export class AccessRules {
  /** The constraints as given. Undefined while nothing is restricted. */
  readonly constraints: readonly AccessConstraint[] | undefined

  /** @throws FeedError OPTION_INVALID */
  constructor(options: AccessOptions = {}) {
    const { constraints } = knownOptions(options, ACCESS_OPTIONS, 'access')
    this.constraints =
      constraints === undefined
        ? undefined
        : arrayOf('constraints', constraints).map(checkConstraint)
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
  const { marketplaceId, categoryIds = [] } = knownOptions(
    constraint,
    CONSTRAINT_OPTIONS,
    'constraints[]',
  )
  filledText('marketplaceId', marketplaceId)
  texts('categoryIds', categoryIds)
  return constraint
}
