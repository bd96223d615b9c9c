// Recognises an aspects cell that is plainly good: pairs whose pieces are all Base64 of UTF-8.
// src/codec/decode/aspects.ts describes the form, and decides about every other cell.

const COLON: u32 = 0x3a
const SEMICOLON: u32 = 0x3b
const PIPE: u32 = 0x7c
const PADDING: u32 = 0x3d
/** The top bits of the three bytes in a group, which ASCII does not set. */
const NON_ASCII_BITS: i32 = 0x808080

/** Returns whether the cell from `start` to `end` is plainly good. */
export function isPlainAspects(start: usize, end: usize): bool {
  if (start == end) return false
  const last = <u32>load<u8>(end - 1) == SEMICOLON ? end - 1 : end
  let before = SEMICOLON
  for (let at = start; at <= last; at++) {
    const piece = at
    let seen: i32 = 0
    for (; at + 4 <= last; at += 4) {
      const group = groupAt(at)
      if (group < 0) break
      seen |= group
    }
    if (at + 4 <= last && <u32>load<u8>(at, 3) == PADDING) {
      const group = paddedGroupAt(at)
      // An empty piece may stand before a padded one.
      if (group >= 0) {
        seen |= group
        at += 4
      }
    }
    if ((seen & NON_ASCII_BITS) != 0 && !isUtf8(piece, at)) return false
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

/** Returns the 24 bits of the four bytes at `at`, or a negative number for bytes of no alphabet. */
function groupAt(at: usize): i32 {
  return (
    (sextetAt(at) << 18) | (sextetAt(at + 1) << 12) | (sextetAt(at + 2) << 6) | sextetAt(at + 3)
  )
}

/**
 * Returns the bits of a group that ends in one or two `=`, or a negative number where it has bytes
 * of no alphabet or stray bits.
 */
function paddedGroupAt(at: usize): i32 {
  const isSingle = <u32>load<u8>(at, 2) == PADDING
  const group =
    (sextetAt(at) << 18) | (sextetAt(at + 1) << 12) | (isSingle ? 0 : sextetAt(at + 2) << 6)
  return (group & (isSingle ? 0xffff : 0xff)) != 0 ? -1 : group
}

/** The six bits of each byte of the Base64 alphabet; -1 for any other byte. */
const SEXTETS = memory.data(256)
memory.fill(SEXTETS, 0xff, 256)
for (let n = 0; n < 26; n++) {
  store<u8>(SEXTETS + 0x41 + n, <u8>n)
  store<u8>(SEXTETS + 0x61 + n, <u8>(26 + n))
}
for (let n = 0; n < 10; n++) store<u8>(SEXTETS + 0x30 + n, <u8>(52 + n))
store<u8>(SEXTETS + 0x2b, 62)
store<u8>(SEXTETS + 0x2f, 63)

function sextetAt(at: usize): i32 {
  return <i32>load<i8>(SEXTETS + <usize>load<u8>(at))
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
  const isPadded = <u32>load<u8>(end - 1) == PADDING
  const whole = isPadded ? end - 4 : end
  for (let at = start; at < whole; at += 4) {
    const group = <u32>groupAt(at)
    if (!takeByte(group >> 16) || !takeByte((group >> 8) & 0xff) || !takeByte(group & 0xff))
      return false
  }
  if (isPadded) {
    const group = <u32>paddedGroupAt(whole)
    if (!takeByte(group >> 16)) return false
    if (<u32>load<u8>(end - 2) != PADDING && !takeByte((group >> 8) & 0xff)) return false
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
