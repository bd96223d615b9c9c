// Finished files, kept so that any byte range of them can be sent again. Small files stay in
// memory, larger ones go to a temporary file whose name is removed at once: a killed process leaves
// nothing behind. Concurrent requests for a file share one making. The cache is bounded. It removes
// the least recently used file first, and never a file in use.

import { type FileHandle, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createOwn,
  FeedError,
  is,
  type OptionTable,
  orUndo,
  readOptions,
  writeAll,
} from '../../engine/index'

export interface FileCacheOptions {
  /**
   * The most bytes of finished files, in memory and on disk together. Files in use may exceed it.
   * Default 1 GiB.
   */
  readonly cacheBytes?: number
  /** A file up to this size stays in memory. Default 1 MiB. */
  readonly memoryFileBytes?: number
}

const CACHE = {
  cacheBytes: [is.wholeNumber(0), 1024 ** 3],
  memoryFileBytes: [is.wholeNumber(0), 1024 ** 2],
} satisfies OptionTable<FileCacheOptions>

/**
 * A file in use. The cache keeps it until the caller calls `release`, which may be called
 * repeatedly.
 */
export interface FileLease {
  readonly totalBytes: number
  /** Yields the bytes from `start` to `end`, without the latter. The caller owns the chunks. */
  read(start: number, end: number): AsyncGenerator<Uint8Array, void, void>
  release(): void
}

interface StoredFile extends Pick<FileLease, 'totalBytes' | 'read'> {
  dispose(): Promise<void>
}

interface Entry {
  readonly stored: Promise<StoredFile>
  totalBytes: number
  leases: number
}

const READ_CHUNK_BYTES = 256 * 1024

export class FileCache {
  readonly #cacheBytes: number
  readonly #memoryFileBytes: number
  /** The files in the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  #keptBytes = 0
  #closing: Promise<void> | undefined

  /** @throws FeedError OPTION_INVALID */
  constructor(options: FileCacheOptions = {}) {
    const { cacheBytes, memoryFileBytes } = readOptions(options, CACHE, 'cache', '')
    this.#cacheBytes = cacheBytes
    this.#memoryFileBytes = memoryFileBytes
  }

  /**
   * Returns the file of this key. `produce` makes it when the cache does not have it. The cache
   * does not keep a failure.
   * @throws FeedError STAGE_DESTROYED after `close`, and the errors of `produce`
   */
  async lease(key: string, produce: () => AsyncIterable<Uint8Array>): Promise<FileLease> {
    this.#checkOpen()
    const entry = this.#entries.get(key) ?? {
      stored: this.#store(produce()),
      totalBytes: 0,
      leases: 0,
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.leases++
    const lend = async () => {
      const stored = await entry.stored
      this.#checkOpen()
      this.#keptBytes += stored.totalBytes - entry.totalBytes
      entry.totalBytes = stored.totalBytes
      return this.#lend(entry, stored)
    }
    return orUndo(lend, async () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    })
  }

  /** Frees every file, also those in use, and stops unfinished makings. */
  close(): Promise<void> {
    return (this.#closing ??= this.#disposeAll())
  }

  async #disposeAll(): Promise<void> {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(entries.map(entry => disposeEntry(entry)))
  }

  #lend(entry: Entry, stored: StoredFile): FileLease {
    let released = false
    const release = () => {
      if (released) return
      released = true
      entry.leases--
      this.#evict()
    }
    return { totalBytes: stored.totalBytes, read: (start, end) => stored.read(start, end), release }
  }

  /**
   * The latest file always stays. Otherwise a file above the cap would be made again for every
   * range.
   */
  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#keptBytes <= this.#cacheBytes || this.#entries.size === 1) return
      if (entry.leases > 0) continue
      this.#entries.delete(key)
      this.#keptBytes -= entry.totalBytes
      void disposeEntry(entry)
    }
  }

  async #store(chunks: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const held: Uint8Array[] = []
    let totalBytes = 0
    let handle: FileHandle | undefined
    const keep = async () => {
      for await (const chunk of chunks) {
        this.#checkOpen()
        held.push(chunk)
        totalBytes += chunk.length
        if (handle === undefined && totalBytes <= this.#memoryFileBytes) continue
        handle ??= await openNameless()
        for (const block of held.splice(0)) await writeAll(handle, block)
      }
    }
    await orUndo(keep, async () => handle?.close())
    return handle === undefined ? inMemory(Buffer.concat(held)) : onDisk(handle, totalBytes)
  }

  #checkOpen(): void {
    if (this.#closing !== undefined)
      throw new FeedError('STAGE_DESTROYED', 'the emulator is closed', { stage: 'emulator' })
  }
}

function inMemory(bytes: Uint8Array): StoredFile {
  async function* read(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    // A copy: the slice of a Buffer would share its memory.
    for (let at = start; at < end; at += READ_CHUNK_BYTES)
      yield new Uint8Array(bytes.subarray(at, Math.min(at + READ_CHUNK_BYTES, end)))
  }
  return { totalBytes: bytes.length, read, dispose: async () => {} }
}

function onDisk(handle: FileHandle, totalBytes: number): StoredFile {
  async function* read(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    for (let at = start; at < end; ) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(READ_CHUNK_BYTES, end - at))
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0)
        throw new FeedError('SINK_FAILED', 'a temporary file lost its end', {
          sink: 'file cache',
          target: 'temporary file',
          reason: 'it is shorter than what was written',
        })
      yield chunk.subarray(0, bytesRead)
      at += bytesRead
    }
  }
  return { totalBytes, read, dispose: () => handle.close() }
}

async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-emulator-'))
  try {
    return await createOwn(join(folder, 'file'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A failed making has freed its own resources. */
async function disposeEntry(entry: Entry): Promise<void> {
  const stored = await entry.stored.catch(() => undefined)
  await stored?.dispose()
}
