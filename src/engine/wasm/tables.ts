// Builds decode tables from code lengths (RFC 1951 section 3.2.2) in the way of libdeflate: it
// takes the codes in order, and grows a table by repeating it. It refuses over-subscribed and
// incomplete codes, except for those that zlib accepts.

import {
  DISTANCE_BITS,
  EXCEPTION,
  INVALID,
  LITLEN_BITS,
  MAX_CODE_BITS,
  PRECODE_BITS,
  SUBTABLE,
} from './entries'
import {
  BAD_DISTANCE_CODE,
  BAD_LITLEN_CODE,
  COUNTS,
  DISTANCE_RESULTS,
  DISTANCE_TABLE,
  GO_ON,
  LENGTHS,
  LITLEN_RESULTS,
  LITLEN_TABLE,
  OFFSETS,
  PRECODE_LENGTHS,
  PRECODE_RESULTS,
  PRECODE_TABLE,
  SORTED,
  state,
} from './layout'

/** zlib reads an empty code of lengths as zeros of one bit each, and fails later. */
export function buildPrecode(): bool {
  return buildTable(PRECODE_LENGTHS, 19, PRECODE_TABLE, PRECODE_BITS, PRECODE_RESULTS, false, 0)
}

export function buildCodes(): i32 {
  const litlens = state.litlenCount
  if (!buildTable(LENGTHS, litlens, LITLEN_TABLE, LITLEN_BITS, LITLEN_RESULTS, true, INVALID))
    return BAD_LITLEN_CODE
  const distances = LENGTHS + litlens
  if (
    !buildTable(
      distances,
      state.distanceCount,
      DISTANCE_TABLE,
      DISTANCE_BITS,
      DISTANCE_RESULTS,
      true,
      INVALID,
    )
  )
    return BAD_DISTANCE_CODE
  return GO_ON
}

function entryOf(result: u32, codeBits: u32): u32 {
  return result + (codeBits << 8) + codeBits
}

/**
 * Fills a table from the code lengths of `count` symbols. Returns false for a code that zlib
 * refuses: over-subscribed, or incomplete, unless it is empty, or `maySingle` and its only code has
 * one bit. `unused` is the result of a bit that no code begins with.
 */
function buildTable(
  lengths: usize,
  count: u32,
  table: usize,
  tableBits: u32,
  results: usize,
  maySingle: bool,
  unused: u32,
): bool {
  memory.fill(COUNTS, 0, 64)
  for (let n: u32 = 0; n < count; n++) {
    const at = COUNTS + ((<usize>load<u8>(lengths + n)) << 2)
    store<u32>(at, load<u32>(at) + 1)
  }
  let space: u32 = 0
  let longest: u32 = 0
  let offset: u32 = 0
  for (let bits: u32 = 1; bits <= MAX_CODE_BITS; bits++) {
    const codes = load<u32>(COUNTS + (bits << 2))
    store<u32>(OFFSETS + (bits << 2), offset)
    offset += codes
    space = (space << 1) + codes
    if (space > 1 << bits) return false
    if (codes) longest = bits
  }
  for (let n: u32 = 0; n < count; n++) {
    const bits = <u32>load<u8>(lengths + n)
    if (bits == 0) continue
    const at = OFFSETS + (bits << 2)
    const place = load<u32>(at)
    store<u16>(SORTED + (place << 1), <u16>n)
    store<u32>(at, place + 1)
  }
  if (space == 1 << MAX_CODE_BITS) fillTable(table, tableBits, results)
  else if (longest == 0) fillShort(table, tableBits, entryOf(unused, 1), entryOf(unused, 1))
  else if (maySingle && longest == 1)
    fillShort(
      table,
      tableBits,
      entryOf(load<u32>(results + ((<u32>load<u16>(SORTED)) << 2)), 1),
      entryOf(unused, 1),
    )
  else return false
  return true
}

function fillShort(table: usize, tableBits: u32, zero: u32, one: u32): void {
  for (let n: u32 = 0; n < 1 << tableBits; n += 2) {
    store<u32>(table + (n << 2), zero)
    store<u32>(table + (n << 2), one, 4)
  }
}

/**
 * Fills a table of a complete code. Codes of deflate begin at their lowest bit, so the next code is
 * found by a carry from above; and while codes grow longer, the table so far is a table of one bit
 * more once it is repeated.
 */
function fillTable(table: usize, tableBits: u32, results: usize): void {
  let symbols = SORTED
  let code: u32 = 0
  let bits: u32 = 1
  let left = load<u32>(COUNTS + 4)
  let end: u32 = 2
  while (bits <= tableBits) {
    for (; left > 0; left--) {
      store<u32>(
        table + (code << 2),
        entryOf(load<u32>(results + ((<u32>load<u16>(symbols)) << 2)), bits),
      )
      symbols += 2
      if (code == end - 1) {
        for (; bits < tableBits; bits++) {
          memory.copy(table + (end << 2), table, end << 2)
          end <<= 1
        }
        return
      }
      code = nextCode(code, end - 1)
    }
    bits++
    left = load<u32>(COUNTS + (bits << 2))
    if (bits <= tableBits) {
      memory.copy(table + (end << 2), table, end << 2)
      end <<= 1
    }
  }
  fillSubtables(table, tableBits, results, symbols, code, bits)
}

function fillSubtables(
  table: usize,
  tableBits: u32,
  results: usize,
  symbols: usize,
  code: u32,
  bits: u32,
): void {
  const mask: u32 = (1 << tableBits) - 1
  let left = load<u32>(COUNTS + (bits << 2))
  let end: u32 = 1 << tableBits
  let start: u32 = 0
  let prefix: u32 = -1
  for (;;) {
    while (left == 0) left = load<u32>(COUNTS + (++bits << 2))
    if ((code & mask) != prefix) {
      prefix = code & mask
      start = end
      let indexBits = bits - tableBits
      let space = left
      while (space < 1 << indexBits) {
        indexBits++
        space = (space << 1) + load<u32>(COUNTS + ((tableBits + indexBits) << 2))
      }
      end = start + (1 << indexBits)
      store<u32>(
        table + (prefix << 2),
        (start << 16) | <u32>(EXCEPTION | SUBTABLE) | (indexBits << 8) | tableBits,
      )
    }
    const entry = entryOf(load<u32>(results + ((<u32>load<u16>(symbols)) << 2)), bits - tableBits)
    symbols += 2
    for (let n = start + (code >> tableBits); n < end; n += 1 << (bits - tableBits))
      store<u32>(table + (n << 2), entry)
    const ones: u32 = (1 << bits) - 1
    if (code == ones) return
    code = nextCode(code, ones)
    left--
  }
}

function nextCode(code: u32, ones: u32): u32 {
  const bit: u32 = 1 << (31 - clz(code ^ ones))
  return (code & (bit - 1)) | bit
}
