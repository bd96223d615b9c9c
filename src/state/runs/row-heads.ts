// The heads of rows: what a merge needs of a row to tell which of two is the newer and where it came
// from, without its cells. Heads stand column by column, so that a block of them is a few arrays.

import { corruptState } from '../../engine/index'

/** Marks the origin of a row that removes its key, and has no cells. */
export const REMOVED = 0x8000_0000

/** The heads of some rows. The arrays may have more places than rows. */
export interface RowHeads {
  /** The UTF-8 bytes of the keys, one behind the other. */
  keys: Uint8Array
  /** Where each key ends. */
  keyEnds: Uint32Array
  /** The time from which each row is valid, in milliseconds since 1970 UTC. */
  timeMs: Float64Array
  /** The offset of each row in its file. */
  byteOffset: Float64Array
  /** The CRC-32 of each row's bytes; 0 for a removal. */
  checksum: Uint32Array
  /** The number of each row's origin, with the mark {@link REMOVED}. */
  origin: Uint32Array
  /** The number of each row in its file. */
  row: Uint32Array
  /** The line of each row in its file. */
  line: Uint32Array
}

/** The numbers of a row: in the order in which a block has them, wide ones first. */
const NUMBERS = ['timeMs', 'byteOffset', 'checksum', 'origin', 'row', 'line', 'keyEnds'] as const
const WIDE = 2
/** Bytes of the numbers of a row. */
export const HEAD_BYTES = 8 * WIDE + 4 * (NUMBERS.length - WIDE)
/** Bytes of a wide number, which begins at a multiple of them. */
const WORD = 8

/** Keys alone. */
export type Keys = Pick<RowHeads, 'keys' | 'keyEnds'>

export function newHeads(rows: number, keyBytes: number): RowHeads {
  return {
    keys: new Uint8Array(keyBytes),
    keyEnds: new Uint32Array(rows),
    timeMs: new Float64Array(rows),
    byteOffset: new Float64Array(rows),
    checksum: new Uint32Array(rows),
    origin: new Uint32Array(rows),
    row: new Uint32Array(rows),
    line: new Uint32Array(rows),
  }
}

/** Makes room for so many rows more, with keys of so many bytes in all. */
export function reserveHeads(heads: RowHeads, rows: number, more: number, keyBytes: number): void {
  if (rows + more > heads.keyEnds.length) {
    for (const name of NUMBERS) {
      const old = heads[name]
      const grown = new (old.constructor as typeof Float64Array)(2 * (rows + more))
      grown.set(old)
      heads[name] = grown as never
    }
  }
  const used = keyStart(heads, rows)
  if (used + keyBytes <= heads.keys.length) return
  const grown = new Uint8Array(2 * (used + keyBytes))
  grown.set(heads.keys.subarray(0, used))
  heads.keys = grown
}

/** Makes room for one more head behind the first `rows`, and writes its key. */
export function appendKey(
  heads: RowHeads,
  rows: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): void {
  reserveHeads(heads, rows, 1, to - from)
  const start = keyStart(heads, rows)
  const { keys } = heads
  for (let k = from, t = start; k < to; k++, t++) keys[t] = bytes[k]!
  heads.keyEnds[rows] = start + to - from
}

/** Appends one head to the first `rows` heads. */
export function appendHead(to: RowHeads, rows: number, from: RowHeads, n: number): void {
  appendKey(to, rows, from.keys, keyStart(from, n), from.keyEnds[n]!)
  to.timeMs[rows] = from.timeMs[n]!
  to.byteOffset[rows] = from.byteOffset[n]!
  to.checksum[rows] = from.checksum[n]!
  to.row[rows] = from.row[n]!
  to.line[rows] = from.line[n]!
  to.origin[rows] = from.origin[n]!
}

/** Appends the first `count` heads of others to the first `rows` heads. */
export function appendHeads(to: RowHeads, rows: number, from: RowHeads, count: number): void {
  const keyBytes = keyStart(from, count)
  reserveHeads(to, rows, count, keyBytes)
  const place = keyStart(to, rows)
  for (const name of NUMBERS) to[name].set(from[name].subarray(0, count) as never, rows)
  for (let n = rows; n < rows + count; n++) to.keyEnds[n]! += place
  to.keys.set(from.keys.subarray(0, keyBytes), place)
}

/** Returns where the key of a row begins. */
export function keyStart({ keyEnds }: Keys, n: number): number {
  return n === 0 ? 0 : keyEnds[n - 1]!
}

/** Compares two keys by their bytes. */
export function compareHeads(a: Keys, n: number, b: Keys, m: number): number {
  const x = a.keys
  const y = b.keys
  let from = n === 0 ? 0 : a.keyEnds[n - 1]!
  let other = m === 0 ? 0 : b.keyEnds[m - 1]!
  const length = a.keyEnds[n]! - from
  const otherLength = b.keyEnds[m]! - other
  for (const end = from + Math.min(length, otherLength); from < end; from++, other++) {
    const difference = x[from]! - y[other]!
    if (difference !== 0) return difference
  }
  return length - otherLength
}

/** The text of a key. */
export function keyOf(heads: Keys, n: number): string {
  const from = keyStart(heads, n)
  const end = heads.keyEnds[n]!
  const { keys } = heads
  // The heads of a run have a Buffer, which need not be made for each key.
  return keys instanceof Buffer
    ? keys.toString('utf8', from, end)
    : Buffer.from(keys.subarray(from, end)).toString()
}

/** Returns a copy of one key, which is the key 0. */
export function keyAlone(heads: Keys, n: number): Keys {
  const keys = heads.keys.slice(keyStart(heads, n), heads.keyEnds[n]!)
  return { keys, keyEnds: Uint32Array.of(keys.length) }
}

/** Returns the heads of the first `rows` rows as whole words. {@link readHeads} reads them. */
export function writeHeads(heads: RowHeads, rows: number): Uint8Array {
  const keyBytes = keyStart(heads, rows)
  const bytes = new Uint8Array(Math.ceil(sizeOf(rows, keyBytes) / WORD) * WORD)
  let at = 0
  for (const name of NUMBERS) {
    const values = heads[name]
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, rows * values.BYTES_PER_ELEMENT), at)
    at += rows * values.BYTES_PER_ELEMENT
  }
  bytes.set(heads.keys.subarray(0, keyBytes), at)
  return bytes
}

/**
 * @param bytes those of {@link writeHeads}, at a whole word; they stay in use
 * @throws FeedError STATE_CORRUPT
 */
export function readHeads(bytes: Uint8Array, rows: number, path: string): RowHeads {
  const keyBytes = bytes.length - sizeOf(rows, 0)
  if (keyBytes < 0) throw corruptState(path, 'a block of the run is shorter than its index says')
  const { buffer } = bytes
  // The arrays need an aligned place, which memory of its own has.
  const start = bytes.byteOffset
  const narrow = start + 8 * WIDE * rows
  const words = (n: number) => new Uint32Array(buffer, narrow + 4 * n * rows, rows)
  return {
    timeMs: new Float64Array(buffer, start, rows),
    byteOffset: new Float64Array(buffer, start + 8 * rows, rows),
    checksum: words(0),
    origin: words(1),
    row: words(2),
    line: words(3),
    keyEnds: words(4),
    keys: Buffer.from(buffer, start + bytes.length - keyBytes, keyBytes),
  }
}

function sizeOf(rows: number, keyBytes: number): number {
  return rows * HEAD_BYTES + keyBytes
}
