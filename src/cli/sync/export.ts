// `feedmill export`: writes the merged items of a state folder, of now or of an earlier time, to
// one file. The file is one piece, because all formats share the checks of the options, the progress
// and the way in which the state is closed.

import { type FileHandle, open, stat } from 'node:fs/promises'
import {
  byteSink,
  type ColumnBatch,
  csvSink,
  FeedError,
  type FeedSchema,
  itemSnapshotSchema,
  ndjsonSink,
  pipeline,
  type Sink,
  type SinkTarget,
  shardSink,
} from '../../index'
import {
  type FeedSource,
  type OpenCategory,
  type OpenFeed,
  openState,
  type StateItem,
  stateItemColumns,
  stateItemReader,
} from '../../sync'
import { writablePlace } from '../bucket-place'
import { messageWithPlace } from '../error-place'
import { printError } from '../output'
import { progressBar } from '../progress-bar'
import { schemaFile } from '../schema-file'
import { usageError } from '../usage-error'
import { feedOf } from './feed-of'
import { raiseHeapGrowth } from './heap-growth'
import { categoriesOf, openServiceState } from './service-state'
import type { ExportCommand } from './state-commands'
import { untilSignal } from './stop-signals'

const LF = 0x0a

type PlainItem = Record<string, unknown>
type Blocks<B> = AsyncGenerator<B, void, void>

/**
 * NDJSON has all cells of an item, typed, with its priority and its group; Parquet and Arrow have the
 * documented ones of these, and CSV has the documented columns of an item, as text. With a schema all
 * have its columns, typed by it. A cell that is not of its column's type fails no export: CSV has its
 * text in its column, and the others have it in `invalid`. Throws every failure, also that of a
 * reader that closes the pipe (EPIPE). The state folder is closed in any case.
 */
export async function exportCommand({
  state: folder,
  source: sourcePath,
  category,
  asOf,
  schema: schemaPath,
  out,
  shardRows,
  format,
  gzip = out?.endsWith('.gz') ?? false,
}: ExportCommand): Promise<void> {
  const columnSink = COLUMN_SINKS[format]
  if (shardRows !== undefined && out === undefined)
    throw usageError('--shard-rows', 'with --out and a folder', 'standard output')
  if (gzip && columnSink !== undefined)
    throw usageError('--gzip', 'with the formats ndjson and csv', `--format ${format}`)
  const own = sourcePath === undefined ? undefined : await feedOf(sourcePath, false)
  const schema = schemaPath === undefined ? own?.schema : await schemaFile(schemaPath)
  const target =
    shardRows !== undefined || out === undefined ? process.stdout : await writablePlace(out)
  const reader = await fifoWithReader(out)
  raiseHeapGrowth()
  try {
    await untilSignal(async signal => {
      const state = await (own ? openState : openServiceState)(folder, { signal })
      try {
        const categories = categoriesOf(folder, state, category)
        const compression = gzip ? ({ compress: 'gzip' } as const) : {}
        const sinkOf = <T>(sink: (target: SinkTarget) => Sink<T>): Sink<T> => {
          if (shardRows === undefined) return sink(target)
          const ending = `.${format}${gzip ? '.gz' : ''}`
          const about = aboutOf(asOf, categories)
          const key = own?.key ?? 'itemId'
          return shardSink(out!, { sink, ending, rows: shardRows, key, about })
        }
        // The rows themselves may be on the screen.
        const isWanted =
          process.stderr.isTTY === true && (out !== undefined || !process.stdout.isTTY)
        if (schema === undefined && format === 'ndjson') {
          const lines = blocksOf(categories, asOf, source => source.lines())
          const sink = sinkOf(to => byteSink(to, compression))
          return await used(counted(lines, linesIn, isWanted), async shown => {
            await pipeline(shown, { signal }).run(sink)
          })
        }
        const blocks = own
          ? rowsOf(state.feed(own), own, asOf)
          : blocksOf(categories, asOf, source => source.items())
        const items = schema === undefined || own ? blocks : knownColumns(schema, blocks)
        const typed = schema && new TypedItems(schema, format)
        await used(
          counted(items, ({ length }) => length, isWanted),
          async shown => {
            if (columnSink !== undefined) {
              const sink = sinkOf(await columnSink())
              const blocks = shardRows === undefined ? shown : cutBlocks(shown, shardRows)
              await pipeline(columnsOf(blocks, schema, typed), { signal }).run(sink)
              return
            }
            const plain =
              typed === undefined ? documentedCells : (item: StateItem) => typed.of(item)
            const columns = schema === undefined ? COLUMNS : Object.keys(schema.columns)
            const sink = sinkOf<PlainItem[]>(to =>
              format === 'ndjson'
                ? ndjsonSink(to, compression)
                : csvSink(to, { columns, ...compression }),
            )
            await pipeline(shown, { signal }).map(placed(plain)).run(sink)
          },
        )
        if (typed?.note !== undefined) printError(typed.note)
      } finally {
        await state.close()
      }
    })
  } finally {
    await reader?.close()
  }
}

