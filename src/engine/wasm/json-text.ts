// Whether a text is one JSON value (RFC 8259), for texts that stay as they are.

/** A byte for each list or object around a value, 1 for an object. */
const MOST_DEPTH: usize = 1024
const OBJECTS = memory.data(1024)

/** Where the text ends, and the address of the next byte. */
let end: usize = 0
let next: usize = 0

/**
 * Returns whether a text is surely JSON.
 * @param isBare 1 where the text may neither begin nor end in space, nor have line ends, nor be `null`
 */
export function isJson(from: usize, to: usize, isBare: u32): bool {
  end = to
  next = from
  if (isBare != 0 && !isBareText(from, to)) return false
  let depth: usize = 0
  while (true) {
    // A value begins.
    skipSpace()
    if (next >= end) return false
    const byte = <u32>load<u8>(next)
    if (byte == 0x7b || byte == 0x5b) {
      const isObject = byte == 0x7b
      next++
      skipSpace()
      if (next >= end) return false
      if (<u32>load<u8>(next) != byte + 2) {
        if (depth == MOST_DEPTH || (isObject && !readName())) return false
        store<u8>(OBJECTS + depth++, isObject ? 1 : 0)
        continue
      }
      next++
    } else if (!readSimple(byte)) return false
    // A value has ended.
    while (true) {
      skipSpace()
      if (depth == 0) return next == end
      if (next >= end) return false
      const after = <u32>load<u8>(next++)
      const isObject = load<u8>(OBJECTS + depth - 1) == 1
      if (after == 0x2c) {
        if (isObject) {
          skipSpace()
          if (!readName()) return false
        }
        break
      }
      if (after != (isObject ? 0x7d : 0x5d)) return false
      depth--
    }
  }
}

function isBareText(from: usize, to: usize): bool {
  const first = <u32>load<u8>(from)
  // The letter n begins `null`.
  if (first <= 0x20 || first == 0x6e || <u32>load<u8>(to - 1) <= 0x20) return false
  for (let at = from; at < to; at += 16) {
    const bytes = v128.load(at)
    const isEnd = v128.or(i8x16.eq(bytes, i8x16.splat(0x0a)), i8x16.eq(bytes, i8x16.splat(0x0d)))
    const bits = <u32>i8x16.bitmask(isEnd)
    if (bits != 0 && at + <usize>ctz(bits) < to) return false
  }
  return true
}

function skipSpace(): void {
  while (next < end) {
    const byte = <u32>load<u8>(next)
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return
    next++
  }
}

/** Reads the name of a property and its colon. */
function readName(): bool {
  if (next >= end || <u32>load<u8>(next) != 0x22 || !readString()) return false
  skipSpace()
  return next < end && <u32>load<u8>(next++) == 0x3a
}

/** Reads a string, a number, `true`, `false` or `null`. */
function readSimple(byte: u32): bool {
  if (byte == 0x22) return readString()
  if (byte == 0x74) return readWord(0x65757274, 4)
  if (byte == 0x6e) return readWord(0x6c6c756e, 4)
  if (byte == 0x66) {
    next++
    return readWord(0x65736c61, 4)
  }
  return readNumber()
}

function readWord(word: u32, bytes: usize): bool {
  if (next + bytes > end || load<u32>(next) != word) return false
  next += bytes
  return true
}

function readString(): bool {
  next++
  while (next < end) {
    const bytes = v128.load(next)
    const isMark = v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c)))
    const special = <u32>i8x16.bitmask(v128.or(isMark, i8x16.lt_u(bytes, i8x16.splat(0x20))))
    if (special == 0) {
      next += 16
      continue
    }
    next += <usize>ctz(special)
    if (next >= end) return false
    const byte = <u32>load<u8>(next++)
    if (byte == 0x22) return true
    if (byte != 0x5c || !readEscape()) return false
  }
  return false
}

function readEscape(): bool {
  if (next >= end) return false
  const letter = <u32>load<u8>(next++)
  switch (letter) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true
  }
  if (letter != 0x75 || next + 4 > end) return false
  for (let n: usize = 0; n < 4; n++) {
    const byte = <u32>load<u8>(next++)
    if (byte - 0x30 > 9 && (byte | 0x20) - 0x61 > 5) return false
  }
  return true
}

function readNumber(): bool {
  if (<u32>load<u8>(next) == 0x2d) next++
  const first = next
  readDigits()
  if (next == first || (next > first + 1 && <u32>load<u8>(first) == 0x30)) return false
  if (next < end && <u32>load<u8>(next) == 0x2e) {
    const fraction = ++next
    readDigits()
    if (next == fraction) return false
  }
  if (next < end && (<u32>load<u8>(next) | 0x20) == 0x65) {
    next++
    const sign = <u32>load<u8>(next)
    if (next < end && (sign == 0x2b || sign == 0x2d)) next++
    const exponent = next
    readDigits()
    if (next == exponent) return false
  }
  return true
}

function readDigits(): void {
  while (next < end && <u32>load<u8>(next) - 0x30 < 10) next++
}
