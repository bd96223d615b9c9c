// The options of the catalog.

import { arrayOf, callback, knownOptions, type OptionNames, wholeNumber } from '../../engine/index'
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

/** 200 MB (feed-file-catalog.md, section 7), in decimal units like the maximum of a range. */
const MAX_WHOLE_BYTES = 200_000_000

/** @throws FeedError OPTION_INVALID */
export function catalogSettings(options: CatalogOptions) {
  const {
    feedTypes = DEFAULT_FEED_TYPES,
    maxWholeBytes = MAX_WHOLE_BYTES,
    toldSize = (bytes: number) => bytes,
  } = knownOptions(options, CATALOG_OPTIONS, 'catalog')
  return {
    types: arrayOf('feedTypes', feedTypes).map(checkFeedType),
    maxWholeBytes: wholeNumber('maxWholeBytes', maxWholeBytes),
    toldSize: callback('toldSize', toldSize),
  }
}
