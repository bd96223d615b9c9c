// An entry of the index of a store on disk: a short value itself, or the place of a longer value in
// the value log with its first bytes, which are enough for most decisions of a merge. Each entry
// has a checksum of the value.
//
//   INLINE │ checksum │ value
//   PLACED │ checksum │ segment │ offset │ length │ first bytes of the value
//
// Numbers have 32 bits, low byte first.

import { crc32 } from '../../codec/gzip/crc32'
import { corruptState } from '../../disk/state-errors'

const INLINE = 0
const PLACED = 1
const INLINE_HEADER_BYTES = 5
const PLACED_HEADER_BYTES = 17

/** Number of first bytes of a value that its entry repeats: a merge needs no more of most rows. */
export const HEAD_BYTES = 24
/**
 * Limit of a value in the index; longer values are in the log. A shorter value takes less of the
 * index than its place would.
 */
export const INLINE_BYTES = 64
/** Limit of an entry in bytes. */
export const ENTRY_BYTES = INLINE_HEADER_BYTES + INLINE_BYTES

/** The place of a value in the value log. */
export interface Place {
  readonly segment: number
  readonly offset: number
  readonly length: number
}

export interface InlineEntry {
  readonly place: undefined
  readonly checksum: number
  readonly value: Uint8Array
}

export interface PlacedEntry {
  readonly place: Place
  readonly checksum: number
  readonly head: Uint8Array
}

/** An entry as it was read from the index. */
export type IndexEntry = InlineEntry | PlacedEntry

/** @returns bytes written at `at` */
export function writeInlineEntry(value: Uint8Array, into: Buffer, at: number): number {
  into[at] = INLINE
  into.writeUInt32LE(crc32(value), at + 1)
  into.set(value, at + INLINE_HEADER_BYTES)
  return INLINE_HEADER_BYTES + value.length
}

/**
 * @param value the value, or at least its first {@link HEAD_BYTES} bytes
 * @returns bytes written at `at`
 */
export function writePlacedEntry(
  { segment, offset, length }: Place,
  checksum: number,
  value: Uint8Array,
  into: Buffer,
  at: number,
): number {
  into[at] = PLACED
  into.writeUInt32LE(checksum, at + 1)
  into.writeUInt32LE(segment, at + 5)
  into.writeUInt32LE(offset, at + 9)
  into.writeUInt32LE(length, at + 13)
  // A loop costs less than a view of so few bytes.
  for (let n = 0; n < HEAD_BYTES; n++) into[at + PLACED_HEADER_BYTES + n] = value[n]!
  return PLACED_HEADER_BYTES + HEAD_BYTES
}

/**
 * Reads an entry. Its parts are views of `bytes`. A value in the entry is compared with its
 * checksum.
 * @param path the file or folder that the error names
 * @throws FeedError STATE_CORRUPT
 */
export function readEntry(bytes: Uint8Array, path: string): IndexEntry {
  const checksum = bytes.length < INLINE_HEADER_BYTES ? 0 : uint32(bytes, 1)
  if (bytes[0] === INLINE) {
    const value = bytes.subarray(INLINE_HEADER_BYTES)
    if (bytes.length >= INLINE_HEADER_BYTES && crc32(value) === checksum)
      return { place: undefined, checksum, value }
  } else if (bytes[0] === PLACED && bytes.length === PLACED_HEADER_BYTES + HEAD_BYTES) {
    const place = { segment: uint32(bytes, 5), offset: uint32(bytes, 9), length: uint32(bytes, 13) }
    return { place, checksum, head: bytes.subarray(PLACED_HEADER_BYTES) }
  }
  throw corruptState(path, 'an entry of the index is not what was written')
}

/** @throws FeedError STATE_CORRUPT */
export function checkValue(
  value: Uint8Array,
  { place, checksum }: PlacedEntry,
  path: string,
): void {
  if (crc32(value) !== checksum)
    throw corruptState(path, `the value at byte ${place.offset} is not what was written`)
}

function uint32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  )
}
