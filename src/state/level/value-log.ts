// The value log of a store on disk: append-only files (segments) with the longer values, in the
// order of writing. LevelDB would write each value again at each of its levels. The index has the
// place and the checksum of each value. level-store.ts compacts segments whose values are mostly
// out of use.

import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { corruptState, onDisk, openOwn, readAll, syncFolder, writeAll } from '../../engine/index'
import {
  checkValue,
  ENTRY_BYTES,
  type Place,
  type PlacedEntry,
  readEntry,
  writePlacedEntry,
} from './index-entry'
import type { LevelDatabase } from './level-database'

/** Values in one segment that are no further apart are read in one call, with the gap. */
const GAP_BYTES = 2 ** 13
const RUN_BYTES = 2 ** 20
const NAME = /^(\d{8})\.values$/

interface Segment {
  readonly number: number
  readonly path: string
  readonly file: FileHandle
  bytes: number
  unsynced: boolean
}

export class ValueLog {
  readonly #folder: string
  readonly #segmentBytes: number
  readonly #openFile: (path: string) => Promise<FileHandle>
  readonly #segments = new Map<number, Segment>()
  #last = 0
  #folderUnsynced = false

  private constructor(folder: string, segmentBytes: number, openFile: typeof openOwn) {
    this.#folder = folder
    this.#segmentBytes = segmentBytes
    this.#openFile = openFile
  }

  /**
   * Opens the log, and makes a missing one.
   * @param segmentBytes size from which on a segment is full
   * @throws FeedError STATE_IO
   */
  static async open(folder: string, segmentBytes: number): Promise<ValueLog> {
    const log = new ValueLog(folder, segmentBytes, openOwn)
    await onDisk(folder, 'open', () => mkdir(folder, { recursive: true }))
    return log.#openAll()
  }

  /** Opens the segments of an existing log for reading only. @throws FeedError STATE_IO */
  static openForReading(folder: string): Promise<ValueLog> {
    return new ValueLog(folder, 0, path => open(path)).#openAll()
  }

