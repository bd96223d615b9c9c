// Writes an aspects cell that is plainly good as JSON: the text that JSON.stringify makes of the
// pairs that src/engine/codec/decode/aspects.ts reads. A cell with a text that JSON escapes is left
// to those two, so what is written here has no backslash and no control character.

import { COLON, PIPE, pieceEnd, SEMICOLON, STEP, writePiece } from './aspects'
import { escapedBytes } from './json-escapes'

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
    const name = plainPiece(at, last, copy(head, headBytes, out))
    if (name == 0 || pieceEnd == last) return 0
    const separator = <u32>load<u8>(pieceEnd)
    if (separator == PIPE && mayBeLabel) {
      head = out
      const label = plainPiece(at, last, copy(LABEL, LABEL_BYTES, out))
      headBytes = copy(NAME, NAME_BYTES, label) - head
      mayBeLabel = false
      at = pieceEnd + 1
      continue
    }
    if (separator != COLON) return 0
    const value = plainPiece(pieceEnd + 1, last, copy(VALUE, VALUE_BYTES, name))
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

/** Writes a piece, or returns 0 where it is not plainly good or JSON escapes a byte of its text. */
function plainPiece(at: usize, last: usize, out: usize): usize {
  const end = writePiece(at, last, out)
  for (let from = out; from < end; from += STEP) {
    const length = <u32>min(end - from, STEP)
    const all: u32 = (1 << length) - 1
    if ((escapedBytes(v128.load(from)) & all) != 0) return 0
  }
  return end
}
