// The options of the catalog.

import { is, type OptionTable, readOptions } from '../../engine/index'
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

/** 200 MB (feed-file-catalog.md, section 7), in decimal units like the maximum of a range. */
const MAX_WHOLE_BYTES = 200_000_000

const CATALOG = {
  feedTypes: [(option, seeds) => is.arrayOf(option, seeds).map(checkFeedType), DEFAULT_FEED_TYPES],
  maxWholeBytes: [is.wholeNumber(), MAX_WHOLE_BYTES],
  toldSize: [is.callback, bytes => bytes],
} satisfies OptionTable<CatalogOptions>

/** @throws FeedError OPTION_INVALID */
export function catalogSettings(options: CatalogOptions) {
  const { feedTypes: types, ...sizes } = readOptions(options, CATALOG, 'catalog', '')
  return { types, ...sizes }
}
