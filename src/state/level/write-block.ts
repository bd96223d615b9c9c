// Gathered writes: the newest value of each key since the block began. Longer values are in one
// buffer, in the form of the value log, so that a block is one write to the log. The numbers of a
// value are in an array: an object for each value would take half of the memory of a row.

import { crc32 } from '../../engine/index'
import type { KeyedStore, StoreOp, WriteOptions } from '../keyed-store'
import {
  copyFewBytes,
  ENTRY_BYTES,
  HEAD_BYTES,
  INLINE_BYTES,
  writeInlineEntry,
  writePlacedEntry,
} from './index-entry'
import type { TakeEntry } from './level-database'

const REMOVED = -1
/** The numbers of a value: its length, its checksum, and its offsets in `indexed` and `values`. */
const [LENGTH, CHECKSUM, INDEXED_AT, VALUE_AT] = [0, 1, 2, 3]
const FIELDS = 4
/** Memory that an entry takes beside its key and value: a place in a map, and its numbers. */
const ENTRY_MEMORY = 50
const FIRST_VALUES = 2 ** 10

/** The buffers of a block. A later block reuses them. */
export interface BlockRoom {
  /** Buffer for the longer values. */
  values: Buffer
  /**
   * Buffer for what goes into the index: short values, and the first bytes of longer ones, which
   * {@link WriteBlock.giveEntries} so finds one behind the other.
   */
  indexed: Buffer
  fields: Int32Array
}

/** Takes a key and the length of its value; null for a key that is removed. */
export type TakeLength = (key: string, length: number | null) => void

/** @param valueBytes bytes of longer values for which the room is enough at first */
export function newRoom(valueBytes = 2 ** 16): BlockRoom {
  return {
    values: Buffer.allocUnsafeSlow(valueBytes),
    indexed: Buffer.allocUnsafeSlow(FIRST_VALUES * INLINE_BYTES),
    fields: new Int32Array(FIRST_VALUES * FIELDS),
  }
}

/** Takes whole blocks. A store that does so copies each value once, and makes no object for it. */
export interface BlockTaker {
  /** Returns an empty block. */
  newBlock(): WriteBlock
  /**
   * Applies all writes of a block, or none when it fails. Reads see them when the promise resolves.
   * The block belongs to the taker from the call on, and does not change before then.
   */
  writeBlock(block: WriteBlock, options?: WriteOptions): Promise<void>
}

/** Returns a store that takes blocks as it is, and gives any other store their writes. */
export function blockTakerOf(store: KeyedStore & Partial<BlockTaker>): BlockTaker {
  const { newBlock, writeBlock } = store
  if (newBlock !== undefined && writeBlock !== undefined) return store as BlockTaker
  return {
    newBlock: () => new WriteBlock(),
    writeBlock: async (block, options) => store.write(block.ops(), options),
  }
}

export class WriteBlock {
  readonly room: BlockRoom
  /** Number of the value of each key. */
  readonly #numbers = new Map<string, number>()
  #count = 0
  #valueBytes = 0
  #indexedBytes = 0
  #keyBytes = 0

  /** @param room buffers that the block owns until it is on the disk */
  constructor(room = newRoom()) {
    this.room = room
  }

  /** Number of different keys. */
  get size(): number {
    return this.#numbers.size
  }

  /** Bytes of memory that the keys take, about. */
  get keyBytes(): number {
    return this.#keyBytes
  }

  /** Bytes of memory that the writes take, about, with the values that were replaced. */
  get byteLength(): number {
    return this.#valueBytes + this.#indexedBytes + this.#keyBytes + this.#count * ENTRY_MEMORY
  }

  /** A view of the longer values. */
  get values(): Uint8Array {
    return this.room.values.subarray(0, this.#valueBytes)
  }

  /** Tells whether longer values of so many bytes fit in without more memory. */
  fits(valueBytes: number): boolean {
    return this.#valueBytes + valueBytes <= this.room.values.length
  }

  /** Adds all writes. Where a value is no bytes, it throws and adds none. */
  add(ops: readonly StoreOp[]): void {
    const bytes = placedBytes(ops)
    if (!this.fits(bytes)) this.room.values = widened(this.room.values, this.#valueBytes + bytes)
    for (let n = 0; n < ops.length; n++) {
      const { key, value, checksum } = ops[n]!
      this.#numbers.set(key, value === null ? REMOVED : this.#addValue(value, checksum))
      this.#keyBytes += key.length
    }
  }

  /**
   * Returns a copy of the value of a key, or of its first bytes. Undefined for a key that is not in
   * the block, null for a removed key.
   */
  valueOf(key: string, firstBytes = Number.POSITIVE_INFINITY): Uint8Array | null | undefined {
    const number = this.#numbers.get(key)
    if (number === undefined) return undefined
    const value = this.#view(number, firstBytes)
    return value && new Uint8Array(value)
  }

  /** Gives all keys with the lengths of their values. */
  giveLengths(take: TakeLength): void {
    const { fields } = this.room
    // Each step of a loop over a map would allocate two objects.
    this.#numbers.forEach((number, key) => {
      take(key, number === REMOVED ? null : fields[number * FIELDS + LENGTH]!)
    })
  }

