// The CRC-32 of gzip (RFC 1952 section 8) of bytes in the memory, by XORs alone, because
// WebAssembly has no carry-less multiplication.
//
// Where x^d + x^(d-s) + x^(d-t) + 1 is a multiple of the polynomial, so is its eighth power, which
// is the same in x^8. Hence the CRC stays the same if a byte is removed from the message and XORed
// into the bytes that lie s, t and d behind it. So the module folds all but the last d bytes into
// those, folds them further by a smaller multiple with more terms, and ends with tables. It reads
// only the message, and writes only to the regions of layout.ts.

import { CRC_RING, CRC_TABLES, CRC_TAIL, CRC_TAIL_BYTES } from './layout'

const POLYNOMIAL: u32 = 0xedb88320

/**
 * Distances of the first fold, in bytes. Of the multiples with four terms up to x^11000 only this
 * one has two distances that are so short that the bytes there are still in registers, and 16 bytes
 * cost two loads.
 */
export const LONG_A: usize = 34
export const LONG_B: usize = 48
export const LONG: usize = 5869
/** Distances of the second fold: the least multiple with five terms. */
export const SHORT_A: usize = 145
export const SHORT_B: usize = 183
export const SHORT_C: usize = 211
export const SHORT: usize = 300
/** Fewer bytes are not folded a second time. */
const SHORT_FROM_BYTES: usize = 3 * SHORT

/** Three vectors, so that each takes the register of the one LONG_B before it. */
const STEP: usize = 48
/** Size of the ring of the latest folded bytes: whole steps with LONG bytes and one load more. */
const RING_BYTES: usize = ((LONG + 15 + STEP - 1) / STEP) * STEP
const RING_END: usize = CRC_RING + RING_BYTES
/** Distance in the ring to the bytes LONG before, which were written one round ago. */
const AHEAD: usize = RING_BYTES - LONG

buildTables()

/**
 * Returns the CRC-32 of the bytes at `from`.
 * @param before the CRC-32 of all bytes before these; 0 at the start
 */
export function crc32(from: usize, bytes: usize, before: u32): u32 {
  if (bytes < SHORT_FROM_BYTES) return ~throughTables(from, bytes, ~before)
  if (bytes > CRC_TAIL_BYTES) return ~foldTail(foldLong(from, bytes, ~before))
  memory.copy(CRC_TAIL, from, bytes)
  store<u32>(CRC_TAIL, load<u32>(CRC_TAIL) ^ ~before)
  return ~foldTail(bytes)
}

/** Folds a message into CRC_TAIL. @returns the bytes there */
function foldLong(from: usize, bytes: usize, crc: u32): usize {
  const stop = from + ((bytes - LONG) / STEP) * STEP
  memory.fill(CRC_RING, 0, RING_BYTES + STEP)
  // The earlier CRC is folded as if it lay LONG before the message, from where it reaches only the
  // first four bytes.
  store<u32>(CRC_RING, crc, AHEAD)
  let first = i64x2.splat(0)
  let second = first
  let third = first
  let out: usize = CRC_RING
  for (let at = from; at < stop; ) {
    const roundEnd = at + min<usize>(stop - at, RING_BYTES)
    for (out = CRC_RING; at < roundEnd; at += STEP, out += STEP) {
      first = v128.xor(
        v128.xor(v128.xor(load<v128>(at), load<v128>(out, AHEAD)), first),
        joined(first, second),
      )
      second = v128.xor(
        v128.xor(v128.xor(load<v128>(at, 16), load<v128>(out, AHEAD + 16)), second),
        joined(second, third),
      )
      third = v128.xor(
        v128.xor(v128.xor(load<v128>(at, 32), load<v128>(out, AHEAD + 32)), third),
        joined(third, first),
      )
      storeStep(out, first, second, third)
      // The last loads of a round go past the end.
      if (out == CRC_RING) storeStep(RING_END, first, second, third)
    }
  }
  memory.copy(CRC_TAIL, stop, from + bytes - stop)
  reachTail(out)
  return from + bytes - stop
}

