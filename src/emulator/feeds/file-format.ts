// The name of a file within a world, and the format of files: the spelling of the header line and
// the columns. The columns are known by their camelCase names everywhere else.

import { FEED_SCHEMAS, type FeedName, is, type OptionTable, readOptions } from '../../engine/index'

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
 * The format of files. `varied` draws a value for each file, always the same one
 * for the same file.
 */
export interface FileFormat {
  /** The spelling of the header line. Default `camelCase`. */
  readonly headerSpelling?: HeaderSpelling | 'varied'
  /** Adds the columns that follow the documented ones in real files. Default false. */
  readonly tailColumns?: boolean
  /** Puts a column that no document names between two documented ones. Default false. */
  readonly unknownColumns?: boolean | 'varied'
  /** The gzip level, 0 to 9. Default 6. */
  readonly gzipLevel?: number
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

const FILE = {
  feed: is.choice(...(Object.keys(FEED_SCHEMAS) as FeedName[])),
  content: is.choice('bootstrap', 'span'),
  marketplaceId: is.filledText,
  categoryId: is.filledText,
  from: is.validDate,
  to: is.validDate,
} satisfies OptionTable<FeedFile>

const FORMAT = {
  headerSpelling: [is.choice(...HEADER_SPELLINGS, 'varied'), 'camelCase'],
  tailColumns: [is.flag, false],
  unknownColumns: [flagOrVaried, false],
  gzipLevel: [is.wholeNumber(0, 9), 6],
} satisfies OptionTable<FileFormat>

/** @throws FeedError OPTION_INVALID */
export function checkFeedFile(file: FeedFile): void {
  readOptions(file, FILE, 'file')
}

/** @throws FeedError OPTION_INVALID */
export function checkFileFormat(format: FileFormat): FileFormat {
  readOptions(format, FORMAT, 'format', '')
  return format
}

function flagOrVaried(option: string, value: boolean | 'varied'): boolean | 'varied' {
  return value === 'varied' ? value : is.flag(option, value)
}
