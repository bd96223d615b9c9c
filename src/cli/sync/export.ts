// `feedmill export`: writes the merged items of a state folder, of now or of an earlier time, to
// one file.

import {
  csvSink,
  FeedError,
  type FeedSchema,
  itemSnapshotSchema,
  ndjsonSink,
  pipeline,
  type Sink,
} from '../../index'
import {
  type OpenCategory,
  type OpenState,
  openState,
  type StateItem,
  stateItemObject,
  stateItemReader,
} from '../../sync/index'
import { messageWithPlace } from '../error-place'
import { schemaFile } from '../schema-file'
import { knownColumns } from './known-columns'
import { stopRequest } from './stop-signals'

export interface ExportCommand {
  /** The state folder. */
  readonly state: string
  /** The categories to export. Default: all categories of the folder. */
  readonly category: readonly string[]
  readonly asOf?: Date
  /** The path of a schema, which names the columns to write and their types. */
  readonly schema?: string
  /** A file, a device or a FIFO. Default: standard output. */
  readonly out?: string
  readonly format: 'ndjson' | 'csv'
  /** Compresses the output, as a name that ends in .gz does too. */
  readonly gzip?: boolean
}

type PlainItem = Record<string, unknown>

/**
 * NDJSON has all cells of an item, typed, with its priority and its group; CSV has the documented
 * columns, as text. With a schema both have its columns, typed by it. Throws every failure, also
 * that of a reader that closes the pipe (EPIPE). The state folder is closed in any case.
 */
export async function exportCommand({
  state: folder,
  category,
  asOf,
  schema: schemaPath,
  out,
  format,
  gzip = out?.endsWith('.gz') ?? false,
}: ExportCommand): Promise<void> {
  const schema = schemaPath === undefined ? undefined : await schemaFile(schemaPath)
  const sink = sinkOf({ format, out, gzip, schema })
  const stop = stopRequest()
  try {
    const state = await openState(folder, { signal: stop.signal })
    try {
      const blocks = blocksOf(categoriesOf(state, category), asOf)
      const items = schema === undefined ? blocks : knownColumns(schema, blocks)
      await written(items, placed(plainOf(format, schema)), sink, stop.signal)
    } finally {
      await state.close()
    }
  } catch (error) {
    if (stop.signal.aborted) process.exitCode = stop.exitCode
    else throw error
  } finally {
    stop.release()
  }
}

async function written(
  items: AsyncGenerator<readonly StateItem[], void, void>,
  plain: (item: StateItem) => PlainItem,
  sink: Sink<PlainItem[]>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await pipeline(items, { signal }).map(plain).run(sink)
  } finally {
    // The reading has to end before the folder is closed.
    await items.return()
  }
}

interface Output {
  readonly format: ExportCommand['format']
  readonly out: string | undefined
  readonly gzip: boolean
  readonly schema: FeedSchema | undefined
}

function sinkOf({ format, out, gzip, schema }: Output): Sink<PlainItem[]> {
  const compression = gzip ? ({ compress: 'gzip' } as const) : {}
  const target = out ?? process.stdout
  if (format === 'ndjson') return ndjsonSink(target, compression)
  const columns = schema === undefined ? COLUMNS : Object.keys(schema.columns)
  return csvSink(target, { columns, ...compression })
}

function plainOf(
  format: ExportCommand['format'],
  schema: FeedSchema | undefined,
): (item: StateItem) => PlainItem {
  if (schema !== undefined) return stateItemReader(schema)
  return format === 'csv' ? documentedCells : stateItemObject
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
      const { feed, date, hour } = item.row.batch.file
      const file = [feed, date ?? hour?.toISOString()].filter(part => part !== undefined).join(' ')
      const message = `item ${item.itemId} in the file ${file}: ${messageWithPlace(error)}`
      throw new FeedError(error.code, message, error.context, { cause: error })
    }
  }
}

function categoriesOf(
  { categories }: OpenState,
  wanted: readonly string[],
): readonly OpenCategory[] {
  const known = categories.map(({ categoryId }) => categoryId)
  const unknown = wanted.find(id => !known.includes(id))
  if (unknown !== undefined) throw wrong('category', `one of ${known.join(', ')}`, unknown)
  return wanted.length === 0
    ? categories
    : categories.filter(({ categoryId }) => wanted.includes(categoryId))
}

/**
 * Reads one category after the other, because an earlier state is rebuilt on the disk and removed
 * before the next.
 */
async function* blocksOf(
  categories: readonly OpenCategory[],
  asOf: Date | undefined,
): AsyncGenerator<readonly StateItem[], void, void> {
  for (const category of categories) {
    if (asOf === undefined) {
      yield* category.items()
      continue
    }
    const past = await category.asOf(asOf)
    try {
      yield* past.items()
    } finally {
      await past.close()
    }
  }
}

const COLUMNS = Object.keys(itemSnapshotSchema.columns)

function documentedCells({ row }: StateItem): PlainItem {
  return Object.fromEntries(COLUMNS.map(name => [name, row.text(name)]))
}

function wrong(option: string, expected: string, received: string): FeedError<'OPTION_INVALID'> {
  return new FeedError('OPTION_INVALID', `${option} must be ${expected}`, {
    option,
    expected,
    received,
  })
}