/**
 * Returns the 16 bytes that end LONG_A - 16 before the next vector: the last two bytes of one
 * vector and the bytes before them in the next.
 */
function joined(older: v128, newer: v128): v128 {
  return v128.shuffle<u8>(
    older,
    newer,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
  )
}

function storeStep(at: usize, first: v128, second: v128, third: v128): void {
  store<v128>(at, first)
  store<v128>(at, second, 16)
  store<v128>(at, third, 32)
}

/** Folds the latest bytes over the end of the message. @param end the end in the ring */
function reachTail(end: usize): void {
  xorInto(CRC_TAIL, end - LONG_A, LONG_A)
  xorInto(CRC_TAIL, end - LONG_B, LONG_B)
  const oldest = end + AHEAD
  const bytes = oldest < RING_END ? RING_END - oldest : 0
  xorInto(CRC_TAIL, oldest, bytes)
  xorInto(CRC_TAIL + bytes, oldest + bytes - RING_BYTES, LONG - bytes)
}

/** Returns the CRC of the bytes in CRC_TAIL, and folds them in place. */
function foldTail(bytes: usize): u32 {
  const stop = CRC_TAIL + ((bytes - SHORT) & ~15)
  memory.fill(CRC_TAIL - SHORT, 0, SHORT)
  for (let at = CRC_TAIL; at < stop; at += 16) {
    const near = v128.xor(load<v128>(at - SHORT_A), load<v128>(at - SHORT_B))
    const far = v128.xor(load<v128>(at - SHORT_C), load<v128>(at - SHORT))
    store<v128>(at, v128.xor(load<v128>(at), v128.xor(near, far)))
  }
  xorInto(stop, stop - SHORT_A, SHORT_A)
  xorInto(stop, stop - SHORT_B, SHORT_B)
  xorInto(stop, stop - SHORT_C, SHORT_C)
  xorInto(stop, stop - SHORT, SHORT)
  return throughTables(stop, CRC_TAIL + bytes - stop, 0)
}

/** Copies bytes between regions that do not overlap. */
function xorInto(to: usize, from: usize, bytes: usize): void {
  const end = to + bytes
  for (; to + 16 <= end; to += 16, from += 16)
    store<v128>(to, v128.xor(load<v128>(to), load<v128>(from)))
  for (; to < end; to++, from++) store<u8>(to, load<u8>(to) ^ load<u8>(from))
}

/** Takes eight bytes a step, with a table for each. Neither `crc` nor the result is inverted. */
function throughTables(at: usize, bytes: usize, crc: u32): u32 {
  const end = at + bytes
  for (; at + 8 <= end; at += 8) {
    const low = load<u32>(at) ^ crc
    const high = load<u32>(at, 4)
    crc =
      entry(7, low) ^
      entry(6, low >> 8) ^
      entry(5, low >> 16) ^
      entry(4, low >> 24) ^
      entry(3, high) ^
      entry(2, high >> 8) ^
      entry(1, high >> 16) ^
      entry(0, high >> 24)
  }
  for (; at < end; at++) crc = (crc >> 8) ^ entry(0, crc ^ load<u8>(at))
  return crc
}

function entry(table: usize, byte: u32): u32 {
  return load<u32>(CRC_TABLES + (table << 10) + ((<usize>(byte & 0xff)) << 2))
}

/** Table `k` holds, for each byte, the CRC of it followed by `k` zero bytes. */
function buildTables(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ POLYNOMIAL : crc >> 1
    store<u32>(CRC_TABLES + (byte << 2), crc)
  }
  for (let n: usize = 256; n < 8 * 256; n++) {
    const crc = load<u32>(CRC_TABLES + ((n - 256) << 2))
    store<u32>(CRC_TABLES + (n << 2), (crc >> 8) ^ entry(0, crc))
  }
}
