// A sink that writes columns as Parquet: one file, or one for each tuple of what is known of the
// files that the rows come from.

import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  ByteOutput,
  type ColumnBatch,
  columnsOf,
  commitParts,
  type FeedFile,
  is,
  type OptionTable,
  type RowBatch,
  readOptions,
  type Sink,
  type SinkTarget,
  sinkFailed,
  sinkOfRuns,
} from '../../engine/index'
import {
  COMPRESSIONS,
  type Compression,
  type FileOptions,
  loadParquet,
  NAME,
  ParquetFile,
  type ParquetWasm,
} from './parquet-file'

/** What is known of a file, as the name of a folder. */
export type ParquetPartition = 'marketplace' | 'category' | 'date'

export interface ParquetSinkOptions {
  /**
   * Rows of a row group, which is in memory until it is written. Default: 65,536. Bounds: 1 to
   * 1,048,576.
   */
  readonly rowGroupRows?: number
  /** How pages are compressed. Default: `snappy`. */
  readonly compression?: Compression
  /**
   * Makes `target` a folder with a file for each tuple of these values, as
   * `marketplace=MKT_US/category=1/date=2026-11-25/item.parquet`. Default: one file.
   */
  readonly partitionBy?: readonly ParquetPartition[]
}

/** Files of a run that have a row group in memory at the same time. */
const MOST_OPEN = 4
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
} satisfies OptionTable<ParquetSinkOptions>

function partitions(option: string, parts: readonly ParquetPartition[]) {
  for (const part of is.arrayOf(option, parts)) is.choice(...PARTITIONS)(option, part)
  return parts
}

/**
 * Makes a sink that writes batches of columns, or of rows, as Parquet. Lists and structs are nested
 * columns, decimals are DECIMAL(38, scale), timestamps are in UTC, and each row group has the
 * statistics of its columns. An empty cell is null, and an empty list is an empty list.
 *
 * - Files appear when the pipeline has succeeded; before, and after a failure, those at `target`
 *   stay as they were; an error behind a rename names the files that are new. A run needs a batch,
 *   which may be one without a row, to know the columns.
 * - Rows of several files may go into one: a column that the first batch lacks is COLUMN_UNKNOWN.
 * - With `partitionBy` a run replaces the files of the tuples that it has rows for. At most four
 *   are written at a time, so rows that come back to a fifth are SINK_FAILED. Readers make columns of
 *   the names of the folders, so a column of the rows that is called `category` is `category#2`.
 * @param target the path of the file or folder; or a Node stream, which the sink does not end
 * @throws FeedError OPTION_INVALID at the call; DEPENDENCY_MISSING without the package
 * `parquet-wasm`; SINK_FAILED; SINK_PARTLY_COMMITTED; COLUMN_UNKNOWN; SINK_VALUE_INVALID for an item
 * that is no batch; CELL_INVALID for a bad cell of a batch of rows
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
  options: ParquetSinkOptions = {},
): Sink<ColumnBatch | RowBatch> {
  const settings = settingsOf(target, options)
  return sinkOfRuns(NAME, settings.output, () => new ParquetRun(settings))
}

interface Settings extends FileOptions {
  readonly output: ByteOutput
  readonly target: SinkTarget
  readonly partitionBy: readonly ParquetPartition[] | undefined
}

/** @throws FeedError OPTION_INVALID */
function settingsOf(target: SinkTarget, options: ParquetSinkOptions): Settings {
  const { partitionBy, ...format } = readOptions(options, OPTIONS)
  // The first output only checks the target: each run has outputs of its own.
  const output = new ByteOutput(target, NAME)
  const place = typeof target === 'string' ? resolve(target) : target
  if (partitionBy !== undefined) is.filePath('target', place as string)
  return { output, target: place, ...format, partitionBy }
}

class ParquetRun {
  readonly #settings: Settings
  #api: ParquetWasm | undefined
  /** The output that is being opened. */
  #opening: ByteOutput | undefined
  /** By their paths, the one that was written last at the end. */
  readonly #open = new Map<string, ParquetFile>()
  readonly #prepared = new Map<string, ParquetFile>()
  /** Folders that this run has made, each before those in it. */
  readonly #folders: string[] = []
  #rows = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async open(): Promise<void> {
    this.#api = await loadParquet()
    const { target, partitionBy } = this.#settings
    // Only so does a target that cannot be written fail before the first batch.
    if (partitionBy === undefined) await this.#opened(target)
  }

  async write(item: ColumnBatch | RowBatch): Promise<void> {
    const batch = columnsOf(item, NAME, this.#rows + 1)
    const { target, partitionBy } = this.#settings
    const file = await this.#opened(
      partitionBy === undefined ? target : pathOf(target as string, partitionBy, batch.file),
    )
    await file.write(batch)
    this.#rows += batch.length
  }

  async prepare(): Promise<void> {
    for (const path of [...this.#open.keys()]) await this.#prepareFile(path)
  }

  async commit(): Promise<void> {
    await commitParts(this.#prepared)
  }

  async abort(): Promise<void> {
    await this.#opening?.abort()
    for (const file of [...this.#open.values(), ...this.#prepared.values()]) await file.abort()
    // A folder that has got other files stays.
    for (const folder of this.#folders.reverse()) await rmdir(folder).catch(() => {})
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
      throw sinkFailed(NAME, path, `its rows come in turns with more than ${MOST_OPEN - 1} others`)
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size === MOST_OPEN) await this.#prepareFile(oldest)
    if (this.#settings.partitionBy !== undefined) await this.#makeFolder(dirname(path))
    const output = new ByteOutput(target, NAME)
    this.#opening = output
    await output.open()
    this.#opening = undefined
    return new ParquetFile(this.#api!, output, this.#settings)
  }

  async #prepareFile(path: string): Promise<void> {
    const file = this.#open.get(path)!
    await file.prepare()
    this.#open.delete(path)
    this.#prepared.set(path, file)
  }

  async #makeFolder(folder: string): Promise<void> {
    try {
      const first = await mkdir(folder, { recursive: true })
      if (first === undefined) return
      const made = [folder]
      while (made[0] !== first) made.unshift(dirname(made[0]!))
      this.#folders.push(...made)
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
