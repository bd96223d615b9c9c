// The keyed store on disk: an index by classic-level, from keys to short entries, and a value log
// with the longer values. LevelDB alone would write every row again at each of its levels. This
// file owns opening, reading and closing. block-writer.ts decides what a crash leaves;
// level-files.ts, store-meta.ts and the checksums of values find damage. It is one
// piece, because reading, writing and compaction share the index, the log and the blocks that are
// not on the disk yet.

import { join } from 'node:path'
import {
  corruptState,
  filePath,
  flag,
  knownOptions,
  machineFiles,
  type OptionNames,
  wholeNumber,
} from '../../engine/index'
import type {
  KeyedStore,
  KeyRange,
  ReadOptions,
  StoreEntry,
  StoreOp,
  WriteOptions,
} from '../keyed-store'
import { BLOCK_BYTES, BlockWriter } from './block-writer'
import { BloomFilter, FILTER_BYTES } from './bloom-filter'
import { HEAD_BYTES, type IndexEntry, type PlacedEntry, readEntry, readHead } from './index-entry'
import {
  LevelDatabase,
  type LevelDatabaseOptions,
  type RawEntry,
  TABLE_BYTES,
} from './level-database'
import { checkLevelFiles } from './level-files'
import {
  checkCleanShutdownMarker,
  type Meta,
  NEW_META,
  readMeta,
  writeCleanShutdownMarker,
  writeMeta,
} from './store-meta'
import { collectValues, ValueLog } from './value-log'
import { placedLength, type TakeLength, type WriteBlock } from './write-block'

export interface LevelStoreOptions {
  /** Limit of the memory of the store in bytes, about. Default: 48 MiB; least: 16 MiB. */
  readonly memoryBytes?: number
  /**
   * With false, no write waits for the disk, and a power loss may damage the store. Default: true.
   */
  readonly durable?: boolean
  /**
   * @internal Bytes on disk that the store may take beyond twice those in use, before it compacts its log.
   * Default: 256 MiB.
   */
  readonly slackBytes?: number
  /**
   * @internal With true, a missing store is STATE_CORRUPT. With false, a missing store is made. Default:
   * false.
   */
  readonly mustExist?: boolean
}

/** The parts of a snapshot. */
interface SnapshotFiles {
  readonly store: string
  readonly place: string
  readonly log: ValueLog
  readonly memoryBytes: number
}

const MIB = 2 ** 20
const LEAST_MEMORY_BYTES = 16 * MIB
/**
 * LevelDB holds two write buffers. A buffer that is full becomes a table, and some hundred reads
 * that look into this table in vain make LevelDB merge it into the older ones. A synchronisation
 * reads so many keys that LevelDB writes most of its index once for each buffer, so that larger
 * buffers save work.
 */
const WRITE_BUFFER_PART = 2 / 5
/** Folders of the store. */
export const [INDEX, VALUES] = ['index', 'values'] as const

/**
 * A store in a folder on disk, which needs the package classic-level. {@link LevelStore.open} opens
 * it.
 *
 * @example
 * ```ts
 * import { SnapshotMerger } from 'feedmill'
 * import { LevelStore } from 'feedmill/level'
 * // given: bootstrap
 *
 * const store = await LevelStore.open('merged')
 * const merger = new SnapshotMerger({ store, changes: 'none' })
 * const { stages } = await bootstrap.to(merger).forEach(() => {})
 * await store.close() // The state stays in the folder `merged`.
 * console.log(stages.at(-1)?.stage)
 * // => SnapshotMerger
 * ```
 */
export class LevelStore implements KeyedStore {
  readonly #folder: string
  readonly #index: LevelDatabase
  readonly #log: ValueLog
  readonly #writer: BlockWriter
  readonly #options: CompleteOptions
  /**
   * Bytes of the log that are in use, about. Without a filter, those of the last compaction or
   * closing, or those when the filter was dropped.
   */
  #liveBytes: number
  /** Number of keys that the store did not have before. */
  #newKeys = 1
  /** The keys of a new store, while that is useful; undefined for a store that existed before. */
  #filter: BloomFilter | undefined
  /** True for a store that this object has made, which knows the bytes that are in use. */
  readonly #isNew: boolean
  /** 1 where the latest read from the disk went up in key order, and -1 where it went down. */
  #readOrder = 1
  /** Number of reads that may still use an emptied segment. */
  #readers = 0
  #emptied: number[] = []

