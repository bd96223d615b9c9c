// CRC-32 as gzip uses it (RFC 1952 section 8), with the reflected polynomial 0xEDB88320. Node has
// it natively from 20.15 and 22.2 on; older versions get the implementation with a table. The table
// serves any polynomial, and the first bytes of a buffer without a view of them.

import * as zlib from 'node:zlib'

const POLYNOMIAL = 0xedb88320
/** Bytes of one step, which is also the number of tables. */
const SLICES = 8

/** The CRC-32 in plain JavaScript, with the contract of {@link crc32}. */
export const tableCrc32: CrcUpTo = crcOf(POLYNOMIAL)

/**
 * The CRC-32 of `bytes`, as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export const crc32: Crc = 'crc32' in zlib ? zlib.crc32 : tableCrc32

/**
 * x^8n for each length `n` of bytes that was asked for; 0 for the others, because no power is 0.
 * The coefficient of x^0 is the highest bit.
 */
const powers = new Int32Array(2 ** 12)
powers[0] = 1 << 31
powers[1] = 1 << 23

/**
 * The CRC-32 of the bytes of `first` and, behind them, those of `second`, without reading them
 * again.
 *
 * @param secondBytes number of bytes of `second`
 */
export function joinedCrc32(first: number, second: number, secondBytes: number): number {
  return (product(first, powerOf(secondBytes)) ^ second) >>> 0
}

/** Returns x^8n. */
function powerOf(bytes: number): number {
  const known = powers[bytes]
  if (known) return known
  const half = bytes >>> 1
  const power = product(powerOf(half), powerOf(bytes - half))
  if (bytes < powers.length) powers[bytes] = power
  return power
}

/** Multiplies two polynomials modulo that of CRC-32. */
function product(a: number, b: number): number {
  let sum = 0
  let term = b
  for (let bit = 31; bit >= 0; bit--) {
    sum ^= term & -((a >>> bit) & 1)
    term = (term >>> 1) ^ (POLYNOMIAL & -(term & 1))
  }
  return sum
}

/**
 * Returns the CRC of `bytes` as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export type Crc = (bytes: Uint8Array, seed?: number) => number

/** A {@link Crc} that can leave out the bytes from `end` on. */
export type CrcUpTo = (bytes: Uint8Array, seed?: number, end?: number) => number

/** A CRC of 32 bits in plain JavaScript, eight bytes a step. @param polynomial reflected */
export function crcOf(polynomial: number): CrcUpTo {
  const tables = buildTables(polynomial)
  return (bytes, seed = 0, end = bytes.length) => {
    const sliced = end - (end % SLICES)
    let crc = ~seed
    for (let at = 0; at < sliced; at += SLICES) crc = eightBytes(tables, bytes, at, crc)
    for (let at = sliced; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!
    return ~crc >>> 0
  }
}

function eightBytes(tables: Int32Array, bytes: Uint8Array, at: number, crc: number): number {
  return (
    tables[0x700 + (bytes[at]! ^ (crc & 0xff))]! ^
    tables[0x600 + (bytes[at + 1]! ^ ((crc >>> 8) & 0xff))]! ^
    tables[0x500 + (bytes[at + 2]! ^ ((crc >>> 16) & 0xff))]! ^
    tables[0x400 + (bytes[at + 3]! ^ (crc >>> 24))]! ^
    tables[0x300 + bytes[at + 4]!]! ^
    tables[0x200 + bytes[at + 5]!]! ^
    tables[0x100 + bytes[at + 6]!]! ^
    tables[bytes[at + 7]!]!
  )
}

/** Table `k` holds, at `k * 256 + byte`, the CRC of that byte followed by `k` zero bytes. */
function buildTables(polynomial: number): Int32Array {
  const tables = new Int32Array(SLICES * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    tables[byte] = crc
  }
  for (let entry = 256; entry < tables.length; entry++) {
    const before = tables[entry - 256]!
    tables[entry] = (before >>> 8) ^ tables[before & 0xff]!
  }
  return tables
}
