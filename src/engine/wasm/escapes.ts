// Copies texts with the escapes of a notation: that of strings in JSON (RFC 8259, section 7), of
// elements in an array of PostgreSQL, of cells in the text of COPY, and of quoted cells in CSV.

import { STEP } from './aspects'
import { ARRAY, COPY, CSV, JSONB } from './kinds'

/** Room behind a text for an escape and a step of copying. */
const ROOM: usize = 64

const QUOTE: u8 = 0x22
const BACKSLASH: u8 = 0x5c

/** The digits of hexadecimal numbers. */
const DIGITS = memory.data<u8>(
  [0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66],
  16,
)

/**
 * Writes a text from `out` on. Returns the address behind it, or 0 where the text does not end
 * before `limit`, or has a NUL that the notation lacks.
 */
export function escaped(notation: u32, from: usize, to: usize, start: usize, limit: usize): usize {
  let out = start
  if (out + (to - from) + ROOM > limit) return 0
  // The bytes that have an escape: two of them, and control characters. COPY has an escape for few
  // of these, and the others stay as they are.
  const control: u8 = notation == COPY ? 0x0e : notation == CSV || notation == ARRAY ? 0 : 0x20
  const controls = i8x16.splat(control)
  const quotes = i8x16.splat(notation == COPY ? BACKSLASH : QUOTE)
  const escapes = i8x16.splat(notation == CSV ? QUOTE : BACKSLASH)
  while (from < to) {
    const bytes = v128.load(from)
    v128.store(out, bytes)
    const marks = v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, escapes))
    const special = <u32>i8x16.bitmask(v128.or(marks, i8x16.lt_u(bytes, controls)))
    const step = min(to - from, STEP)
    const plain = min(<usize>ctz(special | 0x10000), step)
    from += plain
    out += plain
    if (plain == step) continue
    const byte = load<u8>(from++)
    // PostgreSQL has no NUL: the host decides about the cell.
    if (byte == 0 && (notation == COPY || notation == JSONB)) return 0
    out = escape(notation, byte, out)
    if (out + (to - from) + ROOM > limit) return 0
  }
  return out
}

function escape(notation: u32, byte: u8, out: usize): usize {
  if (notation == CSV || notation == ARRAY) {
    store<u8>(out, notation == CSV ? QUOTE : BACKSLASH)
    store<u8>(out, byte, 1)
    return out + 2
  }
  const letter = notation == COPY ? copyEscape(byte) : jsonEscape(byte)
  if (letter != 0) {
    store<u8>(out, BACKSLASH)
    store<u8>(out, letter, 1)
    return out + 2
  }
  if (notation == COPY) {
    store<u8>(out, byte)
    return out + 1
  }
  // The text `\u00`, and two digits.
  store<u32>(out, 0x3030755c)
  store<u8>(out, load<u8>(DIGITS + <usize>(byte >> 4)), 4)
  store<u8>(out, load<u8>(DIGITS + <usize>(byte & 15)), 5)
  return out + 6
}

/** Returns the letter that stands for a byte, or 0 where none does. */
function jsonEscape(byte: u8): u8 {
  switch (<u32>byte) {
    case 0x08:
      return 0x62
    case 0x0c:
      return 0x66
    case 0x22:
      return byte
  }
  return copyEscape(byte)
}

function copyEscape(byte: u8): u8 {
  switch (<u32>byte) {
    case 0x09:
      return 0x74
    case 0x0a:
      return 0x6e
    case 0x0d:
      return 0x72
    case 0x5c:
      return byte
  }
  return 0
}