  get byteLength(): number {
    let bytes = 0
    for (const segment of this.#segments.values()) bytes += segment.bytes
    return bytes
  }

  get size(): number {
    return this.#segments.size
  }

  /** The segment with the newest values; 0 where there is none. */
  get newest(): number {
    return this.#last
  }

  /** Bytes in each segment, by its number. */
  segmentBytes(): Map<number, number> {
    return new Map([...this.#segments].map(([number, { bytes }]) => [number, bytes]))
  }

  /**
   * Returns the place for the next values: the end of the newest segment, or a new segment where
   * that one is full or `fresh` is true. See {@link claim}.
   */
  async end(fresh = false): Promise<{ segment: number; offset: number }> {
    const newest = this.#segments.get(this.#last)
    if (newest !== undefined && newest.bytes < this.#segmentBytes && !fresh)
      return { segment: newest.number, offset: newest.bytes }
    const { number } = await this.#open(this.#last + 1)
    this.#folderUnsynced = true
    return { segment: number, offset: 0 }
  }

  /**
   * Reserves bytes at the end of a segment for a later {@link write}.
   * @returns the offset of the first byte
   */
  claim(number: number, bytes: number): number {
    const segment = this.#segments.get(number)!
    segment.bytes += bytes
    return segment.bytes - bytes
  }

  /** Writes bytes that were claimed. @throws FeedError STATE_IO */
  async write(number: number, offset: number, bytes: Uint8Array): Promise<void> {
    const segment = this.#segments.get(number)!
    segment.unsynced = true
    await onDisk(segment.path, 'write', () => writeAll(segment.file, bytes, offset))
  }

  /** Makes durable what was appended. @throws FeedError STATE_IO */
  async sync(): Promise<void> {
    for (const segment of this.#segments.values()) {
      if (!segment.unsynced) continue
      await onDisk(segment.path, 'sync', () => segment.file.datasync())
      segment.unsynced = false
    }
    if (!this.#folderUnsynced) return
    await onDisk(this.#folder, 'sync', () => syncFolder(this.#folder))
    this.#folderUnsynced = false
  }

  /**
   * Returns the value of each entry, in the order of `entries`. The caller owns the values.
   * @throws FeedError STATE_CORRUPT, STATE_IO
   */
  async read(entries: readonly PlacedEntry[]): Promise<Uint8Array[]> {
    const values = new Array<Uint8Array>(entries.length)
    await Promise.all(runsOf(entries).map(run => this.#readRun(run, entries, values)))
    return values
  }

  pathOf(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, '0')}.values`)
  }

  /** Removes a segment from the disk. @throws FeedError STATE_IO */
  async remove(number: number): Promise<void> {
    const { file, path } = this.#segments.get(number)!
    this.#segments.delete(number)
    await onDisk(path, 'remove', async () => {
      await file.close()
      await unlink(path)
    })
  }

  async close(): Promise<void> {
    const segments = [...this.#segments.values()]
    this.#segments.clear()
    for (const { file, path } of segments) await onDisk(path, 'close', () => file.close())
  }

  async #openAll(): Promise<this> {
    try {
      for (const name of await onDisk(this.#folder, 'open', () => readdir(this.#folder))) {
        const number = Number(NAME.exec(name)?.[1] ?? 0)
        if (number > 0) await this.#open(number)
      }
      return this
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async #open(number: number): Promise<Segment> {
    const path = this.pathOf(number)
    // The number is taken before the file is open, so that a concurrent call gets another one.
    this.#last = Math.max(this.#last, number)
    const segment = await onDisk(path, 'open', async () => {
      const file = await this.#openFile(path)
      return { number, path, file, bytes: (await file.stat()).size, unsynced: false }
    })
    this.#segments.set(number, segment)
    return segment
  }

  async #readRun(
    { segment: number, from, to, members }: Run,
    entries: readonly PlacedEntry[],
    values: Uint8Array[],
  ): Promise<void> {
    const segment = this.#segments.get(number)
    const path = this.pathOf(number)
    if (segment === undefined || to > segment.bytes)
      throw corruptState(path, `it ends before byte ${to}`)
    const bytes = Buffer.allocUnsafe(to - from)
    const filled = await onDisk(path, 'read', () => readAll(segment.file, bytes, from))
    if (filled < bytes.length) throw corruptState(path, `it ends before byte ${to}`)
    for (const member of members) {
      const { offset, length } = entries[member]!.place
      const value = new Uint8Array(bytes.subarray(offset - from, offset - from + length))
      checkValue(value, entries[member]!, path)
      values[member] = value
    }
  }
}

/** Values that are read in one call. */
interface Run {
  readonly segment: number
  readonly from: number
  to: number
  /** Indexes into `entries`. */
  readonly members: number[]
}

function runsOf(entries: readonly PlacedEntry[]): Run[] {
  const order = entries
    .map((_, n) => n)
    .sort((a, b) => comparePlaces(entries[a]!.place, entries[b]!.place))
  const runs: Run[] = []
  let run: Run | undefined
  for (const n of order) {
    const { segment, offset, length } = entries[n]!.place
    const to = offset + length
    if (
      run === undefined ||
      run.segment !== segment ||
      offset - run.to > GAP_BYTES ||
      to - run.from > RUN_BYTES
    ) {
      run = { segment, from: offset, to, members: [] }
      runs.push(run)
    }
    run.to = Math.max(run.to, to)
    run.members.push(n)
  }
  return runs
}

function comparePlaces(a: Place, b: Place): number {
  return a.segment - b.segment || a.offset - b.offset
}

/** Bytes of values that are moved at once. */
const MOVE_BYTES = 2 ** 22

export interface CollectOptions {
  readonly index: LevelDatabase
  readonly log: ValueLog
  readonly durable: boolean
}

export interface Collected {
  /** Bytes of the log that entries refer to. */
  readonly liveBytes: number
  /** Segments that no entry refers to. The caller removes them when no reader uses them. */
  readonly emptied: readonly number[]
}

/**
 * Compacts the log. The caller does not write to the index meanwhile. @throws FeedError STATE_IO,
 * STATE_CORRUPT
 */
export async function collectValues(options: CollectOptions): Promise<Collected> {
  const live = await liveBytesBySegment(options)
  const emptied: number[] = []
  for (const [segment, bytes] of options.log.segmentBytes()) {
    if (segment !== options.log.newest && (live.get(segment) ?? 0) * 2 < bytes)
      emptied.push(segment)
  }
  if (emptied.length > 0) await moveAll(new Set(emptied), options)
  return { liveBytes: [...live.values()].reduce((sum, bytes) => sum + bytes, 0), emptied }
}

async function liveBytesBySegment({ index }: CollectOptions): Promise<Map<number, number>> {
  const live = new Map<number, number>()
  for await (const block of index.entryBytes()) {
    for (const bytes of block) {
      const { place } = readEntry(bytes, index.folder)
      if (place !== undefined)
        live.set(place.segment, (live.get(place.segment) ?? 0) + place.length)
    }
  }
  return live
}

interface Moving {
  readonly key: string
  readonly entry: PlacedEntry
}

async function moveAll(sparse: ReadonlySet<number>, options: CollectOptions): Promise<void> {
  let moving: Moving[] = []
  let bytes = 0
  let fresh = true
  for await (const block of options.index.entries({})) {
    for (const { key, bytes: entryBytes } of block) {
      const entry = readEntry(entryBytes, options.index.folder)
      if (entry.place === undefined || !sparse.has(entry.place.segment)) continue
      moving.push({ key, entry })
      bytes += entry.place.length
    }
    if (bytes < MOVE_BYTES) continue
    await move(moving, fresh, options)
    fresh = false
    moving = []
    bytes = 0
  }
  if (moving.length > 0) await move(moving, fresh, options)
}

async function move(
  moving: readonly Moving[],
  fresh: boolean,
  { index, log, durable }: CollectOptions,
): Promise<void> {
  const bytes = Buffer.concat(await log.read(moving.map(({ entry }) => entry)))
  const { segment } = await log.end(fresh)
  const offset = log.claim(segment, bytes.length)
  await log.write(segment, offset, bytes)
  if (durable) await log.sync()
  await index.write(take => {
    const entryBytes = Buffer.allocUnsafe(ENTRY_BYTES)
    let at = offset
    for (const { key, entry } of moving) {
      const { length } = entry.place
      const place = { segment, offset: at, length }
      const end = writePlacedEntry(place, entry.checksum, entry.head, 0, entryBytes)
      take(key, entryBytes.subarray(0, end))
      at += length
    }
  }, durable)
}
