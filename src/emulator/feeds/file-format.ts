// The name of a file within a world, and the format of files: the spelling of the header line, the
// columns, and the filters on their content. The columns are known by their camelCase names
// everywhere else. A real service has filters that the documents do not describe, and may change
// them (item-feeds.md, section 1). Here a filter hides some items from some files, and which ones
// changes from file to file. An item_group file is made from what the matching item file shows.

import {
  choice,
  filledText,
  finiteNumber,
  flag,
  knownOptions,
  type OptionNames,
  validDate,
  wholeNumber,
} from '../../engine/index'
import { fraction, mix, mixText } from '../world/hash'
import type { ItemTest } from '../world/item'

export type FeedName = 'item' | 'item_group' | 'item_snapshot' | 'item_priority'

/**
 * Names one file. `bootstrap` shows all rows at `to`. `span` shows the rows that changed within
 * [from, to), in their state at `to`.
 */
export interface FeedFile {
  /** The feed of the file. */
  readonly feed: FeedName
  /** Which rows the file has. */
  readonly content: 'bootstrap' | 'span'
  /** The marketplace of the rows. */
  readonly marketplaceId: string
  /** The top-level category of the rows. */
  readonly categoryId: string
  /** The start of the time that the file covers. */
  readonly from: Date
  /** The end of the time that the file covers. */
  readonly to: Date
}

/**
 * The format of files, and their filter. `varied` draws a value for each file, always the same one
 * for the same file.
 */
export interface FileFormat {
  /** The spelling of the header line. Default `camelCase`. */
  readonly headerSpelling?: HeaderSpelling | 'varied'
  /** Adds the columns that follow the documented ones in real files. Default false. */
  readonly tailColumns?: boolean
  /** Puts a column that no document names between two documented ones. Default false. */
  readonly unknownColumns?: boolean | 'varied'
  /** The filter that hides some items. Default none. */
  readonly filters?: FilterOptions
  /** The gzip level, 0 to 9. Default 6. */
  readonly gzipLevel?: number
}

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

/**
 * `camelCase` with the trade item number as `gtin`. `documented` is the same with that column as
 * item-feeds.md, section 2.2 prints it, `the service`. `PascalCase` is what older files have,
 * acronyms in capitals.
 */
export type HeaderSpelling = (typeof HEADER_SPELLINGS)[number]

export const HEADER_SPELLINGS = ['camelCase', 'documented', 'PascalCase'] as const

const ACRONYMS: ReadonlyMap<string, string> = new Map([
  ['gtin', 'GTIN'],
  ['epid', 'EPID'],
  ['mpn', 'MPN'],
  ['inferredGtin', 'InferredGTIN'],
  ['inferredEpid', 'InferredEPID'],
  ['inferredMpn', 'InferredMPN'],
])

export function headerName(column: string, spelling: HeaderSpelling): string {
  if (spelling === 'PascalCase')
    return ACRONYMS.get(column) ?? column.charAt(0).toUpperCase() + column.slice(1)
  return spelling === 'documented' && column === 'gtin' ? 'the service' : column
}

/** Names a file uniquely within a world. */
export function fileKey(file: FeedFile): string {
  return [
    file.feed,
    file.content,
    file.marketplaceId,
    file.categoryId,
    file.from.getTime(),
    file.to.getTime(),
  ].join('/')
}

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

const FILE_PARTS: OptionNames<FeedFile> = {
  feed: true,
  content: true,
  marketplaceId: true,
  categoryId: true,
  from: true,
  to: true,
}
const FEED_NAMES: readonly FeedName[] = ['item', 'item_group', 'item_snapshot', 'item_priority']

const FORMAT_OPTIONS: OptionNames<FileFormat> = {
  headerSpelling: true,
  tailColumns: true,
  unknownColumns: true,
  filters: true,
  gzipLevel: true,
}
const FILTER_OPTIONS: OptionNames<FilterOptions> = { seed: true, files: true, items: true }

/** @throws FeedError OPTION_INVALID */
export function checkFeedFile(file: FeedFile): void {
  const { feed, content, marketplaceId, categoryId, from, to } = knownOptions(
    file,
    FILE_PARTS,
    'file',
  )
  choice('file.feed', feed, FEED_NAMES)
  choice('file.content', content, ['bootstrap', 'span'])
  filledText('file.marketplaceId', marketplaceId)
  filledText('file.categoryId', categoryId)
  validDate('file.from', from)
  validDate('file.to', to)
}

/** @throws FeedError OPTION_INVALID */
export function checkFileFormat(format: FileFormat): void {
  const {
    headerSpelling = 'camelCase',
    tailColumns = false,
    unknownColumns = false,
    filters,
    gzipLevel = 6,
  } = knownOptions(format, FORMAT_OPTIONS, 'format')
  choice('headerSpelling', headerSpelling, [...HEADER_SPELLINGS, 'varied'])
  flag('tailColumns', tailColumns)
  if (unknownColumns !== 'varied') flag('unknownColumns', unknownColumns)
  if (filters !== undefined) checkFilters(filters)
  wholeNumber('gzipLevel', gzipLevel, 0, 9)
}

function checkFilters(options: FilterOptions): void {
  const { seed, files, items } = knownOptions(options, FILTER_OPTIONS, 'filters')
  wholeNumber('filters.seed', seed, Number.MIN_SAFE_INTEGER)
  finiteNumber('filters.files', files, 0, 1)
  finiteNumber('filters.items', items, 0, 1)
}
