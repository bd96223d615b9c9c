// Columns of lists between separators: of texts, of values of one size, of texts that are checked,
// and the two lists of regions. The values have no space around them, and empty ones are dropped.

import {
  alloc,
  arenaTop,
  BLOCK_BYTES,
  copy,
  endOf,
  endTexts,
  FLAGS,
  find,
  firstEnd,
  HEAP_A,
  hasRoom,
  inside,
  insideEnd,
  isQuoted,
  leave,
  MAX_VALUES,
  newOffsets,
  OFFSETS_A,
  OFFSETS_B,
  pack,
  record,
  recordTexts,
  recordValues,
  rows,
  SEPARATOR,
  startOf,
  step,
  storeOffset,
  VALID,
  validity,
} from './arena'
import { isAmong, STEP } from './aspects'
import { check, isWrong, setWrong, takesWrong, upperHalf, valueOf } from './cell-values'
import { withMs } from './single-values'

const PIPE: u32 = 0x7c
const SEMICOLON: u32 = 0x3b

// Most values of the feeds are codes of countries. Up to five of them are read at once, each of which
// takes three bytes with its separator.

/** A bit for the first letter of each code. */
const CODES: u32 = 0x1249
/** The places of the letters, and where the first four codes end in the text. */
const LETTERS: v128 = i8x16(0, 1, 3, 4, 6, 7, 9, 10, 12, 13, -1, -1, -1, -1, -1, -1)
const CODE_ENDS: v128 = i32x4(2, 4, 6, 8)
/** Room that the offsets of five codes may pass. */
const MOST_VALUES: u32 = <u32>MAX_VALUES - 8

/** The values of the list that is written, of all rows. */
let listed: u32 = 0
/** The bytes of the separator, and the first of them. */
let separatorBytes: usize = 0
let separator: u32 = 0

/** Writes the values between separators. Returns the address behind their texts. */
function values(from: usize, to: usize, offsets: usize, heap: usize, start: usize): usize {
  const separators = i8x16.splat(<i8>separator)
  let out = start
  let at = from
  while (at < to) {
    const bytes = v128.load(at)
    const end: u32 = to - at < STEP ? 1 << u32(to - at) : 0
    const stops = (<u32>i8x16.bitmask(i8x16.eq(bytes, separators)) & (end - 1)) | end
    const letters = <u32>i8x16.bitmask(isAmong(bytes, 0x41, 26)) & (end - 1) & ~stops
    const taken = ctz((~(letters & (letters >> 1) & (stops >> 2)) & CODES) | (1 << 15))
    if (listed > MOST_VALUES) {
      setWrong()
      return out
    }
    if (taken != 0) {
      const last = offsets + ((<usize>listed) << 2)
      const before = <u32>(out - heap)
      v128.store(out, i8x16.swizzle(bytes, LETTERS))
      v128.store(last, i32x4.add(i32x4.splat(before), CODE_ENDS), 4)
      store<u32>(last, before + 10, 20)
      const count = (taken * 11) >> 5
      listed += count
      out += <usize>(2 * count)
      at += <usize>taken
      continue
    }
    const stop = stops != 0 ? at + <usize>ctz(stops) : find(separator, at + STEP, to)
    let first = at
    let last = stop
    at = stop + 1
    if (first == last) continue
    if (!isGraphic(first) || !isGraphic(last - 1)) {
      first = behindSpace(first, last)
      last = beforeSpace(first, last)
      if (first == last) continue
    }
    listed++
    out = copy(first, last - first, out)
    store<u32>(offsets + ((<usize>listed) << 2), <u32>(out - heap))
  }
  return out
}

/** Returns whether a byte is an ASCII character that is not space and no control character. */
function isGraphic(at: usize): bool {
  return <u32>load<u8>(at) - 0x21 < 0x5e
}

