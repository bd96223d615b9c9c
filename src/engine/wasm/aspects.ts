// Recognises an aspects cell that is plainly good: pairs whose pieces are all Base64 of UTF-8.
// src/engine/codec/decode/aspects.ts describes the form, and decides about every other cell.

export const COLON: u32 = 0x3a
export const SEMICOLON: u32 = 0x3b
export const PIPE: u32 = 0x7c
const PADDING: u32 = 0x3d
/** Bytes that are looked at in one step. */
export const STEP: usize = 16
/**
 * What a byte of the alphabet lacks to its six bits, by its high nibble. The place before that of
 * the plus is that of the slash.
 */
const TO_SEXTETS: v128 = i8x16(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0)
/** The places of the bytes of four groups, each of which is the lower 24 bits of a word. */
const TO_BYTES: v128 = i8x16(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1)
/** The bits of a group's sextets that are the top bits of its bytes, which ASCII does not set. */
const NON_ASCII_BITS: v128 = i32x4.splat(0x00020820)

/**
 * Returns whether the cell from `start` to `end` is plainly good. A byte behind the cell has to be
 * outside of the alphabet, or the cell is not known as good. A piece of up to 15 bytes takes one
 * step, whatever its padding, which spares branches that nothing predicts.
 */
export function isPlainAspects(start: usize, end: usize): bool {
  if (start == end) return false
  const last = <u32>load<u8>(end - 1) == SEMICOLON ? end - 1 : end
  let before = SEMICOLON
  for (let at = start; at <= last; at++) {
    const piece = at
    let nonAscii: u32 = 0
    let taken = STEP
    while (taken == STEP && at < last) {
      const bytes = v128.load(at)
      taken = <usize>ctz(~inAlphabet(bytes) | 0x10000)
      nonAscii |= nonAsciiBits(bytes) & ((1 << (<u32>taken)) - 1)
      at += taken
    }
    const padding = <u32>(piece - at) & 3
    if (!isPadded(at, padding)) return false
    at += <usize>padding
    if (at > last || (nonAscii != 0 && !isUtf8(piece, at))) return false
    const separator = at == last ? SEMICOLON : <u32>load<u8>(at)
    if (separator == SEMICOLON) {
      if (before != COLON) return false
      if (at == last) return true
    } else if (separator == COLON) {
      if (before == COLON) return false
    } else if (separator != PIPE || before != SEMICOLON) return false
    before = separator
  }
  return false
}

/** Returns a bit for each byte of the Base64 alphabet. */
function inAlphabet(bytes: v128): u32 {
  const letters = isBelow(i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x61)), 26)
  const digits = isBelow(i8x16.sub(bytes, i8x16.splat(0x30)), 10)
  const others = v128.or(i8x16.eq(bytes, i8x16.splat(0x2b)), i8x16.eq(bytes, i8x16.splat(0x2f)))
  return <u32>i8x16.bitmask(v128.or(v128.or(letters, digits), others))
}

function isBelow(numbers: v128, limit: i8): v128 {
  return i8x16.lt_u(numbers, i8x16.splat(limit))
}

/** Returns a bit for each byte of whole groups that makes one of the group's bytes no ASCII. */
function nonAsciiBits(bytes: v128): u32 {
  const set = v128.and(sextetsOf(bytes), NON_ASCII_BITS)
  return <u32>i8x16.bitmask(i8x16.ne(set, i8x16.splat(0)))
}

/** Returns the six bits of each byte of the alphabet; anything for other bytes. */
function sextetsOf(bytes: v128): v128 {
  const isSlash = i8x16.eq(bytes, i8x16.splat(0x2f))
  const places = i8x16.add(i8x16.shr_u(bytes, 4), isSlash)
  return i8x16.add(bytes, i8x16.swizzle(TO_SEXTETS, places))
}

/** Returns the 12 bytes of 16 bytes of Base64, with as many right ones as there are. */
function decoded(bytes: v128): v128 {
  const sextets = sextetsOf(bytes)
  const first = i32x4.shl(v128.and(sextets, i32x4.splat(0x3f)), 18)
  const second = i32x4.shl(v128.and(sextets, i32x4.splat(0x3f00)), 4)
  const third = i32x4.shr_u(v128.and(sextets, i32x4.splat(0x3f0000)), 10)
  const fourth = i32x4.shr_u(sextets, 24)
  const groups = v128.or(v128.or(first, second), v128.or(third, fourth))
  return i8x16.swizzle(groups, TO_BYTES)
}

