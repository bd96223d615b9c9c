// Compacts a value log. A pass over the index finds the segments of which less than half is in use,
// and the live values in them move to a new segment. The newest segment stays, because the next
// values go there. A crash in between leaves only values that no entry refers to.

import { ENTRY_BYTES, type PlacedEntry, readEntry, writePlacedEntry } from './index-entry'
import type { LevelDatabase } from './level-database'
import type { ValueLog } from './value-log'

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
