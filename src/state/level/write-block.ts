// Writes on their way to the disk: the newest value of each key that was written since the block
// was begun. The longer values stand in one run of bytes, as they will stand in the value log, so
// that a block is one write to it. Entries stand in one run too, known by where they begin: an
// object for each would be half of what a row costs.

import { crc32 } from '../../codec/gzip/crc32'
import type { StoreOp } from '../keyed-store'
import {
  ENTRY_BYTES,
  HEAD_BYTES,
  INLINE_BYTES,
  type IndexEntry,
  writeInlineEntry,
  writePlacedEntry,
} from './index-entry'

const REMOVED = -1
const FIRST_ENTRIES_BYTES = 2 ** 18

/** What a block takes in memory; it is used again for the next but one. */
export interface BlockRoom {
  /** For the longer values. */
  values: Buffer
  /** For entries, each behind a byte with its length. */
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
  /** Where the entry of each key begins. */
  readonly #places = new Map<string, number>()
  #valueBytes = 0
  #entryBytes = 0
  #keyBytes = 0

  /**
   * @param place where the block's values will stand
   * @param room the block's until it is done with
   */
  constructor(place: { readonly segment: number; readonly offset: number }, room: BlockRoom) {
    this.segment = place.segment
    this.offset = place.offset
    this.room = room
  }

  /** Different keys. */
  get size(): number {
    return this.#places.size
  }

  /** About what the keys take in memory. */
  get keyBytes(): number {
    return this.#keyBytes
  }

  /** The longer values. */
  get values(): Uint8Array {
    return this.room.values.subarray(0, this.#valueBytes)
  }

  fits(valueBytes: number): boolean {
    return this.#valueBytes + valueBytes <= this.room.values.length
  }

  /** @param ops whose {@link placedBytes} fit */
  add(ops: readonly StoreOp[]): void {
    for (const { key, value } of ops) {
      this.#places.set(key, value === null ? REMOVED : this.#addEntry(value))
      this.#keyBytes += key.length
    }
  }

  /**
   * What the index is to say of a key: undefined where the block does not know it, null where it is
   * removed. Of use until the next {@link add}.
   */
  entryOf(key: string): Uint8Array | null | undefined {
    const at = this.#places.get(key)
    return at === undefined ? undefined : this.#entryAt(at)
  }

  /** All of it; the bytes are of use until the next step. */
  *entries(): Generator<[key: string, entry: Uint8Array | null], void, void> {
    for (const [key, at] of this.#places) yield [key, this.#entryAt(at)]
  }

  /** The value of an entry of this block. A copy. */
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
    return writePlacedEntry(
      { place, checksum: crc32(value), head: value.subarray(0, HEAD_BYTES) },
      entries,
      at,
    )
  }

  #widen(): void {
    const wider = Buffer.allocUnsafeSlow(this.room.entries.length * 2)
    wider.set(this.room.entries)
    this.room.entries = wider
  }
}

/** Bytes that the longer values of `ops` take in a value log. */
export function placedBytes(ops: readonly StoreOp[]): number {
  let bytes = 0
  for (const { value } of ops)
    if (value !== null && value.length > INLINE_BYTES) bytes += value.length
  return bytes
}