/**
 * Returns whether so many bytes at `at` are padding, which are none to two, and the byte before
 * them has no stray bits.
 */
function isPadded(at: usize, padding: u32): bool {
  const bytes: u32 = (1 << (padding << 3)) - 1
  const strayBits = <u32>(0x0f0300 >> (padding << 3)) & 0xff
  const wrong = ((<u32>load<u16>(at) ^ 0x3d3d) & bytes) | (sextetAt(at - 1) & strayBits)
  return padding != 3 && wrong == 0
}

/** The address behind the piece that was written last. */
export let pieceEnd: usize = 0

/**
 * Writes the text of the piece at `at`, which ends at `last` at the latest. Returns the address behind
 * the text, or 0 where the piece is not plainly good.
 */
export function writePiece(at: usize, last: usize, out: usize): usize {
  const piece = at
  let wide: u32 = 0
  let taken = STEP
  while (taken == STEP && at < last) {
    const bytes = v128.load(at)
    taken = <usize>ctz(~inAlphabet(bytes) | 0x10000)
    const text = decoded(bytes)
    v128.store(out, text)
    const length = (taken * 3) >> 2
    wide |= <u32>i8x16.bitmask(text) & ((1 << (<u32>length)) - 1)
    at += taken
    out += length
  }
  const padding = <u32>(piece - at) & 3
  if (!isPadded(at, padding)) return 0
  at += <usize>padding
  if (at > last || (wide != 0 && !isUtf8(piece, at))) return 0
  pieceEnd = at
  return out
}

/** Returns the 24 bits of the four bytes at `at`; padding has no bits. */
function groupAt(at: usize): u32 {
  return (
    (sextetAt(at) << 18) | (sextetAt(at + 1) << 12) | (sextetAt(at + 2) << 6) | sextetAt(at + 3)
  )
}

/** The six bits of each byte of the Base64 alphabet; 0 for any other byte. */
const SEXTETS = memory.data(256)
for (let n = 0; n < 26; n++) {
  store<u8>(SEXTETS + 0x41 + n, <u8>n)
  store<u8>(SEXTETS + 0x61 + n, <u8>(26 + n))
}
for (let n = 0; n < 10; n++) store<u8>(SEXTETS + 0x30 + n, <u8>(52 + n))
store<u8>(SEXTETS + 0x2b, 62)
store<u8>(SEXTETS + 0x2f, 63)

function sextetAt(at: usize): u32 {
  return load<u8>(SEXTETS + <usize>load<u8>(at))
}

// What the next bytes of a character have to be: how many there are, and the range of the first.
let missing: u32 = 0
let lowest: u32 = 0x80
let highest: u32 = 0xbf

/** Returns whether a piece of good Base64 is UTF-8. */
function isUtf8(start: usize, end: usize): bool {
  missing = 0
  lowest = 0x80
  highest = 0xbf
  let bytes = ((end - start) >> 2) * 3
  if (<u32>load<u8>(end - 1) == PADDING) bytes--
  if (<u32>load<u8>(end - 2) == PADDING) bytes--
  for (let at = start; bytes > 0; at += 4) {
    let group = groupAt(at) << 8
    for (let n = 0; n < 3 && bytes > 0; n++, bytes--, group <<= 8)
      if (!takeByte(group >> 24)) return false
  }
  return missing == 0
}

/** Returns false for a byte that no UTF-8 has here (RFC 3629, section 4). */
function takeByte(byte: u32): bool {
  if (missing != 0) {
    if (byte < lowest || byte > highest) return false
    missing--
    lowest = 0x80
    highest = 0xbf
    return true
  }
  if (byte < 0x80) return true
  if (byte < 0xc2 || byte > 0xf4) return false
  missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
  if (byte == 0xe0) lowest = 0xa0
  else if (byte == 0xed) highest = 0x9f
  else if (byte == 0xf0) lowest = 0x90
  else if (byte == 0xf4) highest = 0x8f
  return true
}
