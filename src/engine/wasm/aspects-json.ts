// Writes an aspects cell that is plainly good as JSON: the text that JSON.stringify makes of the
// pairs that src/engine/codec/decode/aspects.ts reads. A cell with a text that JSON escapes is left
// to those two, so what is written here has no backslash and no control character.

import { COLON, decoded, inAlphabet, isPadded, isUtf8, PIPE, SEMICOLON, STEP } from './aspects'

const OPENING: u8 = 0x5b
const CLOSING: u8 = 0x5d
const COMMA: u8 = 0x2c

/** The text `{"label":null,"name":"`. */
const UNLABELLED = memory.data<u8>(
  [
    0x7b, 0x22, 0x6c, 0x61, 0x62, 0x65, 0x6c, 0x22, 0x3a, 0x6e, 0x75, 0x6c, 0x6c, 0x2c, 0x22, 0x6e,
    0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22,
  ],
  16,
)
const UNLABELLED_BYTES: usize = 22
/** The text `{"label":"`. */
const LABEL = memory.data<u8>([0x7b, 0x22, 0x6c, 0x61, 0x62, 0x65, 0x6c, 0x22, 0x3a, 0x22], 16)
const LABEL_BYTES: usize = 10
/** The text `","name":"`. */
const NAME = memory.data<u8>([0x22, 0x2c, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22], 16)
const NAME_BYTES: usize = 10
/** The text `","value":"`. */
const VALUE = memory.data<u8>(
  [0x22, 0x2c, 0x22, 0x76, 0x61, 0x6c, 0x75, 0x65, 0x22, 0x3a, 0x22],
  16,
)
const VALUE_BYTES: usize = 11
/** The text `"}`. */
const PAIR_END: u16 = 0x7d22
/** The most bytes of a pair besides its texts, and of one more step behind it. */
const FIXED_BYTES: usize = 96

/**
 * Writes the cell from `start` to `end` as JSON from `out` on. Returns the address behind the text,
 * or 0 where the cell has no pair, is not plainly good, has a text that JSON escapes, or does not
 * end before `limit`. A byte behind the cell has to be outside of the alphabet of Base64.
 */
export function aspectsJson(start: usize, end: usize, out: usize, limit: usize): usize {
  if (start == end) return 0
  const last = <u32>load<u8>(end - 1) == SEMICOLON ? end - 1 : end
  // A pair up to its name begins with the label, so the pairs up to the next label repeat it.
  let head = UNLABELLED
  let headBytes = UNLABELLED_BYTES
  let mayBeLabel = true
  store<u8>(out++, OPENING)
  let at = start
  while (true) {
    if (out + headBytes + (end - at) + FIXED_BYTES > limit) return 0
    const name = writePiece(at, last, copy(head, headBytes, out))
    if (name == 0 || pieceEnd == last) return 0
    const separator = <u32>load<u8>(pieceEnd)
    if (separator == PIPE && mayBeLabel) {
      head = out
      const label = writePiece(at, last, copy(LABEL, LABEL_BYTES, out))
      headBytes = copy(NAME, NAME_BYTES, label) - head
      mayBeLabel = false
      at = pieceEnd + 1
      continue
    }
    if (separator != COLON) return 0
    const value = writePiece(pieceEnd + 1, last, copy(VALUE, VALUE_BYTES, name))
    if (value == 0) return 0
    store<u16>(value, PAIR_END)
    out = value + 2
    if (pieceEnd == last) {
      store<u8>(out, CLOSING)
      return out + 1
    }
    if (<u32>load<u8>(pieceEnd) != SEMICOLON) return 0
    store<u8>(out++, COMMA)
    mayBeLabel = true
    at = pieceEnd + 1
  }
}

/** Returns the address behind the copy, of which more bytes are written. */
function copy(from: usize, bytes: usize, to: usize): usize {
  for (let n: usize = 0; n < bytes; n += STEP) v128.store(to + n, v128.load(from + n))
  return to + bytes
}

/** The address behind the piece that was written last. */
let pieceEnd: usize = 0

/** Decodes the piece at `at`. Returns the address behind its text, or 0 where others have to. */
function writePiece(at: usize, last: usize, out: usize): usize {
  const piece = at
  let wide: u32 = 0
  let taken = STEP
  while (taken == STEP && at < last) {
    const bytes = v128.load(at)
    taken = <usize>ctz(~inAlphabet(bytes) | 0x10000)
    const text = decoded(bytes)
    v128.store(out, text)
    const length = (taken * 3) >> 2
    const all: u32 = (1 << (<u32>length)) - 1
    if ((escapedBytes(text) & all) != 0) return 0
    wide |= <u32>i8x16.bitmask(text) & all
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

/** Returns a bit for each byte that JSON escapes. */
function escapedBytes(text: v128): u32 {
  const isQuote = i8x16.eq(text, i8x16.splat(0x22))
  const isBackslash = i8x16.eq(text, i8x16.splat(0x5c))
  const isControl = i8x16.lt_u(text, i8x16.splat(0x20))
  return <u32>i8x16.bitmask(v128.or(isControl, v128.or(isQuote, isBackslash)))
}
