// The content of the files of the four feeds, as lines, TSV bytes and gzip bytes. A file of a world
// has the same bytes each time it is made. calendar.ts decides which files exist at what time.
//
// TSV is the dialect of item-feeds.md, section 2.1: a cell is wrapped in double quotes when it
// holds a tab, a quote, a backslash or a line end; inside, quotes and backslashes are preceded by a
// backslash. Lines end in LF, the last one too.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { is } from '../../engine/index'
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
import type { Item } from '../world/item'
import type { World } from '../world/world'
import {
  checkFeedFile,
  checkFileFormat,
  type FeedFile,
  type FileFormat,
  fileKey,
  HEADER_SPELLINGS,
  type HeaderSpelling,
  headerName,
} from './file-format'

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
  if (hasRows(world, file, format)) yield* gzipped(tsvBytes(world, file, format), format.gzipLevel)
}

/** A day without listings makes no file. */
export function hasRows(world: World, file: FeedFile, format: FileFormat): boolean {
  for (const _ of tableOf(world, file, format).rows) return true
  return false
}

function tableOf(world: World, file: FeedFile, format: FileFormat): Table {
  const bootstrap = file.content === 'bootstrap'
  const { from, to } = file
  const columns = itemColumns(format, isUnknownColumnIn(world, file, format))
  switch (file.feed) {
    case 'item':
      return table(
        columns,
        to,
        bootstrap ? world.itemsAt(to, file) : world.listedWithin(from, to, file),
      )
    case 'item_group':
      return table(
        GROUP_COLUMNS,
        to,
        bootstrap ? world.groupsAt(to, file) : world.groupsListedWithin(from, to, file),
      )
    case 'item_snapshot':
      return table(snapshotColumns(columns), to, world.changesWithin(from, to, file))
    case 'item_priority':
      return table(PRIORITY_COLUMNS, to, world.campaignChangesOn(to, file))
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

function itemColumns(format: FileFormat, unknownColumn: boolean): readonly Column<Item>[] {
  const place = ITEM_COLUMNS.findIndex(({ name }) => name === BEFORE_UNKNOWN)
  const columns = unknownColumn
    ? ITEM_COLUMNS.toSpliced(place, 0, UNKNOWN_ITEM_COLUMN)
    : ITEM_COLUMNS
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
  const methods = ['itemsAt', 'groupsAt', 'changesWithin', 'campaignChangesOn'] as const
  is.withMethods<World>(...methods)('world', world)
  checkFeedFile(file)
  checkFileFormat(format)
}

const MUST_QUOTE = /[\t"\\\n\r]/
const ESCAPED = /["\\]/g

/** The size of the text of a block. A block ends at the first row end past it. */
const BLOCK_CHARS = 256 * 1024

/** Returns a cell in the form of the file. */
export function tsvCell(value: string): string {
  return MUST_QUOTE.test(value) ? `"${value.replace(ESCAPED, '\\$&')}"` : value
}

/** Returns a line with its line end. */
export function tsvLine(cells: readonly string[]): string {
  let line = ''
  for (let i = 0; i < cells.length; i++)
    line += i === 0 ? tsvCell(cells[i]!) : `\t${tsvCell(cells[i]!)}`
  return `${line}\n`
}

/** Yields UTF-8 blocks of whole lines. The caller owns the blocks. */
export function* tsvBlocks(
  lines: Iterable<string>,
  blockChars = BLOCK_CHARS,
): Generator<Uint8Array, void, void> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length >= blockChars) {
      yield Buffer.from(text, 'utf8')
      text = ''
    }
  }
  if (text !== '') yield Buffer.from(text, 'utf8')
}

/** The largest chunk of {@link gzipped}, in bytes. */
const GZIP_CHUNK_BYTES = 64 * 1024

/** Compresses while it is read. */
export async function* gzipped(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  level = 6,
): AsyncGenerator<Uint8Array, void, void> {
  const zip = createGzip({ level, chunkSize: GZIP_CHUNK_BYTES })
  const feeding = pipeline(Readable.from(chunks), zip)
  feeding.catch(() => {}) // A failure also destroys `zip`, and the reader below meets it there.
  try {
    yield* zip as AsyncIterable<Uint8Array>
  } finally {
    zip.destroy()
  }
}
