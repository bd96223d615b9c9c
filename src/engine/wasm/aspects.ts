// Decodes the pieces of an aspects cell that are plainly good: Base64 of UTF-8.
// src/engine/codec/kinds/aspects.ts describes the form, and decides about every other cell.

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
/** What the twelve bits of two sextets are multiplied by, the first two and the second two of a group. */
const TO_GROUPS: v128 = i32x4.splat(0x00011000)
/** The places of the bytes of four groups, each of which is the lower 24 bits of a word. */
const TO_BYTES: v128 = i8x16(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1)

/** Bytes in which ends of pieces are looked for in one step, so that no piece waits for the one before. */
export const WINDOW: usize = 64

/** Returns a bit for each byte of a window that ends a piece; `last` ends one too. */
export function pieceEnds(window: usize, last: usize): u64 {
  const low = separators(window) | (separators(window + 16) << 16)
  const high = separators(window + 32) | (separators(window + 48) << 16)
  const end: u64 = last - window < WINDOW ? (<u64>1) << u64(last - window) : 0
  return ((<u64>low | ((<u64>high) << 32)) & (end - 1)) | end
}

/** Returns the end of the piece at `from`. */
export function pieceEnd(from: usize, last: usize): usize {
  for (let at = from; at < last; at += STEP) {
    const ends = separators(at)
    if (ends != 0) return min(at + <usize>ctz(ends), last)
  }
  return last
}

/** Returns the address behind the last piece of a cell, which may have a semicolon at its end. */
export function lastOf(start: usize, end: usize): usize {
  return start != end && <u32>load<u8>(end - 1) == SEMICOLON ? end - 1 : end
}

/** Returns the separator that ends a piece; a semicolon at the end of the cell. */
export function separatorAt(end: usize, last: usize): u32 {
  return end == last ? SEMICOLON : <u32>load<u8>(end)
}

function separators(at: usize): u32 {
  const bytes = v128.load(at)
  const pairs = i8x16.eq(v128.or(bytes, i8x16.splat(1)), i8x16.splat(<i8>SEMICOLON))
  return <u32>i8x16.bitmask(v128.or(pairs, i8x16.eq(bytes, i8x16.splat(<i8>PIPE))))
}

/** Returns a bit for each byte of the Base64 alphabet. */
function inAlphabet(bytes: v128): u32 {
  const letters = isAmong(v128.or(bytes, i8x16.splat(0x20)), 0x61, 26)
  const digits = isAmong(bytes, 0x30, 10)
  const others = v128.or(i8x16.eq(bytes, i8x16.splat(0x2b)), i8x16.eq(bytes, i8x16.splat(0x2f)))
  return <u32>i8x16.bitmask(v128.or(v128.or(letters, digits), others))
}

/** Marks the bytes from `first` on, so many. Only signed bytes compare in one step. */
export function isAmong(bytes: v128, first: i32, count: i32): v128 {
  const lowest = i8x16.splat(<i8>(first - 128))
  return i8x16.lt_s(i8x16.sub(bytes, lowest), i8x16.splat(<i8>(count - 128)))
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
  const first = i16x8.shl(v128.and(sextets, i16x8.splat(0x3f)), 6)
  const pairs = v128.or(first, i16x8.shr_u(sextets, 8))
  return i8x16.swizzle(i32x4.dot_i16x8_s(pairs, TO_GROUPS), TO_BYTES)
}

/**
 * Writes the text of a piece. Returns the address behind the text, or 0 where the piece is not
 * plainly good. Most pieces take one step, and none of its branches depends
 * on their length.
 */
export function writePiece(from: usize, end: usize, to: usize): usize {
  const isPadded: usize = <u32>load<u8>(end - 1) == PADDING ? 1 : 0
  const padding = isPadded + (<u32>load<u8>(end - 2) == PADDING ? isPadded : 0)
  const letters = end - padding
  const textEnd = to + (((end - from) * 3) >> 2) - padding
  const strayBits = <u32>(0x0f0300 >> ((<u32>padding) << 3)) & 0xff
  let wrong = (<u32>(end - from) & 3) | (sextetAt(letters - 1) & strayBits)
  let wide: u32 = 0
  let at = from
  let out = to
  do {
    const bytes = v128.load(at)
    const text = decoded(bytes)
    v128.store(out, text)
    wrong |= ~inAlphabet(bytes) & firstBits(letters - at)
    wide |= <u32>i8x16.bitmask(text) & firstBits(textEnd - out)
    at += STEP
    out += 12
  } while (at < end)
  return wrong != 0 || (wide != 0 && !isUtf8(to, textEnd)) ? 0 : textEnd
}

function firstBits(count: usize): u32 {
  return (1 << (<u32>min(count, STEP))) - 1
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

/** Returns whether bytes are UTF-8 (RFC 3629, section 4). */
function isUtf8(from: usize, to: usize): bool {
  for (let at = from; at < to; ) {
    const byte = <u32>load<u8>(at++)
    if (byte < 0x80) continue
    if (byte < 0xc2 || byte > 0xf4) return false
    const end = at + (byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3)
    const second = <u32>load<u8>(at)
    const lowest: u32 = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80
    const highest: u32 = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf
    if (end > to || second < lowest || second > highest) return false
    while (++at < end) if ((load<u8>(at) & 0xc0) != 0x80) return false
  }
  return true
}
