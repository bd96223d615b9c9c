// A sink that writes columns as Parquet: one file, or one for each tuple of what is known of the
// files that the rows come from.

import { rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  ByteOutput,
  type ColumnBatch,
  ColumnItems,
  commitParts,
  type FeedFile,
  type FeedSchema,
  is,
  makeFolders,
  type OptionTable,
  type OwnSchema,
  type RowBatch,
  readOptions,
  type Sink,
  type SinkBatch,
  type SinkTarget,
  sinkFailed,
  sinkOfRuns,
  type TableItem,
} from '../../engine/index'
import { COMPRESSIONS, type Codec, type Compression, codecOf } from './compression'
import { type FileOptions, NAME, ParquetFile } from './parquet-file'

/** What is known of a file, as the name of a folder. */
export type ParquetPartition = 'marketplace' | 'category' | 'date'

export interface ParquetSinkOptions<S = OwnSchema> {
  /**
   * The most rows of a row group, which is in memory, compressed, until it is written. It also ends
   * with 64 MiB before compression. Default: 65,536. Bounds: 1 to 1,048,576.
   */
  readonly rowGroupRows?: number
  /** How pages are compressed; `zstd` needs Node 22.15 or 23.8. Default: `snappy`. */
  readonly compression?: Compression
  /**
   * Makes `target` a folder with a file for each tuple of these values, as
   * `marketplace=MKT_US/category=1/date=2026-11-25/item.parquet`. Default: one file.
   */
  readonly partitionBy?: readonly ParquetPartition[]
  /**
   * The schema of plain objects, which they need; a property that it lacks is refused. Batches have
   * their own. Default: none.
   */
  readonly schema?: S
}

/** Files of a run that are open at the same time. */
const MOST_OPEN = 1000
/** Bytes of memory in the row groups of all files. Beyond it the largest one ends. */
const MOST_HELD_BYTES = 1 << 25
/** The value of a folder where nothing is known, as Hive writes it. */
const UNKNOWN = '__HIVE_DEFAULT_PARTITION__'
const FOLDER_OF: Readonly<Record<ParquetPartition, (file: FeedFile) => string | undefined>> = {
  marketplace: file => file.marketplace,
  category: file => file.categoryId,
  date: ({ date, hour }) =>
    date?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') ?? hour?.toISOString().slice(0, 10),
}
const PARTITIONS = Object.keys(FOLDER_OF) as readonly ParquetPartition[]

const OPTIONS = {
  rowGroupRows: [is.wholeNumber(1, 1 << 20), 65_536],
  compression: [is.choice(...COMPRESSIONS), 'snappy'],
  partitionBy: [partitions],
  schema: is.any,
} satisfies OptionTable<ParquetSinkOptions>

function partitions(option: string, parts: readonly ParquetPartition[]) {
  for (const part of is.arrayOf(option, parts)) is.choice(...PARTITIONS)(option, part)
  return parts
}

/**
 * Makes a sink that writes batches of columns or of rows, or plain objects, as Parquet. Lists and structs are nested
 * columns, decimals are DECIMAL(38, scale), timestamps are in UTC, and each row group has the
 * statistics of its columns. An empty cell is null, and an empty list is an empty list.
 *
 * - Files appear when the pipeline has succeeded; before, and after a failure, those at `target`
 *   stay as they were; an error behind a rename names the files that are new. A run needs a batch,
 *   which may be one without a row, to know the columns.
 * - Rows of several files may go into one: a column that the first batch lacks is COLUMN_UNKNOWN.
 * - With `partitionBy` a run replaces the files of the tuples that it has rows for. Row groups end
 *   early where those of all files have 32 MiB of memory. At most 1,000 files are open at a time, so
 *   rows that come back to one behind 1,000 others are SINK_FAILED. Readers make columns of the names
 *   of the folders, so a column of the rows that is called `category` is `category#2`.
 * @param target the path of the file or folder; or a Node stream, which the sink does not end
 * @throws FeedError OPTION_INVALID at the call; DEPENDENCY_UNSUPPORTED for `zstd` where Node lacks it;
 * SINK_FAILED; SINK_PARTLY_COMMITTED; COLUMN_UNKNOWN; SINK_VALUE_INVALID for an item that is no batch,
 * and no plain object where there is a schema; CELL_INVALID for a bad cell
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { FileSource, Gunzip, itemSchema, pipeline, TsvColumnParser } from 'feedmill'
 * import { parquetSink } from 'feedmill/parquet'
 * // given: path
 *
 * await pipeline(new FileSource(path))
 *   .to(new Gunzip())
 *   .to(new TsvColumnParser({ schema: itemSchema }))
 *   .run(parquetSink('items.parquet'))
 * console.log(readFileSync('items.parquet', 'latin1').slice(0, 4))
 * // => PAR1
 * ```
 */
export function parquetSink(
  target: SinkTarget,
  options?: ParquetSinkOptions<undefined>,
): Sink<ColumnBatch | RowBatch>
export function parquetSink<T, S extends FeedSchema>(
  target: SinkTarget,
  options: ParquetSinkOptions<S> & { readonly schema: S },
): Sink<TableItem<T, S>>
export function parquetSink(target: SinkTarget, options: ParquetSinkOptions = {}): Sink<unknown> {
  const settings = settingsOf(target, options)
  return sinkOfRuns(NAME, settings.output, () => new ParquetRun(settings))
}

