// An entry of the index of a store on disk: a short value itself, or the place of a longer value in
// the value log with its first bytes, which are enough for most decisions of a merge. Each entry
// has a checksum of the value.
//
//   INLINE │ checksum │ value
//   PLACED │ checksum │ segment │ offset │ length │ first bytes of the value
//
// A checksum has 32 bits, low byte first. The other numbers are written as by
// codec/byte-records.ts, in few bytes: LevelDB writes an entry some eight times while it compacts.
// Entries of earlier versions have 32 bits for each number (WIDE) and are read too.

import { ByteReader, corruptState, crc32, writeNumber } from '../../engine/index'

const INLINE = 0
const WIDE = 1
const PLACED = 2
const INLINE_HEADER_BYTES = 5
const WIDE_HEADER_BYTES = 17
const WIDE_HEAD_BYTES = 24
/** Bytes of the longest number of 32 bits. */
const NUMBER_BYTES = 5

/** Number of first bytes of a value that its entry repeats: a merge needs no more of most rows. */
export const HEAD_BYTES = 21
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

/**
 * Writes an entry that has the value itself.
 * @param from the buffer with the value, which begins at `at`
 * @param into at least {@link ENTRY_BYTES} bytes
 * @returns bytes of the entry
 */
export function writeInlineEntry(
  checksum: number,
  from: Uint8Array,
  at: number,
  length: number,
  into: Buffer,
): number {
  into[0] = INLINE
  into.writeUInt32LE(checksum, 1)
  copyFewBytes(from, at, length, into, INLINE_HEADER_BYTES)
  return INLINE_HEADER_BYTES + length
}

/**
 * Writes an entry that has the place of the value.
 * @param from the buffer with the value, which begins at `at`; its first {@link HEAD_BYTES} bytes
 * are enough
 * @param into at least {@link ENTRY_BYTES} bytes
 * @returns bytes of the entry
 */
export function writePlacedEntry(
  { segment, offset, length }: Place,
  checksum: number,
  from: Uint8Array,
  at: number,
  into: Buffer,
): number {
  into[0] = PLACED
  into.writeUInt32LE(checksum, 1)
  let end = writeNumber(segment, into, INLINE_HEADER_BYTES)
  end = writeNumber(offset, into, end)
  end = writeNumber(length, into, end)
  copyFewBytes(from, at, HEAD_BYTES, into, end)
  return end + HEAD_BYTES
}

/** Copies a few bytes, without a view of them. */
export function copyFewBytes(
  from: Uint8Array,
  at: number,
  length: number,
  into: Uint8Array,
  to: number,
): void {
  for (let n = 0; n < length; n++) into[to + n] = from[at + n]!
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
  } else if (bytes[0] === PLACED) {
    const place = readPlace(bytes)
    if (place !== undefined) return { place, checksum, head: headAtEnd(bytes) }
  } else if (bytes[0] === WIDE && bytes.length === WIDE_HEADER_BYTES + WIDE_HEAD_BYTES) {
    const place = { segment: uint32(bytes, 5), offset: uint32(bytes, 9), length: uint32(bytes, 13) }
    return { place, checksum, head: bytes.subarray(WIDE_HEADER_BYTES) }
  }
  throw corruptState(path, 'an entry of the index is not what was written')
}

/**
 * Returns at least the first {@link HEAD_BYTES} bytes of the value of an entry, as a view of
 * `bytes`.
 * @throws FeedError STATE_CORRUPT
 */
export function readHead(bytes: Uint8Array, path: string): Uint8Array {
  // Most entries are of this kind, and no object is made for them.
  if (bytes[0] === PLACED && bytes.length > INLINE_HEADER_BYTES + HEAD_BYTES)
    return headAtEnd(bytes)
  const entry = readEntry(bytes, path)
  return entry.place === undefined ? entry.value : entry.head
}

function headAtEnd(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.length - HEAD_BYTES)
}

/** Returns undefined where a number is too long, or where the numbers do not end at the head. */
function readPlace(bytes: Uint8Array): Place | undefined {
  const reader = new ByteReader(bytes, INLINE_HEADER_BYTES)
  let longest = 0
  const next = () => {
    const start = reader.at
    const number = reader.number()
    longest = Math.max(longest, reader.at - start)
    return number
  }
  const place = { segment: next(), offset: next(), length: next() }
  const isPlace = longest <= NUMBER_BYTES && reader.at === bytes.length - HEAD_BYTES
  return isPlace ? place : undefined
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