/** Returns the bytes of the character at an address if it is space, as `trim` of JavaScript has it. */
function spaceAt(at: usize): usize {
  const byte = <u32>load<u8>(at)
  if (byte < 0x80) return byte == 0x20 || byte - 9 < 5 ? 1 : 0
  const word = load<u32>(at) & 0xffffff
  if ((word & 0xffff) == 0xa0c2) return 2
  if (word == 0x809ae1 || word == 0x8080e3 || word == 0xbfbbef || word == 0x9f81e2) return 3
  const third = word >> 16
  const isSpace = third <= 0x8a || third == 0xa8 || third == 0xa9 || third == 0xaf
  return (word & 0xffff) == 0x80e2 && isSpace ? 3 : 0
}

function behindSpace(from: usize, to: usize): usize {
  let at = from
  while (at < to) {
    const bytes = spaceAt(at)
    if (bytes == 0) break
    at += bytes
  }
  return at
}

function beforeSpace(from: usize, to: usize): usize {
  let at = to
  while (at > from) {
    const bytes: usize = <u32>load<u8>(at - 1) < 0x80 ? 1 : load<u8>(at - 2) == 0xc2 ? 2 : 3
    if (at - from < bytes || spaceAt(at - bytes) != bytes) break
    at -= bytes
  }
  return at
}

/** Returns where the separator next stands, or `to`. */
function separatorFrom(from: usize, to: usize): usize {
  let at = find(separator, from, to)
  while (at + separatorBytes <= to && memory.compare(at, SEPARATOR, separatorBytes) != 0)
    at = find(separator, at + 1, to)
  return at + separatorBytes <= to ? at : to
}

/**
 * Writes the values between separators as texts, each after a check where there is one.
 * @param kernel the kind of the values; 0 for texts
 */
function anyTexts(kernel: u32, from: usize, to: usize, parameter: u32, start: usize): usize {
  let out = start
  for (let at = from; at < to; ) {
    const stop = separatorFrom(at, to)
    const first = behindSpace(at, stop)
    const last = beforeSpace(first, stop)
    at = stop + separatorBytes
    if (first == last) continue
    if (kernel != 0) check(kernel, first, last, parameter)
    if (listed > MOST_VALUES || out + (last - first) + 2 * STEP > HEAP_A + BLOCK_BYTES) setWrong()
    if (isWrong) return out
    out = withMs(kernel, last - first, copy(first, last - first, out))
    listed++
    store<u32>(OFFSETS_A + ((<usize>listed) << 2), <u32>(out - HEAP_A))
  }
  return out
}

/** Stores the values between separators. @param size of a value in bytes */
function anyValues(kernel: u32, size: usize, from: usize, to: usize, parameter: u32): void {
  const room = min(<u32>(BLOCK_BYTES / size), MOST_VALUES)
  for (let at = from; at < to; ) {
    const stop = separatorFrom(at, to)
    const first = behindSpace(at, stop)
    const last = beforeSpace(first, stop)
    at = stop + separatorBytes
    if (first == last) continue
    const value = valueOf(kernel, first, last, parameter)
    if (listed >= room) setWrong()
    if (isWrong) return
    const place = HEAP_A + <usize>listed * size
    if (size == 1) store<u8>(FLAGS + <usize>listed, <u8>value)
    else if (size == 4) store<i32>(place, <i32>value)
    else store<i64>(place, value)
    if (size == 16) store<i64>(place, upperHalf, 8)
    listed++
  }
}

/**
 * Lists of texts. The compiler makes two functions of this, so that the usual one is small.
 * @typeparam Separators u8 where one byte separates texts that are not checked
 * @param kernel the kind of texts that are checked; 0 for all texts
 */
export function textLists<Separators>(
  kernel: u32,
  column: u32,
  parameter: u32,
  notNull: bool,
): bool {
  const offsets = newOffsets()
  const heap = isInteger<Separators>() ? alloc(0) : HEAP_A
  let out = heap
  listed = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      to = insideEnd(from, to)
      from = inside
    }
    if (notNull && from == to) leave(row)
    const before = listed
    const start = out
    if (isInteger<Separators>()) out = values(from, to, OFFSETS_A, heap, out)
    else out = anyTexts(kernel, from, to, parameter, out)
    if (takesWrong()) {
      leave(row)
      listed = before
      out = start
    }
    storeOffset(offsets, row, listed)
  }
  if (isInteger<Separators>()) endTexts(out)
  record(rows, 0, offsets, 0, 0)
  return recordTexts(listed, 0, OFFSETS_A, heap, out)
}

