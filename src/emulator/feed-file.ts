// The files of the four feeds: what names one, and its content as lines, TSV bytes and gzip bytes.
// The same file of the same world has the same bytes each time it is made. Which files exist at what time is
// the calendar's matter.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { FeedError } from '../errors'
import { type HeaderSpelling, headerName } from './header-names'
import { tsvBlocks, tsvLine } from './tsv-writer'
import type { Item } from './world/item'
import { BEFORE_UNKNOWN, type Column, ITEM_COLUMNS, ITEM_TAIL_COLUMNS, UNKNOWN_ITEM_COLUMN } from './world/item-columns'
import { GROUP_COLUMNS, PRIORITY_COLUMNS, snapshotColumns } from './world/other-columns'
import type { World } from './world/world'

export type FeedName = 'item' | 'item_group' | 'item_snapshot' | 'item_priority'

/** One file. `bootstrap` shows all at `to`; `span` shows what happened within [from, to), as it was at `to`. */
export interface FeedFile {
  readonly feed: FeedName
  readonly content: 'bootstrap' | 'span'
  readonly marketplaceId: string
  readonly categoryId: string
  readonly from: Date
  readonly to: Date
}

/** How files are written. */
export interface FileFormat {
  /** Default `camelCase`. */
  readonly headerSpelling?: HeaderSpelling
  /** Adds the columns that follow the documented ones in real files. Default false. */
  readonly tailColumns?: boolean
  /** Puts a column that no document names between two documented ones. Default false. */
  readonly unknownColumns?: boolean
  /** 0 to 9, default 6. */
  readonly gzipLevel?: number
}

interface Table {
  readonly header: readonly string[]
  readonly rows: Iterable<readonly string[]>
}

/** Compressed bytes per chunk of {@link gzipBytes}, at most. */
const GZIP_CHUNK_BYTES = 64 * 1024

/** Names a file uniquely within a world. */
export function fileKey(file: FeedFile): string {
  return [file.feed, file.content, file.marketplaceId, file.categoryId, file.from.getTime(), file.to.getTime()].join('/')
}

/** The file's lines, header first, each with its line end. */
export function* feedLines(world: World, file: FeedFile, format: FileFormat = {}): Generator<string, void, void> {
  const table = tableOf(world, file, format)
  yield tsvLine(table.header.map(name => headerName(name, format.headerSpelling ?? 'camelCase')))
  for (const row of table.rows) yield tsvLine(row)
}

/** The file before compression, in blocks of whole lines of about 256 KiB. */
export function tsvBytes(world: World, file: FeedFile, format: FileFormat = {}): Generator<Uint8Array, void, void> {
  return tsvBlocks(feedLines(world, file, format))
}

/** The file as the service sends it. Nothing at all when it would have no rows. */
export async function* gzipBytes(world: World, file: FeedFile, format: FileFormat = {}): AsyncGenerator<Uint8Array, void, void> {
  if (isEmpty(tableOf(world, file, format).rows)) return
  const zip = createGzip({ level: format.gzipLevel ?? 6, chunkSize: GZIP_CHUNK_BYTES })
  const feeding = pipeline(Readable.from(tsvBytes(world, file, format)), zip)
  feeding.catch(() => {}) // A failure also destroys `zip`, and the reader below meets it there.
  try {
    yield* zip as AsyncIterable<Uint8Array>
  } finally {
    zip.destroy()
  }
}

function isEmpty(rows: Iterable<unknown>): boolean {
  for (const _ of rows) return false
  return true
}

function tableOf(world: World, file: FeedFile, format: FileFormat): Table {
  const bootstrap = file.content === 'bootstrap'
  switch (file.feed) {
    case 'item':
      return table(itemColumns(format), bootstrap ? world.itemsAt(file.to, file) : world.listedWithin(file.from, file.to, file))
    case 'item_group':
      return table(GROUP_COLUMNS, bootstrap ? world.groupsAt(file.to, file) : world.groupsListedWithin(file.from, file.to, file))
    case 'item_snapshot':
      return table(snapshotColumns(itemColumns(format)), world.changesWithin(file.from, file.to, file))
    case 'item_priority':
      return table(PRIORITY_COLUMNS, world.campaignChangesOn(file.to, file))
  }
}

function table<Of>(columns: readonly Column<Of>[], records: Iterable<Of>): Table {
  return { header: columns.map(column => column.name), rows: cellsOf(columns, records) }
}

function* cellsOf<Of>(columns: readonly Column<Of>[], records: Iterable<Of>): Generator<readonly string[], void, void> {
  for (const record of records) yield columns.map(column => column.cell(record))
}

function itemColumns(format: FileFormat): readonly Column<Item>[] {
  const columns = [...ITEM_COLUMNS]
  if (format.unknownColumns)
    columns.splice(
      columns.findIndex(column => column.name === BEFORE_UNKNOWN),
      0,
      UNKNOWN_ITEM_COLUMN,
    )
  return format.tailColumns ? [...columns, ...ITEM_TAIL_COLUMNS] : columns
}

/** @throws FeedError OPTION_INVALID */
export function checkFileFormat(format: FileFormat): void {
  const level = format.gzipLevel ?? 6
  if (Number.isInteger(level) && level >= 0 && level <= 9) return
  const expected = 'a whole number from 0 to 9'
  throw new FeedError('OPTION_INVALID', `gzipLevel must be ${expected}`, { option: 'gzipLevel', expected, received: String(level) })
}