interface Settings extends FileOptions {
  readonly output: ByteOutput
  readonly target: SinkTarget
  readonly compression: Compression
  readonly partitionBy: readonly ParquetPartition[] | undefined
  readonly schema: OwnSchema
}

/** @throws FeedError OPTION_INVALID */
function settingsOf(target: SinkTarget, options: ParquetSinkOptions): Settings {
  const settings = readOptions(options, OPTIONS)
  // The first ones only check what is given: each run has its own.
  const output = new ByteOutput(target, NAME)
  new ColumnItems(NAME, settings.schema)
  const place = typeof target === 'string' ? resolve(target) : target
  if (settings.partitionBy !== undefined) is.filePath('target', place as string)
  return { output, target: place, ...settings }
}

class ParquetRun {
  readonly #settings: Settings
  readonly #items: ColumnItems
  #codec: Codec | undefined
  /** The output that is being opened. */
  #opening: ByteOutput | undefined
  /** By their paths, the one that was written last at the end. */
  readonly #open = new Map<string, ParquetFile>()
  readonly #prepared = new Map<string, ParquetFile>()
  /** Folders that this run has made, each behind those in it. */
  readonly #folders: string[] = []

  constructor(settings: Settings) {
    this.#settings = settings
    this.#items = new ColumnItems(NAME, settings.schema)
  }

  async open(): Promise<void> {
    const { target, partitionBy, compression } = this.#settings
    this.#codec = codecOf(compression)
    // Only so does a target that cannot be written fail before the first batch.
    if (partitionBy === undefined) await this.#opened(target)
  }

  async write(item: unknown): Promise<void> {
    for (const batch of this.#items.take(item)) await this.#write(batch)
  }

  async prepare(): Promise<void> {
    for (const batch of this.#items.rest()) await this.#write(batch)
    await this.#writeEmpty()
    for (const path of [...this.#open.keys()]) await this.#prepareFile(path)
  }

  async commit(): Promise<void> {
    await commitParts(this.#prepared)
  }

  async abort(): Promise<void> {
    await this.#opening?.abort()
    for (const file of [...this.#open.values(), ...this.#prepared.values()]) await file.abort()
    // A folder that has got other files stays.
    for (const folder of this.#folders) await rmdir(folder).catch(() => {})
  }

  async #write(batch: SinkBatch): Promise<void> {
    const { target, partitionBy } = this.#settings
    const file = await this.#opened(
      partitionBy === undefined ? target : pathOf(target as string, partitionBy, batch.file),
    )
    await file.write(batch)
    await this.#releaseMemory()
  }

  /** A run without objects has the columns of its schema, in the one file where it has no folders. */
  async #writeEmpty(): Promise<void> {
    const file = this.#open.get(String(this.#settings.target))
    const empty = this.#items.empty()
    if (file?.isEmpty && empty !== undefined) await this.#write(empty)
  }

  async #releaseMemory(): Promise<void> {
    if (this.#open.size === 1) return
    const files = [...this.#open.values()]
    const held = files.reduce((sum, { heldBytes }) => sum + heldBytes, 0)
    if (held <= MOST_HELD_BYTES) return
    const largest = files.reduce((a, b) => (b.heldBytes > a.heldBytes ? b : a))
    await largest.release()
  }

  async #opened(target: SinkTarget): Promise<ParquetFile> {
    const key = String(target)
    let file = this.#open.get(key)
    file ??= await this.#newFile(key, target)
    this.#open.delete(key)
    this.#open.set(key, file)
    return file
  }

  async #newFile(path: string, target: SinkTarget): Promise<ParquetFile> {
    if (this.#prepared.has(path))
      throw sinkFailed(NAME, path, `its rows come back behind those of ${MOST_OPEN} others`)
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size === MOST_OPEN) await this.#prepareFile(oldest)
    if (this.#settings.partitionBy !== undefined) await this.#makeFolder(dirname(path))
    const output = new ByteOutput(target, NAME)
    this.#opening = output
    await output.open()
    this.#opening = undefined
    return new ParquetFile(output, this.#codec!, this.#settings)
  }

  async #prepareFile(path: string): Promise<void> {
    const file = this.#open.get(path)!
    await file.prepare()
    this.#open.delete(path)
    this.#prepared.set(path, file)
  }

  async #makeFolder(folder: string): Promise<void> {
    try {
      this.#folders.unshift(...(await makeFolders(folder)))
    } catch (cause) {
      throw sinkFailed(NAME, folder, cause)
    }
  }
}

function pathOf(folder: string, partitionBy: readonly ParquetPartition[], file: FeedFile): string {
  const folders = partitionBy.map(part => {
    const value = FOLDER_OF[part](file)
    return `${part}=${value === undefined ? UNKNOWN : encodeURIComponent(value)}`
  })
  return join(folder, ...folders, `${encodeURIComponent(file.feed)}.parquet`)
}