/** Ends the reading of blocks, which has to end before the folder is closed. */
async function used<B>(blocks: Blocks<B>, use: (blocks: Blocks<B>) => Promise<void>) {
  try {
    await use(blocks)
  } finally {
    await blocks.return()
  }
}

/** Shows how many items have gone through. */
async function* counted<B>(blocks: Blocks<B>, countOf: (block: B) => number, isWanted: boolean) {
  const bar = progressBar(0, isWanted)
  let items = 0
  try {
    for await (const block of blocks) {
      yield block
      if (!isWanted) continue
      items += countOf(block)
      bar.update(items, `${items} items written`)
    }
  } finally {
    bar.stop()
  }
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++
  return lines
}

/**
 * Opens a FIFO, which waits for its reader. No signal is listened to meanwhile, so that each ends
 * the process.
 */
async function fifoWithReader(out: string | undefined): Promise<FileHandle | undefined> {
  if (out === undefined) return undefined
  const isFifo = await stat(out).then(
    found => found.isFIFO(),
    () => false,
  )
  return isFifo ? open(out, 'w') : undefined
}

/** What a manifest states of the rows: up to when they are complete. */
function aboutOf(asOf: Date | undefined, categories: readonly OpenCategory[]) {
  const times = asOf ? [asOf] : categories.flatMap(category => category.plan().watermark ?? [])
  if (times.length === 0) return {}
  return { watermark: new Date(Math.min(...times.map(time => time.getTime()))).toISOString() }
}

/** Divides blocks into those of at most so many items. */
async function* cutBlocks<T>(
  blocks: AsyncIterable<readonly T[]>,
  most: number,
): Blocks<readonly T[]> {
  for await (const block of blocks)
    for (let at = 0; at < block.length; at += most) yield block.slice(at, at + most)
}

/** Makes columns of the items, behind a batch that names them where there is no item. */
async function* columnsOf(
  blocks: AsyncIterable<readonly StateItem[]>,
  schema: FeedSchema | undefined,
  typed: TypedItems | undefined,
): AsyncGenerator<ColumnBatch, void, void> {
  yield stateItemColumns([], schema)
  for await (const block of blocks) {
    const batch = stateItemColumns(block, schema)
    const invalid = batch.column('invalid')
    // Counts the bad cells, and names the first one.
    for (const [n, item] of block.entries()) if (!invalid.isNull(n)) typed?.of(item)
    yield batch
  }
}

type ColumnSink = () => Promise<(target: SinkTarget) => Sink<ColumnBatch>>

const COLUMN_SINKS: { readonly [F in ExportCommand['format']]?: ColumnSink } = {
  parquet: async () => (await import('../../parquet')).parquetSink,
  arrow: async () => (await import('../../arrow')).arrowSink,
}

/** Items by a schema: a bad cell is null, and its text is kept. */
class TypedItems {
  #badCells = 0
  #first = ''
  #invalid: Record<string, string> = {}
  readonly #read: (item: StateItem) => PlainItem
  readonly #isText: boolean

