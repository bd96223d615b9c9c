// Puts the catalog together: its options, its service, its routes.

import { arrayOf, callback, knownOptions, type OptionNames, wholeNumber } from '../../engine/index'
import type { ServiceProfile } from '../../service/index'
import type { AccessRules } from '../access-rules'
import type { FileFormat } from '../feeds/feed-file'
import type { FileResponder } from '../feeds/file-responder'
import type { Route } from '../http/route'
import type { ServicePaths } from '../service-paths'
import type { World } from '../world/world'
import { catalogErrors } from './catalog-errors'
import { catalogRoutes } from './catalog-routes'
import { CatalogService } from './catalog-service'
import { checkFeedType, DEFAULT_FEED_TYPES, type FeedTypeSeed } from './feed-types'

export interface CatalogOptions {
  /**
   * Default: CURATED_ITEM_FEED (the daily item files) and PRODUCT_FEED (the daily item group
   * files).
   */
  readonly feedTypes?: readonly FeedTypeSeed[]
  /** The size in bytes above which a request needs a Range. Default 200 MB. */
  readonly maxWholeBytes?: number
  /**
   * Computes the size that metadata states for a file of so many bytes. Default: the true size. A
   * test may state a wrong one.
   */
  readonly toldSize?: (bytes: number) => number
}

const CATALOG_OPTIONS: OptionNames<CatalogOptions> = {
  feedTypes: true,
  maxWholeBytes: true,
  toldSize: true,
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

/** 200 MB (feed-file-catalog.md, section 7), in decimal units like the maximum of a range. */
const MAX_WHOLE_BYTES = 200_000_000

/** @throws FeedError OPTION_INVALID */
export function catalogPart(parts: CatalogPartOptions, options: CatalogOptions): readonly Route[] {
  const {
    feedTypes = DEFAULT_FEED_TYPES,
    maxWholeBytes = MAX_WHOLE_BYTES,
    toldSize,
  } = knownOptions(options, CATALOG_OPTIONS, 'catalog')
  const { profile, paths, wrapErrors } = parts
  const errors = catalogErrors(profile, wrapErrors)
  const catalog = new CatalogService({
    ...parts,
    types: arrayOf('feedTypes', feedTypes).map(checkFeedType),
    errors,
    scope: `${profile.scopeBase}/${profile.scopes.downloadFile}`,
    maxWholeBytes: wholeNumber('maxWholeBytes', maxWholeBytes),
    toldSize: callback('toldSize', toldSize ?? ((bytes: number) => bytes)),
  })
  return catalogRoutes({ catalog, errors, paths, profile })
}
