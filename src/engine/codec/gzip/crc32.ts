// CRC-32 as gzip uses it (RFC 1952 section 8), with the reflected polynomial 0xEDB88320. Node has
// it natively from 20.15 and 22.2 on; older versions get the implementation with a table.

import * as zlib from 'node:zlib'

const POLYNOMIAL = 0xedb88320
/** Bytes of one step, which is also the number of tables. */
const SLICES = 8

/** Made with the first use, because most versions of Node never need them. */
let tables: Int32Array | undefined

/**
 * The CRC-32 of `bytes`, as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export const crc32: Crc = 'crc32' in zlib ? zlib.crc32 : tableCrc32

/**
 * Returns the CRC of `bytes` as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export type Crc = (bytes: Uint8Array, seed?: number) => number

/** The CRC-32 in plain JavaScript, eight bytes a step, with the contract of {@link crc32}. */
export function tableCrc32(bytes: Uint8Array, seed = 0): number {
  tables ??= buildTables()
  const sliced = bytes.length - (bytes.length % SLICES)
  let crc = ~seed
  for (let at = 0; at < sliced; at += SLICES) crc = eightBytes(tables, bytes, at, crc)
  for (let at = sliced; at < bytes.length; at++)
    crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!
  return ~crc >>> 0
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
function buildTables(): Int32Array {
  const made = new Int32Array(SLICES * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
    made[byte] = crc
  }
  for (let entry = 256; entry < made.length; entry++) {
    const before = made[entry - 256]!
    made[entry] = (before >>> 8) ^ made[before & 0xff]!
  }
  return made
}
