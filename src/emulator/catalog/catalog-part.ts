// Puts the catalog together: its options, its service, its routes.

import { wholeNumber } from '../../options'
import type { ServiceProfile } from '../../service/profile'
import type { AccessRules } from '../access-rules'
import { ErrorFamily } from '../error-family'
import type { FileFormat } from '../feed-file'
import type { FileResponder } from '../file-responder'
import type { Route } from '../route'
import type { ServicePaths } from '../service-paths'
import type { World } from '../world/world'
import { CATALOG_ERRORS } from './catalog-errors'
import { catalogRoutes } from './catalog-routes'
import { CatalogService } from './catalog-service'
import { DEFAULT_FEED_TYPES, type FeedTypeSeed } from './feed-types'

export interface CatalogOptions {
  /** Default: CURATED_ITEM_FEED (the daily item files) and PRODUCT_FEED (the daily item group files). */
  readonly feedTypes?: readonly FeedTypeSeed[]
  /** A file above this needs a Range. Default 200 MB. */
  readonly maxWholeBytes?: number
  /** The size that metadata tells for a file of so many bytes, to tell a wrong one. Default: the true one. */
  readonly toldSize?: (bytes: number) => number
}

export interface CatalogPartOptions {
  readonly world: World
  readonly now: () => Date
  readonly access: AccessRules
  readonly format: FileFormat
  readonly files: FileResponder
  readonly profile: ServiceProfile
  readonly paths: ServicePaths
  readonly wrapErrors: boolean
}

/** Document 1, "Limits". Decimal, as the maximum of a range is. */
const MAX_WHOLE_BYTES = 200_000_000

/** A year: every request walks the files of all of its days. */
const MAX_LOOK_BACK_MINUTES = 366 * 24 * 60

/** @throws FeedError OPTION_INVALID */
export function catalogPart(parts: CatalogPartOptions, options: CatalogOptions = {}): readonly Route[] {
  const { profile, paths, wrapErrors } = parts
  const errors = new ErrorFamily(CATALOG_ERRORS, { domain: 'API_FEED', subdomain: 'feed', wrapped: wrapErrors })
  const catalog = new CatalogService({
    ...parts,
    types: checkedTypes(options.feedTypes ?? DEFAULT_FEED_TYPES),
    errors,
    scope: `${profile.scopeBase}/${profile.scopes.downloadFile}`,
    maxWholeBytes: wholeNumber('maxWholeBytes', options.maxWholeBytes ?? MAX_WHOLE_BYTES),
    toldSize: options.toldSize ?? (bytes => bytes),
  })
  return catalogRoutes({ catalog, errors, paths, profile })
}

function checkedTypes(types: readonly FeedTypeSeed[]): readonly FeedTypeSeed[] {
  for (const { lookBackMinutes = 1 } of types) wholeNumber('lookBackMinutes', lookBackMinutes, 1, MAX_LOOK_BACK_MINUTES)
  return types
}
