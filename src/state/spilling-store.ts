// The default keyed store of the stages. It keeps its entries in memory up to a number of bytes,
// and in a temporary folder on disk from then on. Its answers are the same in both places.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  FeedError,
  filePath,
  knownOptions,
  type OptionNames,
  onDisk,
  removeAtExit,
  removeNow,
  stateIo,
  wholeNumber,
} from '../engine/index'
import type {
  KeyedStore,
  KeyRange,
  ReadOptions,
  StoreEntry,
  StoreOp,
  WriteOptions,
} from './keyed-store'
import { LevelStore } from './level/level-store'
import { MemoryStore } from './memory/memory-store'

const MIB = 2 ** 20
const DEFAULT_MEMORY_BYTES = 64 * MIB
/** Memory that an entry takes beside its key and value, about. */
const ENTRY_BYTES = 100
/** Least memory of the store on disk. */
const LEAST_LEVEL_BYTES = 16 * MIB

export interface SpillingStoreOptions {
  /**
   * Bytes of memory that the store takes, about. Default: 64 MiB. A store that has moved to the
   * disk takes 16 MiB at least.
   */
  readonly memoryBytes?: number
  /**
   * Parent of the temporary folder, which is made when the store moves to the disk. Default: the
   * system's folder for temporary files.
   */
  readonly folder?: string
}

const NAMES: OptionNames<SpillingStoreOptions> = { memoryBytes: true, folder: true }

/**
 * A store in memory that moves to a temporary folder on disk when `memoryBytes` are used. `close`
 * removes the folder.
 *
 * @example
 * ```ts
 * import { SnapshotMerger } from 'feedmill'
 * import { SpillingStore } from 'feedmill/level'
 * // given: bootstrap
 *
 * const store = new SpillingStore({ memoryBytes: 16 * 2 ** 20 })
 * const merger = new SnapshotMerger({ store })
 * const changes = await bootstrap.to(merger).toArray()
 * console.log(changes.every(({ kind }) => kind === 'inserted'))
 * await store.close()
 * // => true
 * ```
 */
export class SpillingStore implements KeyedStore {
  readonly #memoryBytes: number
  readonly #parent: string
  #memory: MemoryStore | undefined = new MemoryStore()
  #level: LevelStore | undefined
  #folder: string | undefined
  /** The last write. The promise never rejects. */
  #written: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  /** @throws FeedError OPTION_INVALID */
  constructor(options: SpillingStoreOptions = {}) {
    const { memoryBytes = DEFAULT_MEMORY_BYTES, folder = tmpdir() } = knownOptions(options, NAMES)
    this.#memoryBytes = wholeNumber('memoryBytes', memoryBytes, 0)
    this.#parent = filePath('folder', folder)
  }

  /** True once the entries are on disk. */
  get spilled(): boolean {
    return this.#memory === undefined
  }

  getMany(keys: readonly string[], options?: ReadOptions): ReturnType<KeyedStore['getMany']> {
    return (this.#memory ?? this.#level!).getMany(keys, options)
  }

  /**
   * @throws FeedError STATE_LIMIT where the store must move to the disk and classic-level is not
   * installed, STATE_IO
   */
  write(ops: readonly StoreOp[], options?: WriteOptions): Promise<void> {
    const writing = this.#write(ops, options)
    this.#written = writing.catch(() => {})
    return writing
  }

  /**
   * Frees the memory and removes the temporary folder, after the write that is under way. Where a
   * caller drops the store without this call, the same happens when the garbage collector finds it,
   * and at the latest when the process exits.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#written
    this.#memory?.close()
    dropped.unregister(this)
    if (this.#level !== undefined && this.#folder !== undefined)
      await closeLevel(this.#level, this.#folder)
  }

  async #write(ops: readonly StoreOp[], options?: WriteOptions): Promise<void> {
    // A stage that was destroyed may still be writing. Its write would make a new folder that no
    // call removes.
    if (this.#closing !== undefined)
      throw stateIo(this.#folder ?? this.#parent, 'write', 'the store was closed before')
    if (this.#memory !== undefined && !this.#fits(this.#memory, ops))
      await this.#spill(this.#memory)
    if (this.#memory !== undefined) this.#memory.write(ops)
    else await this.#level!.write(ops, options)
  }

  entries(
    range?: KeyRange,
    options?: ReadOptions,
  ): Iterable<readonly StoreEntry[]> | AsyncIterable<readonly StoreEntry[]> {
    return this.#memory?.entries(range, options) ?? this.#levelEntries(range, options)
  }

  /**
   * This generator holds a reference to this store, so that the store is not collected while a
   * caller reads it.
   */
  async *#levelEntries(
    range?: KeyRange,
    options?: ReadOptions,
  ): AsyncGenerator<readonly StoreEntry[], void, void> {
    yield* this.#level!.entries(range, options)
  }

  #fits(memory: MemoryStore, ops: readonly StoreOp[]): boolean {
    let bytes = memory.byteLength + (memory.size + ops.length) * ENTRY_BYTES
    for (const { key, value } of ops) bytes += key.length + (value?.length ?? 0)
    return bytes <= this.#memoryBytes
  }

  /**
   * Moves the entries to the disk. The store in memory keeps them, because a listing of it may be
   * under way.
   */
  async #spill(memory: MemoryStore): Promise<void> {
    const folder = await this.#newFolder()
    let level: LevelStore | undefined
    try {
      level = await LevelStore.open(folder, {
        memoryBytes: Math.max(LEAST_LEVEL_BYTES, this.#memoryBytes),
        durable: false,
      })
      for (const entries of memory.entries()) await level.write(entries)
    } catch (error) {
      await level?.close().catch(() => {})
      await removeNow(folder)
      throw FeedError.is(error) && error.code === 'DEPENDENCY_MISSING'
        ? this.#limitError(error)
        : error
    }
    const opened = level
    dropped.register(this, () => closeLevel(opened, folder), this)
    this.#folder = folder
    this.#level = level
    this.#memory = undefined
  }

  async #newFolder(): Promise<string> {
    const folder = await onDisk(this.#parent, 'make a folder', () =>
      mkdtemp(join(this.#parent, 'feedmill-')),
    )
    removeAtExit(folder)
    return folder
  }

  #limitError(cause: unknown): FeedError {
    const limit = this.#memoryBytes
    const message = `the store in memory is full: memoryBytes is ${limit}; install classic-level so that it continues on disk`
    return new FeedError('STATE_LIMIT', message, { option: 'memoryBytes', limit }, { cause })
  }
}

async function closeLevel(level: LevelStore, folder: string): Promise<void> {
  try {
    await level.close()
  } finally {
    await removeNow(folder)
  }
}

/**
 * Closes the store on disk for stores that were dropped without `close`: the garbage collector must
 * not close file handles.
 */
const dropped = new FinalizationRegistry<() => Promise<void>>(close => void close().catch(() => {}))