  constructor(schema: FeedSchema, format: ExportCommand['format']) {
    this.#isText = format === 'csv'
    this.#read = stateItemReader(schema, {
      onBadCell: ({ column, text, error }) => {
        this.#invalid[column] = text
        if (this.#badCells++ === 0) this.#first = messageWithPlace(error)
      },
    })
  }

  of(item: StateItem): PlainItem {
    this.#invalid = {}
    const had = this.#badCells
    const object = this.#read(item)
    if (this.#badCells === had) return object
    if (had === 0) this.#first = `item ${item.itemId} in the file ${fileOf(item)}: ${this.#first}`
    const invalid = this.#invalid
    return this.#isText ? { ...object, ...invalid } : { ...object, invalid }
  }

  /** Returns a line for the user; undefined where all cells are of their type. */
  get note(): string | undefined {
    if (this.#badCells === 0) return undefined
    return `feedmill: ${this.#badCells} cells are not of their type in the schema and were written as text; the first: ${this.#first}`
  }
}

/**
 * Names the item and the file in an error of a row. The rows of a state are from many files, so a
 * position alone does not lead to the row.
 */
function placed(plain: (item: StateItem) => PlainItem): (item: StateItem) => PlainItem {
  return item => {
    try {
      return plain(item)
    } catch (error) {
      if (!FeedError.is(error)) throw error
      const message = `item ${item.itemId} in the file ${fileOf(item)}: ${messageWithPlace(error)}`
      throw new FeedError(error.code, message, error.context, { cause: error })
    }
  }
}

function fileOf({ row }: StateItem): string {
  const { feed, date, hour, id } = row.batch.file
  return [feed, date ?? hour?.toISOString() ?? id].filter(part => part !== undefined).join(' ')
}

/**
 * Reads one category after the other, because an earlier state is rebuilt on the disk and removed
 * before the next.
 */
async function* blocksOf<B>(
  categories: readonly OpenCategory[],
  asOf: Date | undefined,
  read: (from: Pick<OpenCategory, 'items' | 'lines'>) => AsyncIterable<B>,
): Blocks<B> {
  for (const category of categories) {
    if (asOf === undefined) {
      yield* read(category)
      continue
    }
    const past = await category.asOf(asOf)
    try {
      yield* read(past)
    } finally {
      await past.close()
    }
  }
}

/** Yields the rows of a feed of one's own as items, of which an export by a schema reads the rows. */
async function* rowsOf(
  feed: OpenFeed,
  source: FeedSource,
  asOf: Date | undefined,
): Blocks<readonly StateItem[]> {
  const past = asOf && (await feed.asOf(asOf, source))
  try {
    for await (const rows of (past ?? feed).rows())
      yield rows.map(row => ({ itemId: row.text(source.key), row }) as unknown as StateItem)
  } finally {
    await past?.close()
  }
}

/**
 * Gives the blocks of items as they are, and finds columns of a user's schema that the export would
 * leave empty in all items, such as a misspelt one. A column may be documented and absent from the
 * files, and the newest files alone may have one that is not documented, so the error comes after
 * all items. Without items nothing is known, and every name passes.
 * @throws FeedError OPTION_INVALID with the columns that neither the documents nor any item has
 */
async function* knownColumns(
  { columns }: FeedSchema,
  blocks: AsyncIterable<readonly StateItem[]>,
): AsyncGenerator<readonly StateItem[], void, void> {
  const unknown = new Map(
    Object.entries(columns).map(([name, { aliases = [] }]) => [
      name,
      [name, ...aliases].map(spelling => spelling.trim().toLowerCase()),
    ]),
  )
  const meet = (names: Iterable<string>) => {
    const met = new Set(Array.from(names, name => name.trim().toLowerCase()))
    for (const [name, spellings] of unknown)
      if (spellings.some(spelling => met.has(spelling))) unknown.delete(name)
  }
  meet(Object.keys(itemSnapshotSchema.columns))
  let items = 0
  for await (const block of blocks) {
    items += block.length
    // The rows of most schemas have only documented columns, so they cost nothing here.
    for (const { row } of block) if (unknown.size > 0) meet(Object.keys(row.toStrings()))
    yield block
  }
  if (items === 0 || unknown.size === 0) return
  const received = [...unknown.keys()].join(', ')
  const expected = 'columns of the items, by their names or aliases'
  const message = `--schema has columns that no item has: ${received}: correct the names, or add the names of the items as aliases`
  throw usageError('--schema', expected, received, message)
}

const COLUMNS = Object.keys(itemSnapshotSchema.columns)

function documentedCells({ row }: StateItem): PlainItem {
  return Object.fromEntries(COLUMNS.map(name => [name, row.text(name)]))
}
