// The files of the four feeds: their names, and their content as lines, TSV bytes and gzip bytes. A
// file of a world has the same bytes each time it is made. calendar.ts decides which files exist at
// what time.

import {
  choice,
  filledText,
  flag,
  knownOptions,
  type OptionNames,
  optionInvalid,
  wholeNumber,
  withMethods,
} from '../../engine/index'
import {
  BEFORE_UNKNOWN,
  type Column,
  GROUP_COLUMNS,
  ITEM_COLUMNS,
  ITEM_TAIL_COLUMNS,
  PRIORITY_COLUMNS,
  snapshotColumns,
  UNKNOWN_ITEM_COLUMN,
} from '../world/columns'
import { mix, mixText, pick } from '../world/hash'
import type { Item, ItemTest } from '../world/item'
import type { World } from '../world/world'
import { gzipped } from './content-coding'
import { checkFilters, type FilterOptions, shownIn } from './file-filter'
import { fileKey } from './file-key'
import { HEADER_SPELLINGS, type HeaderSpelling, headerName } from './header-names'
import { tsvBlocks, tsvLine } from './tsv-writer'

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

interface Table {
  readonly header: readonly string[]
  readonly rows: Iterable<readonly string[]>
}

/**
 * Yields the lines of the file, the header first, each with its line end. @throws FeedError
 * OPTION_INVALID
 */
export function feedLines(
  world: World,
  file: FeedFile,
  format: FileFormat = {},
): Generator<string, void, void> {
  checkCall(world, file, format)
  return linesOf(world, file, format)
}

function* linesOf(world: World, file: FeedFile, format: FileFormat): Generator<string, void, void> {
  const table = tableOf(world, file, format)
  const spelling = spellingOf(world, file, format)
  yield tsvLine(table.header.map(name => headerName(name, spelling)))
  for (const row of table.rows) yield tsvLine(row)
}

/**
 * Yields the file before compression, in blocks of whole lines of about 256 KiB.
 * @throws FeedError OPTION_INVALID
 */
export function tsvBytes(
  world: World,
  file: FeedFile,
  format: FileFormat = {},
): Generator<Uint8Array, void, void> {
  return tsvBlocks(feedLines(world, file, format))
}

/**
 * Yields the file as the service sends it. A file without rows has no bytes.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { Gunzip, pipeline } from 'feedmill'
 * import { createWorld, gzipBytes } from 'feedmill/emulator'
 *
 * const world = createWorld({ seed: 7, items: 100 })
 * const { start: from, end: to } = world
 * const place = { marketplaceId: 'MKT_US', categoryId: '220' }
 * const file = gzipBytes(world, { feed: 'item', content: 'bootstrap', ...place, from, to })
 * const blocks = await pipeline(file).to(new Gunzip()).toArray()
 * console.log(Buffer.concat(blocks).toString('utf8', 0, 6))
 * // => itemId
 * ```
 */
export function gzipBytes(
  world: World,
  file: FeedFile,
  format: FileFormat = {},
): AsyncGenerator<Uint8Array, void, void> {
  checkCall(world, file, format)
  return compressed(world, file, format)
}

async function* compressed(
  world: World,
  file: FeedFile,
  format: FileFormat,
): AsyncGenerator<Uint8Array, void, void> {
  if (!isEmpty(tableOf(world, file, format).rows))
    yield* gzipped(tsvBytes(world, file, format), format.gzipLevel)
}

function isEmpty(rows: Iterable<unknown>): boolean {
  for (const _ of rows) return false
  return true
}

function tableOf(world: World, file: FeedFile, format: FileFormat): Table {
  const bootstrap = file.content === 'bootstrap'
  const { from, to } = file
  const shows = shownIn(file, format.filters)
  const columns = itemColumns(format, isUnknownColumnIn(world, file, format))
  switch (file.feed) {
    case 'item':
      return table(
        columns,
        to,
        shown(
          bootstrap ? world.itemsAt(to, file) : world.listedWithin(from, to, file),
          itself,
          shows,
        ),
      )
    case 'item_group':
      return table(
        GROUP_COLUMNS,
        to,
        bootstrap
          ? world.groupsAt(to, file, shows)
          : world.groupsListedWithin(from, to, file, shows),
      )
    case 'item_snapshot':
      return table(
        snapshotColumns(columns),
        to,
        shown(world.changesWithin(from, to, file), change => change.item, shows),
      )
    case 'item_priority':
      return table(
        PRIORITY_COLUMNS,
        to,
        shown(world.campaignChangesOn(to, file), change => change.item, shows),
      )
  }
}

function table<Of>(columns: readonly Column<Of>[], at: Date, records: Iterable<Of>): Table {
  return {
    header: columns.map(column => column.name),
    rows: cellsOf(columns, at.getTime(), records),
  }
}

function* cellsOf<Of>(
  columns: readonly Column<Of>[],
  at: number,
  records: Iterable<Of>,
): Generator<readonly string[], void, void> {
  for (const record of records) yield columns.map(column => column.cell(record, at))
}

const itself = (item: Item) => item

function shown<Of>(
  records: Iterable<Of>,
  itemOf: (record: Of) => Item,
  shows: ItemTest | undefined,
): Iterable<Of> {
  return shows === undefined ? records : onlyShown(records, itemOf, shows)
}

function* onlyShown<Of>(
  records: Iterable<Of>,
  itemOf: (record: Of) => Item,
  shows: ItemTest,
): Generator<Of, void, void> {
  for (const record of records) if (shows(itemOf(record))) yield record
}

function itemColumns(format: FileFormat, unknownColumn: boolean): readonly Column<Item>[] {
  const columns = [...ITEM_COLUMNS]
  if (unknownColumn)
    columns.splice(
      columns.findIndex(column => column.name === BEFORE_UNKNOWN),
      0,
      UNKNOWN_ITEM_COLUMN,
    )
  return format.tailColumns ? [...columns, ...ITEM_TAIL_COLUMNS] : columns
}

function spellingOf(
  world: World,
  file: FeedFile,
  { headerSpelling = 'camelCase' }: FileFormat,
): HeaderSpelling {
  return headerSpelling === 'varied'
    ? pick(HEADER_SPELLINGS, drawOf(world, file, 1))
    : headerSpelling
}

function isUnknownColumnIn(
  world: World,
  file: FeedFile,
  { unknownColumns = false }: FileFormat,
): boolean {
  return unknownColumns === 'varied' ? drawOf(world, file, 2) % 2 === 0 : unknownColumns
}

function drawOf(world: World, file: FeedFile, what: number): number {
  return mix(mixText(mixText(0, String(world.options.seed)), fileKey(file)), what)
}

function checkCall(world: World, file: FeedFile, format: FileFormat): void {
  withMethods('world', world, ['itemsAt', 'groupsAt', 'changesWithin', 'campaignChangesOn'])
  const { feed, content, marketplaceId, categoryId, from, to } = knownOptions(
    file,
    FILE_PARTS,
    'file',
  )
  choice('file.feed', feed, FEED_NAMES)
  choice('file.content', content, ['bootstrap', 'span'])
  filledText('file.marketplaceId', marketplaceId)
  filledText('file.categoryId', categoryId)
  checkTime('file.from', from)
  checkTime('file.to', to)
  checkFileFormat(format)
}

function checkTime(option: string, time: Date): void {
  if (!(time instanceof Date) || Number.isNaN(time.getTime()))
    throw optionInvalid(option, 'a Date', time)
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