  /**
   * Gives the entries of the index. The bytes are valid during the call of `take` only.
   * @param place the place of {@link values} in the value log
   */
  giveEntries(place: { readonly segment: number; readonly offset: number }, take: TakeEntry): void {
    // A view of each entry would take more memory than the entry.
    const scratch = Buffer.allocUnsafe(ENTRY_BYTES)
    const views = Array.from({ length: ENTRY_BYTES + 1 }, (_, length) =>
      scratch.subarray(0, length),
    )
    const { fields, indexed } = this.room
    this.#numbers.forEach((number, key) => {
      if (number === REMOVED) return take(key, null)
      const at = number * FIELDS
      const length = fields[at + LENGTH]!
      const checksum = fields[at + CHECKSUM]! >>> 0
      const from = fields[at + INDEXED_AT]!
      const bytes =
        length <= INLINE_BYTES
          ? writeInlineEntry(checksum, indexed, from, length, scratch)
          : writePlacedEntry(
              { segment: place.segment, offset: place.offset + fields[at + VALUE_AT]!, length },
              checksum,
              indexed,
              from,
              scratch,
            )
      take(key, views[bytes]!)
    })
  }

  /** Returns all writes. The values are views of the block. */
  ops(): StoreOp[] {
    const ops: StoreOp[] = []
    this.#numbers.forEach((number, key) => {
      ops.push({ key, value: this.#view(number) })
    })
    return ops
  }

  #view(number: number, firstBytes = Number.POSITIVE_INFINITY): Uint8Array | null {
    if (number === REMOVED) return null
    const { fields, values, indexed } = this.room
    const at = number * FIELDS
    const length = fields[at + LENGTH]!
    const isShort = length <= INLINE_BYTES
    const from = fields[at + (isShort ? INDEXED_AT : VALUE_AT)]!
    return (isShort ? indexed : values).subarray(from, from + Math.min(firstBytes, length))
  }

  /** @returns the number of the value */
  #addValue(value: Uint8Array, checksum = crc32(value)): number {
    const number = this.#count++
    if (this.#count * FIELDS > this.room.fields.length) this.#widenFields()
    const { fields } = this.room
    const { length } = value
    const isShort = length <= INLINE_BYTES
    const at = number * FIELDS
    fields[at + LENGTH] = length
    fields[at + CHECKSUM] = checksum
    fields[at + INDEXED_AT] = this.#addIndexed(value, isShort ? length : HEAD_BYTES)
    fields[at + VALUE_AT] = isShort ? 0 : this.#addLonger(value)
    return number
  }

  /** @param bytes number of bytes of the value that go into the index */
  #addIndexed(value: Uint8Array, bytes: number): number {
    const from = this.#indexedBytes
    this.#indexedBytes += bytes
    if (this.#indexedBytes > this.room.indexed.length)
      this.room.indexed = widened(this.room.indexed, this.#indexedBytes)
    copyFewBytes(value, 0, bytes, this.room.indexed, from)
    return from
  }

  #addLonger(value: Uint8Array): number {
    const from = this.#valueBytes
    this.#valueBytes += value.length
    this.room.values.set(value, from)
    return from
  }

  #widenFields(): void {
    const wider = new Int32Array(this.room.fields.length * 2)
    wider.set(this.room.fields)
    this.room.fields = wider
  }
}

/** Returns a copy of a buffer, of at least so many bytes and of twice its length. */
function widened(buffer: Buffer, leastBytes: number): Buffer {
  const wider = Buffer.allocUnsafeSlow(Math.max(leastBytes, 2 * buffer.length))
  wider.set(buffer)
  return wider
}

/** Returns the bytes that the longer values of `ops` take in a value log. */
export function placedBytes(ops: readonly StoreOp[]): number {
  let bytes = 0
  for (let n = 0; n < ops.length; n++) {
    const { value } = ops[n]!
    if (value !== null) bytes += placedLength(value.length)
  }
  return bytes
}

/** Returns the bytes that a value of this length takes in a value log. */
export function placedLength(length: number): number {
  return length > INLINE_BYTES ? length : 0
}
