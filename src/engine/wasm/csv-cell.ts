// Decides how CSV has a text, as src/engine/sinks/csv-sink.ts says it: as it is, between quotes, or
// by the host, which alone knows all formulas.

import { STEP } from './aspects'

export const AS_IS: u32 = 0
export const QUOTED: u32 = 1
export const LEFT: u32 = 2

const SPACE: u32 = 0x20
const DELETE: u32 = 0x7f
/** The first byte of a byte order mark, and the others. */
const MARK: u8 = 0xef
const MARK_REST: u16 = 0xbfbb

/** @param neutralizes true where a text that may be a formula is left to the host */
export function csvForm(from: usize, to: usize, delimiter: u8, neutralizes: bool): u32 {
  if (neutralizes && !isNoFormula(<u32>load<u8>(from), <u32>load<u8>(from, 1))) return LEFT
  if (<u32>load<u8>(from) == SPACE || <u32>load<u8>(to - 1) == SPACE) return QUOTED
  for (let at = from; at < to; at += STEP) {
    const bytes = v128.load(at)
    const isLineEnd = v128.or(
      i8x16.eq(bytes, i8x16.splat(0x0a)),
      i8x16.eq(bytes, i8x16.splat(0x0d)),
    )
    const isMark = v128.or(
      i8x16.eq(bytes, i8x16.splat(0x22)),
      i8x16.eq(bytes, i8x16.splat(delimiter)),
    )
    const isSpecial = v128.or(v128.or(isLineEnd, isMark), i8x16.eq(bytes, i8x16.splat(MARK)))
    for (let bits = <u32>i8x16.bitmask(isSpecial); bits != 0; bits &= bits - 1) {
      const found = at + <usize>ctz(bits)
      if (found >= to) return AS_IS
      if (load<u8>(found) != MARK) return QUOTED
      if (found + 2 < to && load<u16>(found, 1) == MARK_REST) return QUOTED
    }
  }
  return AS_IS
}

/**
 * Returns whether a text that begins with these bytes is surely no formula. It is none where its
 * first character is neither a sign of formulas nor space, a control or an invisible character,
 * such as a letter of Latin, Greek, Cyrillic, Hebrew, Arabic or Chinese.
 */
function isNoFormula(first: u32, second: u32): bool {
  if (first < 0x80) {
    const isSign = first == 0x3d || first == 0x2b || first == 0x2d || first == 0x40
    return first > SPACE && first != DELETE && !isSign
  }
  if (first >= 0xe4 && first <= 0xed) return true
  if (first == 0xd8) return second >= 0xa0
  if (first == 0xe3) return second > 0x80
  if (first == 0xf0) return second == 0x9f
  return first >= 0xc3 && first <= 0xda
}
