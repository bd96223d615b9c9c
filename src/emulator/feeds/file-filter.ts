// Filters on the content of files. A real service has filters that the documents do not describe,
// and may change them (item-feeds.md, section 1). Here a filter hides some items from some files,
// and which ones changes from file to file. An item_group file is made from what the matching item
// file shows.

import { finiteNumber, knownOptions, type OptionNames, wholeNumber } from '../../engine/index'
import { fraction, mix, mixText } from '../world/hash'
import type { ItemTest } from '../world/item'
import type { FeedFile } from './feed-file'
import { fileKey } from './file-key'

export interface FilterOptions {
  /** The seed, any whole number. */
  readonly seed: number
  /** The share of files that have a filter, from 0 to 1. */
  readonly files: number
  /**
   * The share of items that a filter hides, from 0 to 1. With 1 the file is empty, and its status
   * is 204.
   */
  readonly items: number
}

const FILTER_OPTIONS: OptionNames<FilterOptions> = { seed: true, files: true, items: true }

/**
 * Returns a test for the items that a file shows. Returns undefined for a file without a filter.
 */
export function shownIn(file: FeedFile, filters: FilterOptions | undefined): ItemTest | undefined {
  if (filters === undefined) return undefined
  const feed = file.feed === 'item_group' ? 'item' : file.feed
  const draw = mixText(mixText(0, String(filters.seed)), fileKey({ ...file, feed }))
  if (fraction(mix(draw, 0)) >= filters.files) return undefined
  return item => fraction(mix(item.key, draw)) >= filters.items
}

/** @throws FeedError OPTION_INVALID */
export function checkFilters(options: FilterOptions): void {
  const { seed, files, items } = knownOptions(options, FILTER_OPTIONS, 'filters')
  wholeNumber('filters.seed', seed, Number.MIN_SAFE_INTEGER)
  finiteNumber('filters.files', files, 0, 1)
  finiteNumber('filters.items', items, 0, 1)
}
