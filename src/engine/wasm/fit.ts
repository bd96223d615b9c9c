// Makes the marked cells of a run of rows fit, so that the run becomes text at once:
// src/engine/codec/row-cells.ts says what a run has then.

import { isEscaped } from './quoted-cell'

const QUOTES: u8 = 2
const LATIN1: u32 = 0xff
const MOST_EXCESS: u32 = 0xffff
const MARK: u32 = 0x8000_0000
/** No escape is a byte past ASCII, so this one is looked for where there are no escapes. */
const NO_ESCAPE: u8 = 0x80

/**
 * @param run address of the first row, whose offset in the index is `bias`
 * @param wide address of two bytes for each byte of the rows, and a step of copying
 * @returns true where a mark was removed from the index
 */
export function fitCells(
  run: usize,
  bias: u32,
  wide: usize,
  rowStarts: usize,
  cellEnds: usize,
  rows: u32,
  columns: u32,
  quote: i32,
  escapedBy: i32,
): bool {
  const base = run - <usize>bias
  let unmarked = false
  const marks = i32x4.splat(<i32>MARK)
  let at = cellEnds
  for (let row: u32 = 0; row < rows; row++, rowStarts += 4) {
    const first = at
    for (const rowEnd = at + ((<usize>columns) << 2); at < rowEnd; at += 4) {
      while (at + 16 <= rowEnd && !v128.any_true(v128.and(v128.load(at), marks))) at += 16
      if (at >= rowEnd) break
      if (<i32>load<u32>(at) >= 0) continue
      const start = at == first ? load<u32>(rowStarts) : (load<u32>(at - 4) & ~MARK) + 1
      const end = load<u32>(at) & ~MARK
      if (fitCell(base + <usize>start, base + <usize>end, run, wide, quote, escapedBy)) continue
      store<u32>(at, end)
      unmarked = true
    }
  }
  return unmarked
}

/** Makes a cell fit. Returns false where its bytes are its text. */
function fitCell(
  start: usize,
  end: usize,
  run: usize,
  wide: usize,
  quote: i32,
  escapedBy: i32,
): bool {
  const isQuoted = start < end && <i32>load<u8>(start) == quote
  const escapes = i8x16.splat(isQuoted ? <i8>escapedBy : <i8>NO_ESCAPE)
  const to = isQuoted ? end - 1 : end
  const target = wide + ((start - run) << 1)
  let from = isQuoted ? start + 1 : start
  const bytes = to - from
  let out = target + 2
  let all: u32 = 0
  while (from < to) {
    const word = load<u32>(from)
    let point: u32 = 0
    // The size of a character that is not UTF-8 is too large.
    let size: usize = bytes + 1
    if ((word & 0x80) == 0) {
      const step = v128.load(from)
      const special = <u32>i8x16.bitmask(v128.or(step, i8x16.eq(step, escapes)))
      const plain = min(<usize>ctz(special | 0x10000), to - from)
      v128.store(out, i16x8.extend_low_i8x16_u(step))
      v128.store(out, i16x8.extend_high_i8x16_u(step), 16)
      from += plain
      out += plain << 1
      if (plain != 0) continue
      const next = (word >> 8) & 0xff
      const isPair = from + 1 < to && isEscaped(next, <u32>quote, <u32>escapedBy)
      size = isPair ? 2 : 1
      point = isPair ? next : word & 0x7f
    } else if ((word & 0xc0e0) == 0x80c0) {
      point = ((word & 0x1f) << 6) | ((word >> 8) & 0x3f)
      if (point >= 0x80) size = 2
    } else if ((word & 0xc0c0f0) == 0x8080e0) {
      point = ((word & 0xf) << 12) | (((word >> 8) & 0x3f) << 6) | ((word >> 16) & 0x3f)
      if (point >= 0x800 && point >> 11 != 0x1b) size = 3
    } else if ((word & 0xc0c0c0f8) == 0x808080f0) {
      point = ((word & 7) << 18) | (((word >> 8) & 0x3f) << 12)
      point |= (((word >> 16) & 0x3f) << 6) | ((word >> 24) & 0x3f)
      if (point >= 0x10000 && point <= 0x10ffff) size = 4
    }
    from += size
    if (from > to) {
      store<u8>(start, 0)
      store<u16>(target, 0)
      return true
    }
    if (point >= 0x10000) {
      store<u16>(out, 0xd7c0 + (point >> 10))
      out += 2
      point = 0xdc00 | (point & 0x3ff)
    }
    all |= point
    store<u16>(out, <u16>point)
    out += 2
  }
  if (all == 0) {
    if (isQuoted) store<u8>(start, QUOTES)
    return isQuoted
  }
  const units = (out - target - 2) >> 1
  const excess = <u32>(end - start - units)
  if ((all | excess) > LATIN1) {
    store<u8>(start, 0)
    store<u16>(target, excess > MOST_EXCESS ? 0 : <u16>excess)
    return true
  }
  store<u8>(start, <u8>excess)
  let unit: usize = 0
  for (; unit + 16 <= units; unit += 16) {
    const at = target + 2 + (unit << 1)
    v128.store(start + 1 + unit, i8x16.narrow_i16x8_u(v128.load(at), v128.load(at, 16)))
  }
  for (; unit < units; unit++) store<u8>(start + 1 + unit, <u8>load<u16>(target + 2 + (unit << 1)))
  return true
}
