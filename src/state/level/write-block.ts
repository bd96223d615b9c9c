// A block of writes that are not on the disk yet: the newest value of each key since the block
// began. The longer values are in one buffer, in the form of the value log, so that a block is one
// write to the log. The entries are in one buffer too, and each is known by its offset: an object
// for each entry would take half of the memory of a row.

import { crc32 } from '../../codec/gzip/crc32'
import type { StoreOp } from '../keyed-store'
import {
  ENTRY_BYTES,
  INLINE_BYTES,
  type IndexEntry,
  writeInlineEntry,
  writePlacedEntry,
} from './index-entry'
import type { TakeEntry } from './level-database'

const REMOVED = -1
const FIRST_ENTRIES_BYTES = 2 ** 18

/** The buffers of a block. The block after the next reuses them. */
export interface BlockRoom {
  /** Buffer for the longer values. */
  values: Buffer
  /** Buffer for the entries, each behind a byte with its length. */
  entries: Buffer
}

export function newRoom(valueBytes: number): BlockRoom {
  return {
    values: Buffer.allocUnsafeSlow(valueBytes),
    entries: Buffer.allocUnsafeSlow(FIRST_ENTRIES_BYTES),
  }
}

export class WriteBlock {
  readonly segment: number
  readonly offset: number
  readonly room: BlockRoom
  /** Offset of the entry of each key. */
  readonly #places = new Map<string, number>()
  #valueBytes = 0
  #entryBytes = 0
  #keyBytes = 0

  /**
   * @param place the place of the block's values in the value log
   * @param room buffers that the block owns until it is on the disk
   */
  constructor(place: { readonly segment: number; readonly offset: number }, room: BlockRoom) {
    this.segment = place.segment
    this.offset = place.offset
    this.room = room
  }

  /** Number of different keys. */
  get size(): number {
    return this.#places.size
  }

  /** Bytes of memory that the keys take, about. */
  get keyBytes(): number {
    return this.#keyBytes
  }

  /** A view of the longer values. */
  get values(): Uint8Array {
    return this.room.values.subarray(0, this.#valueBytes)
  }

  fits(valueBytes: number): boolean {
    return this.#valueBytes + valueBytes <= this.room.values.length
  }

  /** @param ops their {@link placedBytes} fit into the block */
  add(ops: readonly StoreOp[]): void {
    for (const { key, value } of ops) {
      this.#places.set(key, value === null ? REMOVED : this.#addEntry(value))
      this.#keyBytes += key.length
    }
  }

  /**
   * Returns the index entry of a key; undefined for a key that is not in the block, null for a
   * removed key. The bytes are valid until the next {@link add}.
   */
  entryOf(key: string): Uint8Array | null | undefined {
    const at = this.#places.get(key)
    return at === undefined ? undefined : this.#entryAt(at)
  }

  /** Gives all entries to `take`. The bytes are valid during its call only. */
  giveEntries(take: TakeEntry): void {
    // A view of each entry would take more memory than the entry.
    const scratch = Buffer.allocUnsafe(ENTRY_BYTES)
    const views = Array.from({ length: ENTRY_BYTES + 1 }, (_, length) =>
      scratch.subarray(0, length),
    )
    const { entries } = this.room
    this.#places.forEach((at, key) => {
      if (at === REMOVED) return take(key, null)
      const length = entries[at]!
      for (let n = 0; n < length; n++) scratch[n] = entries[at + 1 + n]!
      take(key, views[length]!)
    })
  }

  /** Returns a copy of the value of an entry of this block. */
  valueOf(entry: IndexEntry): Uint8Array {
    if (entry.place === undefined) return new Uint8Array(entry.value)
    const from = entry.place.offset - this.offset
    return new Uint8Array(this.room.values.subarray(from, from + entry.place.length))
  }

  #entryAt(at: number): Uint8Array | null {
    if (at === REMOVED) return null
    const { entries } = this.room
    return entries.subarray(at + 1, at + 1 + entries[at]!)
  }

  #addEntry(value: Uint8Array): number {
    const at = this.#entryBytes
    if (at + 1 + ENTRY_BYTES > this.room.entries.length) this.#widen()
    const length = this.#writeEntry(value, at + 1)
    this.room.entries[at] = length
    this.#entryBytes = at + 1 + length
    return at
  }

  #writeEntry(value: Uint8Array, at: number): number {
    const { values, entries } = this.room
    if (value.length <= INLINE_BYTES) return writeInlineEntry(value, entries, at)
    const offset = this.offset + this.#valueBytes
    values.set(value, this.#valueBytes)
    this.#valueBytes += value.length
    const place = { segment: this.segment, offset, length: value.length }
    return writePlacedEntry(place, crc32(value), value, entries, at)
  }

  #widen(): void {
    const wider = Buffer.allocUnsafeSlow(this.room.entries.length * 2)
    wider.set(this.room.entries)
    this.room.entries = wider
  }
}

/** Returns the bytes that the longer values of `ops` take in a value log. */
export function placedBytes(ops: readonly StoreOp[]): number {
  let bytes = 0
  for (const { value } of ops) bytes += placedLength(value)
  return bytes
}

/** Returns the bytes that a value takes in a value log. */
export function placedLength(value: StoreOp['value']): number {
  return value !== null && value.length > INLINE_BYTES ? value.length : 0
}
