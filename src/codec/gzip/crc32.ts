// CRC-32 as gzip uses it (RFC 1952 section 8): the reflected polynomial 0xEDB88320.
// Node has it natively from 20.15 and 22.2 on; older ones get the table implementation, eight bytes a step.

import * as zlib from 'node:zlib'

const POLYNOMIAL = 0xedb88320
/** Bytes taken in one step, and so the number of tables. */
const SLICES = 8

/** Table `k` holds, at `k * 256 + byte`, the CRC of that byte followed by `k` zero bytes. */
const TABLES = buildTables()

/**
 * The CRC-32 of `bytes`, as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export const crc32: (bytes: Uint8Array, seed?: number) => number = 'crc32' in zlib ? zlib.crc32 : tableCrc32

/** The same in plain JavaScript. */
export function tableCrc32(bytes: Uint8Array, seed = 0): number {
  const sliced = bytes.length - (bytes.length % SLICES)
  let crc = ~seed
  for (let at = 0; at < sliced; at += SLICES) crc = eightBytes(bytes, at, crc)
  for (let at = sliced; at < bytes.length; at++) crc = (crc >>> 8) ^ TABLES[(crc ^ bytes[at]!) & 0xff]!
  return ~crc >>> 0
}

function eightBytes(bytes: Uint8Array, at: number, crc: number): number {
  return (
    TABLES[0x700 + (bytes[at]! ^ (crc & 0xff))]! ^
    TABLES[0x600 + (bytes[at + 1]! ^ ((crc >>> 8) & 0xff))]! ^
    TABLES[0x500 + (bytes[at + 2]! ^ ((crc >>> 16) & 0xff))]! ^
    TABLES[0x400 + (bytes[at + 3]! ^ (crc >>> 24))]! ^
    TABLES[0x300 + bytes[at + 4]!]! ^
    TABLES[0x200 + bytes[at + 5]!]! ^
    TABLES[0x100 + bytes[at + 6]!]! ^
    TABLES[bytes[at + 7]!]!
  )
}

function buildTables(): Int32Array {
  const tables = new Int32Array(SLICES * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
    tables[byte] = crc
  }
  for (let entry = 256; entry < tables.length; entry++) {
    const before = tables[entry - 256]!
    tables[entry] = (before >>> 8) ^ tables[before & 0xff]!
  }
  return tables
}