  /** @param meta undefined for a new store */
  private constructor(
    folder: string,
    index: LevelDatabase,
    log: ValueLog,
    options: CompleteOptions,
    meta: Meta | undefined,
  ) {
    this.#folder = folder
    this.#index = index
    this.#log = log
    this.#options = options
    this.#writer = new BlockWriter({
      index,
      log,
      durable: options.durable,
      onArrived: () => this.#tidy(),
    })
    this.#liveBytes = meta?.liveBytes ?? 0
    this.#isNew = meta === undefined
    this.#filter = this.#isNew ? new BloomFilter() : undefined
  }

  /**
   * Opens the store in a folder, or makes it there. The call reads the whole index, about 60 bytes
   * an entry, and compares it with its checksums.
   * @throws FeedError OPTION_INVALID, DEPENDENCY_MISSING without classic-level, STATE_LOCKED where
   * another store or process has it open, STATE_CORRUPT, STATE_IO
   */
  static async open(folder: string, options: LevelStoreOptions = {}): Promise<LevelStore> {
    const complete = completeOptions(options)
    const values = join(filePath('folder', folder), VALUES)
    const isNew = !(await exists(values))
    if (isNew && complete.mustExist) throw corruptState(folder, 'the store is missing')
    await checkIndex(folder, isNew)
    const index = await LevelDatabase.open(join(folder, INDEX), indexOptions(complete))
    return LevelStore.#over({
      folder,
      index,
      complete,
      isNew,
      openLog: () => ValueLog.open(values, complete.slackBytes / 2),
    })
  }

  /** @internal Opens a {@link LevelSnapshot}, which is closed with the store. */
  static async openSnapshot({
    store,
    place,
    log,
    memoryBytes,
  }: SnapshotFiles): Promise<LevelStore> {
    // A store that is not durable leaves no clean-shutdown marker.
    const complete = completeOptions({ memoryBytes, durable: false })
    await checkIndex(place, false)
    const index = await LevelDatabase.open(
      join(place, INDEX),
      indexOptions(complete),
      join(store, INDEX),
    )
    return LevelStore.#over({
      folder: store,
      index,
      complete,
      isNew: false,
      openLog: async () => log,
    })
  }

  static async #over({ folder, index, complete, isNew, openLog }: StoreParts): Promise<LevelStore> {
    try {
      const meta = await readMeta(index)
      if (meta === undefined && !isNew)
        throw corruptState(folder, 'the index is not that of the values')
      if (meta === undefined) await writeMeta(index, NEW_META)
      return new LevelStore(folder, index, await openLog(), complete, meta)
    } catch (error) {
      await index.close()
      throw error
    }
  }

  /** @throws FeedError STATE_CORRUPT, STATE_IO */
  async getMany(
    keys: readonly string[],
    { firstBytes = Number.POSITIVE_INFINITY }: ReadOptions = {},
  ): Promise<(Uint8Array | undefined)[]> {
    this.#readers++
    try {
      const values = new Array<Uint8Array | undefined>(keys.length)
      const stored = this.#readMemory(keys, values, firstBytes)
      if (this.#filter?.isUseful === false) this.#filter = undefined
      if (stored.length > 0) await this.#readDisk(stored, keys, values, firstBytes)
      return values
    } finally {
      this.#readers--
    }
  }

  /**
   * Waits where writes come faster than the disk takes them. After a failed write all later writes
   * fail, because the content of the disk is unknown.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async write(ops: readonly StoreOp[], { sync = false }: WriteOptions = {}): Promise<void> {
    await this.#writer.add(ops)
    this.#note(take => {
      for (const { key, value } of ops) take(key, value?.length ?? null)
    })
    if (sync) await this.#writer.flush()
  }

  /** @internal */
  newBlock(): WriteBlock {
    return this.#writer.newBlock()
  }

  /** @internal As {@link write}, for a block from {@link newBlock}. */
  async writeBlock(block: WriteBlock, { sync = false }: WriteOptions = {}): Promise<void> {
    this.#note(take => block.giveLengths(take))
    await this.#writer.take(block)
    if (sync) await this.#writer.flush()
  }

  /**
   * Makes durable all that was written.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  flush(): Promise<void> {
    return this.#writer.flush()
  }

  async *entries(
    range: KeyRange = {},
    { firstBytes = Number.POSITIVE_INFINITY }: ReadOptions = {},
  ): AsyncGenerator<readonly StoreEntry[], void, void> {
    await this.flush()
    this.#readers++
    try {
      for await (const block of this.#index.entries(range))
        yield await this.#valuesOf(block, firstBytes)
    } finally {
      this.#readers--
    }
  }

  /** Returns the bytes that the store takes on the disk, about. */
  async bytesOnDisk(): Promise<number> {
    return this.#log.byteLength + (await this.#index.byteLength())
  }

  /**
   * Writes the last blocks, unless a write has failed before, and closes the store. @throws
   * FeedError STATE_IO
   */
  async close(): Promise<void> {
    try {
      if (!this.#writer.failed) {
        await this.flush()
        if (this.#isNew) await this.#saveLiveBytes()
      }
    } finally {
      await this.#log.close()
      await this.#index.close()
    }
    if (!this.#writer.failed && this.#options.durable)
      await writeCleanShutdownMarker(this.#folder, join(this.#folder, INDEX))
  }

  /**
   * Adds keys to the filter, and estimates the bytes that come into use and go out of it. The size
   * of a replaced value is not known; the estimate is the mean size.
   * @param lengths calls its argument with each written key
   */
  #note(lengths: (take: TakeLength) => void): void {
    const filter = this.#filter
    if (filter === undefined) return
    // A number in a field of the object would be allocated again at each key.
    let newKeys = 0
    let replaced = 0
    let bytes = 0
    lengths((key, length) => {
      if (filter.add(key)) newKeys++
      else replaced++
      bytes += placedLength(length ?? 0)
    })
    this.#liveBytes += bytes - replaced * (this.#liveBytes / this.#newKeys)
    this.#newKeys += newKeys
  }

  /** Saves what {@link #tidy} of the next process needs. */
  #saveLiveBytes(): Promise<void> {
    return writeMeta(this.#index, {
      ...NEW_META,
      liveBytes: Math.max(0, Math.round(this.#liveBytes)),
    })
  }

  /**
   * Fills in the values that are in memory.
   * @returns indexes of the keys that may be on the disk
   */
  #readMemory(
    keys: readonly string[],
    values: (Uint8Array | undefined)[],
    firstBytes: number,
  ): number[] {
    const [current, leaving] = this.#writer.blocks
    const others: number[] = []
    for (let n = 0; n < keys.length; n++) {
      const key = keys[n]!
      if (this.#filter !== undefined && !this.#filter.mayHave(key)) continue
      let value = current?.valueOf(key, firstBytes)
      if (value === undefined) value = leaving?.valueOf(key, firstBytes)
      if (value === undefined) others.push(n)
      else if (value !== null) values[n] = value
    }
    return others
  }

  async #readDisk(
    places: number[],
    keys: readonly string[],
    values: (Uint8Array | undefined)[],
    firstBytes: number,
  ): Promise<void> {
    // Reading in key order opens each table once, even where more tables exist than may be open.
    // Going up and down in turns begins with the tables that the call before has left open.
    const order = (this.#readOrder = -this.#readOrder)
    places.sort((a, b) => (Number(keys[a]! > keys[b]!) - Number(keys[a]! < keys[b]!)) * order)
    const found = await this.#index.getMany(places.map(n => keys[n]!))
    const longer: number[] = []
    const entries: PlacedEntry[] = []
    for (let at = 0; at < found.length; at++) {
      const bytes = found[at]
      if (bytes === undefined) continue
      const n = places[at]!
      if (firstBytes <= HEAD_BYTES) {
        values[n] = readHead(bytes, this.#folder)
        continue
      }
      const entry = this.#entry(bytes)
      if (entry.place === undefined) values[n] = entry.value
      else {
        longer.push(n)
        entries.push(entry)
      }
    }
    const read = await this.#log.read(entries)
    for (const [at, n] of longer.entries()) values[n] = read[at]
  }

  async #valuesOf(block: readonly RawEntry[], firstBytes: number): Promise<StoreEntry[]> {
    const entries = block.map(({ bytes }) => this.#entry(bytes))
    const longer = firstBytes <= HEAD_BYTES ? [] : entries.filter(isPlaced)
    const read = await this.#log.read(longer)
    let next = 0
    return block.map(({ key }, n) => {
      const entry = entries[n]!
      if (entry.place === undefined) return { key, value: entry.value }
      return { key, value: longer.length === 0 ? entry.head : read[next++]! }
    })
  }

  #entry(bytes: Uint8Array): IndexEntry {
    return readEntry(bytes, this.#folder)
  }

  /** Compacts the log between two blocks where that is due. */
  async #tidy(): Promise<void> {
    await this.#removeEmptied()
    // Segments that a reader delays would be found again.
    if (this.#emptied.length > 0) return
    const { durable, slackBytes } = this.#options
    if (this.#log.byteLength < 2 * this.#liveBytes + slackBytes) return
    const { liveBytes, emptied } = await collectValues({
      index: this.#index,
      log: this.#log,
      durable,
    })
    this.#liveBytes = liveBytes
    await this.#saveLiveBytes()
    this.#emptied.push(...emptied)
    await this.#removeEmptied()
  }

  async #removeEmptied(): Promise<void> {
    if (this.#readers > 0) return
    for (const segment of this.#emptied.splice(0)) await this.#log.remove(segment)
  }
}

type CompleteOptions = Required<LevelStoreOptions>

interface StoreParts {
  readonly folder: string
  readonly index: LevelDatabase
  readonly complete: CompleteOptions
  readonly isNew: boolean
  readonly openLog: () => Promise<ValueLog>
}

const NAMES: OptionNames<LevelStoreOptions> = {
  memoryBytes: true,
  durable: true,
  slackBytes: true,
  mustExist: true,
}

function completeOptions(options: LevelStoreOptions): CompleteOptions {
  const {
    memoryBytes = 48 * MIB,
    durable = true,
    slackBytes = 256 * MIB,
    mustExist = false,
  } = knownOptions(options, NAMES)
  return {
    memoryBytes: wholeNumber('memoryBytes', memoryBytes, LEAST_MEMORY_BYTES),
    durable: flag('durable', durable),
    slackBytes: wholeNumber('slackBytes', slackBytes),
    mustExist: flag('mustExist', mustExist),
  }
}

/**
 * Returns the options of the index: open tables get the memory that blocks, filter and write
 * buffers leave.
 */
function indexOptions({ memoryBytes }: CompleteOptions): LevelDatabaseOptions {
  const shared = memoryBytes - 2 * BLOCK_BYTES - FILTER_BYTES
  const writeBufferBytes = Math.floor(shared * WRITE_BUFFER_PART)
  const rest = shared - 2 * writeBufferBytes
  return {
    writeBufferBytes,
    cacheBytes: MIB,
    openTables: Math.floor(rest / TABLE_BYTES),
  }
}

async function checkIndex(folder: string, isNew: boolean): Promise<void> {
  const index = join(folder, INDEX)
  // The index is made before the log, so a log without an index has lost it. LevelDB would make a
  // new one.
  if (!isNew && !(await exists(join(index, 'CURRENT'))))
    throw corruptState(folder, 'the index of the values is missing')
  if (!(await exists(index))) return
  await checkCleanShutdownMarker(folder, index)
  await checkLevelFiles(index)
}

function isPlaced(entry: IndexEntry): entry is PlacedEntry {
  return entry.place !== undefined
}

async function exists(path: string): Promise<boolean> {
  return (await machineFiles.size(path)) !== undefined
}
