// A reflected CRC of 32 bits for any polynomial, in plain JavaScript, eight bytes a step. It serves
// polynomials that Node does not offer, and the first bytes of a buffer, without a view of them.

/** Bytes of one step, which is also the number of tables. */
const SLICES = 8

/**
 * Returns the CRC of `bytes` as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export type Crc = (bytes: Uint8Array, seed?: number) => number

/** A {@link Crc} that can leave out the bytes from `end` on. */
export type CrcUpTo = (bytes: Uint8Array, seed?: number, end?: number) => number

/** @param polynomial reflected */
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
