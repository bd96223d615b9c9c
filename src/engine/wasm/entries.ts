// The 32-bit entries of the decode tables: their form, and what each symbol of deflate means (RFC
// 1951 section 3.2.5). Blocks define which code stands for which symbol, and tables.ts builds the
// tables.

import { DISTANCE_RESULTS, LITLEN_RESULTS, PERIOD_STEPS, PERIODS, PRECODE_RESULTS } from './layout'

//   literal    bit 31, and the byte in bits 16 to 23
//   length     the base in bits 16 to 24 · distance: the base in bits 16 to 30
//   subtable   its first entry in bits 16 to 30, its index bits in bits 8 to 13
// The lowest 6 bits are how many bits to take, extra bits included; bits 8 to 13 are the code's
// part of them, and two more for a length or distance, whose extra bits are read from bits that are
// AHEAD.

export const LITERAL: u64 = 0x80000000
/** Flag of an entry that is neither a literal nor a length or distance. */
export const EXCEPTION: u64 = 0x8000
export const SUBTABLE: u64 = 0x4000
export const END_OF_BLOCK: u64 = 0x2000
export const INVALID: u32 = 0x8000

export const LITLEN_BITS: u32 = 10
export const LITLEN_MASK: u64 = (1 << LITLEN_BITS) - 1
export const DISTANCE_BITS: u32 = 8
export const DISTANCE_MASK: u64 = (1 << DISTANCE_BITS) - 1
export const PRECODE_BITS: u32 = 7
export const PRECODE_MASK: u64 = (1 << PRECODE_BITS) - 1
export const MAX_CODE_BITS: u32 = 15

/**
 * Bits that select an entry lie this many places up, above bits without meaning. Then a mask alone
 * makes the offset of an entry, and each symbol waits one cycle less for the next.
 */
export const AHEAD: u64 = 2

const LENGTH_BASES = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
])
const LENGTH_EXTRAS = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
])

fillResults()
fillPeriods()

function fillResults(): void {
  for (let byte: u32 = 0; byte < 256; byte++)
    store<u32>(LITLEN_RESULTS + (byte << 2), <u32>LITERAL | (byte << 16))
  store<u32>(LITLEN_RESULTS + (256 << 2), <u32>(EXCEPTION | END_OF_BLOCK))
  for (let n: usize = 0; n < 29; n++) {
    const entry =
      ((<u32>load<u16>(LENGTH_BASES + (n << 1))) << 16) |
      load<u8>(LENGTH_EXTRAS + n) |
      ((<u32>AHEAD) << 8)
    store<u32>(LITLEN_RESULTS + ((257 + n) << 2), entry)
  }
  store<u32>(LITLEN_RESULTS + (286 << 2), INVALID)
  store<u32>(LITLEN_RESULTS + (287 << 2), INVALID)
  let base: u32 = 1
  for (let n: u32 = 0; n < 30; n++) {
    const extra: u32 = n < 4 ? 0 : (n >> 1) - 1
    store<u32>(DISTANCE_RESULTS + (n << 2), (base << 16) | extra | ((<u32>AHEAD) << 8))
    base += 1 << extra
  }
  store<u32>(DISTANCE_RESULTS + (30 << 2), INVALID)
  store<u32>(DISTANCE_RESULTS + (31 << 2), INVALID)
  for (let n: u32 = 0; n < 19; n++) store<u32>(PRECODE_RESULTS + (n << 2), n << 16)
}

function fillPeriods(): void {
  for (let distance: u32 = 1; distance < 16; distance++) {
    for (let n: u32 = 0; n < 16; n++) store<u8>(PERIODS + (distance << 4) + n, <u8>(n % distance))
    store<u8>(PERIOD_STEPS + distance, <u8>(16 - (16 % distance)))
  }
}

/**
 * Returns the lowest `count` bits of `value`; only the lowest 6 bits of `count` matter.
 */
export function lowBits(value: u64, count: u64): u64 {
  return value & ~((<u64>-1) << count)
}

/** Tests bit 31 as a sign, because a mask would need a load. */
export function isLiteral(entry: u64): bool {
  return <i32>entry < 0
}

/** Returns the offset of a table's entry, from bits that are AHEAD. @param mask the index bits */
export function offsetOf(bits: u64, mask: u64): u32 {
  return <u32>bits & <u32>(mask << AHEAD)
}

/** Returns the offset of an entry in a subtable, from bits that are AHEAD. */
export function suboffsetOf(entry: u64, bits: u64): u32 {
  return ((<u32>(entry >> 16)) << (<u32>AHEAD)) + (<u32>lowBitsAhead(bits, entry >> 8) & ~3)
}

/**
 * Returns a length or distance: its base plus its extra bits, from the bits before the symbol,
 * which are AHEAD.
 */
export function valueWith(entry: u64, bits: u64): usize {
  return <usize>((entry >> 16) + (lowBitsAhead(bits, entry) >> (entry >> 8)))
}

function lowBitsAhead(bits: u64, count: u64): u64 {
  return bits & ~(((<u64>-1) << AHEAD) << count)
}
