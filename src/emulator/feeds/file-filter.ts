// Filters on the content of files. A service has some, and may change or drop them; which ones is
// not stated (item-feeds.md, section 1). Here a filter hides some items from some files, and which
// ones changes from file to file. An item_group file is made from what the matching item file
// shows.

import { finiteNumber, knownOptions, type OptionNames, wholeNumber } from '../../options'
import { fraction, mix, mixText } from '../world/hash'
import type { ItemTest } from '../world/item'
import type { FeedFile } from './feed-file'

export interface FilterOptions {
  /** Any whole number. */
  readonly seed: number
  /** Share of files that have a filter, 0 to 1. */
  readonly files: number
  /** Share of items that it hides there, 0 to 1. With 1 nothing is left: 204. */
  readonly items: number
}

const FILTER_OPTIONS: OptionNames<FilterOptions> = { seed: true, files: true, items: true }

/** Tells which items a file shows; undefined for a file without a filter. */
export function shownIn(file: FeedFile, filters: FilterOptions | undefined): ItemTest | undefined {
  if (filters === undefined) return undefined
  const feed = file.feed === 'item_group' ? 'item' : file.feed
  const name = [
    feed,
    file.content,
    file.marketplaceId,
    file.categoryId,
    file.from.getTime(),
    file.to.getTime(),
  ].join('/')
  const draw = mixText(mixText(0, String(filters.seed)), name)
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