/** Lists of values of one size. */
export function valueLists(
  kernel: u32,
  size: usize,
  column: u32,
  parameter: u32,
  notNull: bool,
): bool {
  const offsets = newOffsets()
  listed = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      to = insideEnd(from, to)
      from = inside
    }
    if (notNull && from == to) leave(row)
    const before = listed
    anyValues(kernel, size, from, to, parameter)
    if (takesWrong()) {
      leave(row)
      listed = before
    }
    storeOffset(offsets, row, listed)
  }
  record(rows, 0, offsets, 0, 0)
  if (size != 1) return recordValues(listed, HEAP_A, <usize>listed * size)
  if (!hasRoom(<usize>listed)) return false
  const bits = pack(FLAGS, listed)
  record(listed, 0, 0, bits, arenaTop() - bits)
  return true
}

export function isOneByte(): bool {
  return separatorBytes == 1
}

export function setSeparator(bytes: usize): void {
  separatorBytes = bytes
  separator = <u32>load<u8>(SEPARATOR)
}

/** The places behind the names of countries and of regions, and their numbers, of all rows. */
let countries: usize = 0
let names: usize = 0
let countryHeap: usize = 0
let countryCount: u32 = 0
let regionCount: u32 = 0

/** Writes the parts of a cell. Returns false where they are not plainly good. */
function writeRegions(start: usize, end: usize): bool {
  let from = start
  const to = from != end && <u32>load<u8>(end - 1) == SEMICOLON ? end - 1 : end
  let hasCountries = false
  let hasRegions = false
  while (from < to) {
    const stop = find(SEMICOLON, from, to)
    if (stop - from >= 8 && load<u64>(from) == 0x3a5952544e554f43 && !hasCountries) {
      hasCountries = true
      listed = countryCount
      countries = values(from + 8, stop, OFFSETS_A, countryHeap, countries)
      countryCount = listed
    } else if (
      stop - from >= 7 &&
      (load<u64>(from) & 0xffffffffffffff) == 0x3a4e4f49474552 &&
      !hasRegions
    ) {
      hasRegions = true
      listed = regionCount
      names = values(from + 7, stop, OFFSETS_B, HEAP_A, names)
      regionCount = listed
    } else return false
    if (stop + 1 == to) return false
    from = stop + 1
  }
  return true
}

export function regions(column: u32, notNull: bool): bool {
  const countryOffsets = newOffsets()
  const regionOffsets = newOffsets()
  separator = PIPE
  countryHeap = countries = alloc(0)
  names = HEAP_A
  countryCount = regionCount = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      to = insideEnd(from, to)
      from = inside
    }
    const countriesBefore = countries
    const namesBefore = names
    const countBefore = countryCount
    const regionsBefore = regionCount
    let isValue = from != to
    const isLeft = isValue ? !writeRegions(from, to) : notNull
    if (takesWrong() || isLeft) {
      leave(row)
      isValue = false
      countries = countriesBefore
      names = namesBefore
      countryCount = countBefore
      regionCount = regionsBefore
    }
    store<u8>(VALID + row, isValue ? 1 : 0)
    storeOffset(countryOffsets, row, countryCount)
    storeOffset(regionOffsets, row, regionCount)
  }
  endTexts(countries)
  const valid = validity(VALID, rows)
  record(rows, valid, 0, 0, 0)
  record(rows, 0, countryOffsets, 0, 0)
  if (!recordTexts(countryCount, 0, OFFSETS_A, countryHeap, countries)) return false
  record(rows, 0, regionOffsets, 0, 0)
  return recordTexts(regionCount, 0, OFFSETS_B, HEAP_A, names)
}
