// CRC-32 as gzip uses it (RFC 1952 section 8), with the reflected polynomial 0xEDB88320. Node has
// it natively from 20.15 and 22.2 on; older versions get the implementation with a table.

import * as zlib from 'node:zlib'
import { type Crc, type CrcUpTo, crcOf } from '../crc-table'

const POLYNOMIAL = 0xedb88320

/** The CRC-32 in plain JavaScript, with the contract of {@link crc32}. */
export const tableCrc32: CrcUpTo = crcOf(POLYNOMIAL)

/**
 * The CRC-32 of `bytes`, as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export const crc32: Crc = 'crc32' in zlib ? zlib.crc32 : tableCrc32

/**
 * x^8n for each length `n` of bytes that was asked for; 0 for the others, because no power is 0. The
 * coefficient of x^0 is the highest bit.
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
