// The values of single cells of columns.ts, and whether texts are of their kind. What is not plainly
// good sets `isWrong`.

import { ANY_DECIMAL, CHOICE, DAY, DECIMAL, TIME } from './kinds'

const MINUS: u32 = 0x2d
const POINT: u32 = 0x2e
/** A number of this many digits fits into 64 bits. */
const MOST_DIGITS: usize = 18

const POWERS = memory.data(8 * 19)
for (let n = 0, power: i64 = 1; n < 19; n++, power *= 10) store<i64>(POWERS + 8 * n, power)

/** True where a value of the column is none of its kind, or too large for this module. */
export let isWrong: bool = false
/** The address of the texts of a `oneOf` column. */
let words: usize = 0

/** @param choices the address of the texts of a `oneOf` column, as WORDS of columns.ts describes them */
export function beginColumn(choices: usize): void {
  isWrong = false
  words = choices
}

/** The text `0000`, a year that a parameter other than 0 refuses. */
const YEAR_0: u32 = 0x30303030
/** PostgreSQL has no longer decimals, and the host none that need be quick. */
const MOST_DECIMAL_BYTES: usize = 10000

/** Sets `isWrong` where a text is none of its kind. */
export function check(kernel: u32, from: usize, to: usize, parameter: u32): void {
  if (kernel == ANY_DECIMAL) {
    if (to - from > MOST_DECIMAL_BYTES || !isDecimal(from, to)) isWrong = true
  } else if (kernel == DECIMAL) scaled(from, to, parameter)
  else if (kernel == DAY) day(from, to)
  else if (kernel == TIME) instant(from, to)
  else choiceOf(from, to, parameter)
  if (parameter != 0 && (kernel == DAY || kernel == TIME) && load<u32>(from) == YEAR_0)
    isWrong = true
}

function isDecimal(from: usize, to: usize): bool {
  const first = <u32>load<u8>(from) == MINUS ? from + 1 : from
  const point = digitsEnd(first, to)
  if (point == first || point == to) return point > first
  return <u32>load<u8>(point) == POINT && point + 1 < to && digitsEnd(point + 1, to) == to
}

function digitsEnd(from: usize, to: usize): usize {
  let at = from
  while (at < to && <u32>load<u8>(at) - 0x30 < 10) at++
  return at
}

/**
 * Returns the value of a cell that is not empty.
 * @typeparam T has the size of the value
 */
export function scalar<T>(kernel: u32, from: usize, to: usize, parameter: u32): i64 {
  if (sizeof<T>() == 1) return truth(from, to)
  if (sizeof<T>() == 16) return scaled(from, to, parameter)
  if (sizeof<T>() == 8) return kernel == TIME ? instant(from, to) : whole(from, to)
  if (kernel == CHOICE) return choiceOf(from, to, parameter)
  if (kernel == DAY) return day(from, to)
  const value = whole(from, to)
  if (value != <i64>(<i32>value)) isWrong = true
  return value
}

function truth(from: usize, to: usize): i64 {
  const bytes = to - from
  const lower = load<u32>(from) | 0x20202020
  if (bytes == 4 && lower == 0x65757274) return 1
  if (bytes != 5 || lower != 0x736c6166 || (load<u8>(from, 4) | 0x20) != 0x65) isWrong = true
  return 0
}

function whole(from: usize, to: usize): i64 {
  const isNegative = <u32>load<u8>(from) == MINUS
  let at = isNegative ? from + 1 : from
  if (at == to || to - at > MOST_DIGITS) {
    isWrong = true
    return 0
  }
  let value: i64 = 0
  for (; at < to; at++) {
    const digit = <u32>load<u8>(at) - 0x30
    if (digit > 9) {
      isWrong = true
      return 0
    }
    value = value * 10 + digit
  }
  return isNegative ? -value : value
}

/** Returns a decimal number as a whole number of the units of the scale. */
function scaled(from: usize, to: usize, scale: u32): i64 {
  const isNegative = <u32>load<u8>(from) == MINUS
  const first = isNegative ? from + 1 : from
  if (to - first > MOST_DIGITS) {
    isWrong = true
    return 0
  }
  let value: i64 = 0
  let point: usize = 0
  for (let at = first; at < to; at++) {
    const byte = <u32>load<u8>(at)
    if (byte == POINT && point == 0) {
      point = at
      continue
    }
    const digit = byte - 0x30
    if (digit > 9) isWrong = true
    value = value * 10 + digit
  }
  const fraction: u32 = point == 0 ? 0 : <u32>(to - point) - 1
  const whole = <u32>((point == 0 ? to : point) - first)
  if (whole == 0 || (point != 0 && fraction == 0) || fraction > scale) isWrong = true
  if (whole + scale > <u32>MOST_DIGITS) isWrong = true
  if (isWrong) return 0
  value *= load<i64>(POWERS + ((<usize>(scale - fraction)) << 3))
  return isNegative ? -value : value
}

/** Returns two digits as a number. */
function pair(at: usize): i32 {
  const high = <i32>load<u8>(at) - 0x30
  const low = <i32>load<u8>(at, 1) - 0x30
  if (<u32>high > 9 || <u32>low > 9) isWrong = true
  return high * 10 + low
}

/** Returns the days from 1970 on to the day `yyyy-MM-dd` of the Gregorian calendar. */
function day(at: usize, to: usize): i32 {
  const year = pair(at) * 100 + pair(at + 2)
  const month = pair(at + 5)
  const date = pair(at + 8)
  if (<u32>load<u8>(at, 4) != MINUS || <u32>load<u8>(at, 7) != MINUS) isWrong = true
  if (to - at != 10 || month < 1 || month > 12 || date < 1 || date > daysIn(year, month))
    isWrong = true
  if (isWrong) return 0
  // A year that begins in March has its leap day at its end.
  const years = month > 2 ? year : year - 1
  const era = (years + 400) / 400 - 1
  const ofEra = years - era * 400
  const ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1
  return era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468
}

function daysIn(year: i32, month: i32): i32 {
  if (month == 2) return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}

/** Returns the milliseconds from 1970 on to `yyyy-MM-ddThh:mm:ssZ`, with `.sss` in the longer form. */
function instant(at: usize, to: usize): i64 {
  const hour = pair(at + 11)
  const minute = pair(at + 14)
  const second = pair(at + 17)
  const hasMs = to - at == 24
  const ms = hasMs ? pair(at + 20) * 10 + <i32>load<u8>(at, 22) - 0x30 : 0
  if (hasMs && (<u32>load<u8>(at, 22) - 0x30 > 9 || <u32>load<u8>(at, 19) != POINT)) isWrong = true
  if (load<u8>(at, 10) != 0x54 || load<u8>(to - 1) != 0x5a) isWrong = true
  if (load<u8>(at, 13) != 0x3a || load<u8>(at, 16) != 0x3a) isWrong = true
  if ((!hasMs && to - at != 20) || hour > 23 || minute > 59 || second > 59) isWrong = true
  return <i64>day(at, at + 10) * 86400000 + <i64>(((hour * 60 + minute) * 60 + second) * 1000 + ms)
}

/** @param count of the texts that a cell may have */
function choiceOf(from: usize, to: usize, count: u32): i64 {
  let word = words
  for (let n: u32 = 0; n < count; n++) {
    const length = <usize>load<u32>(word)
    if (length == to - from && memory.compare(word + 4, from, length) == 0) return n
    word += 4 + ((length + 3) & ~3)
  }
  isWrong = true
  return 0
}
