// The values of single cells of columns.ts, and whether texts are of their kind. What is not plainly
// good sets `isWrong`. The file is one piece, because all kinds share that flag and the reading of
// digits.

import { isJson } from './json-text'
import {
  ANY_DECIMAL,
  BOOLEAN,
  CHOICE,
  DAY,
  DECIMAL,
  FLOAT64,
  INT32,
  INT64,
  JSON_CELL,
  TIME,
} from './kinds'
import { hashOf } from './profile'

const MINUS: u32 = 0x2d
const POINT: u32 = 0x2e
/** A number of this many digits fits into 64 bits with its sign. */
const MOST_DIGITS: usize = 18

/** The most power of ten that fits into 64 bits. */
const MOST_POWER: i32 = 19
const POWERS = memory.data(8 * 20)
for (let n = 0, power: u64 = 1; n <= MOST_POWER; n++, power *= 10) store<u64>(POWERS + 8 * n, power)

/** True where a value is none of its kind, or too large for this module. */
export let isWrong: bool = false
/** The upper half of the latest decimal. */
export let upperHalf: i64 = 0
/** The address of the texts of a `oneOf` column. */
let words: usize = 0

/** @param choices the address of the texts of a `oneOf` column, as `choiceOf` reads them */
export function beginValues(choices: usize): void {
  isWrong = false
  words = choices
}

export function setWrong(): void {
  isWrong = true
}

/** Returns whether a value since the last call was wrong. */
export function takesWrong(): bool {
  const was = isWrong
  isWrong = false
  return was
}

/** The text `0000`, a year that a parameter other than 0 refuses. */
const YEAR_0: u32 = 0x30303030
/** PostgreSQL has no longer decimals, and the host none that need be quick. */
const MOST_DECIMAL_BYTES: usize = 10000

/**
 * Sets `isWrong` where a text is none of its kind, or where the text of its value may be another one.
 */
export function check(kernel: u32, from: usize, to: usize, parameter: u32): void {
  if (kernel == ANY_DECIMAL) {
    if (to - from > MOST_DECIMAL_BYTES || !isDecimal(from, to)) isWrong = true
  } else if (kernel == DECIMAL) scaled(from, to, parameter)
  else if (kernel == DAY) day(from, to)
  else if (kernel == TIME) instant(from, to)
  else if (kernel == JSON_CELL) {
    if (!isJson(from, to, parameter)) isWrong = true
  } else if (kernel == FLOAT64) {
    if (!isShortNumber(from, to)) isWrong = true
  } else if (kernel == INT32 || kernel == INT64) {
    const value = whole(from, to)
    if (kernel == INT32 && value != <i64>(<i32>value)) isWrong = true
    if (hasZeroInFront(from, to)) isWrong = true
  } else if (kernel == BOOLEAN) {
    truth(from, to)
    const letters = load<u32>(from) & (((<u32>load<u8>(to - 1)) << 24) | 0xffffff)
    if ((letters & LOWER) != LOWER) isWrong = true
  } else choiceOf(from, to)
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

/** Returns whether digits begin with a zero that the number of their value lacks. */
function hasZeroInFront(from: usize, to: usize): bool {
  const isNegative = <u32>load<u8>(from) == MINUS
  const first = isNegative ? from + 1 : from
  return <u32>load<u8>(first) == 0x30 && (isNegative || first + 1 != to)
}

/** The most digits of a number that a double has as they are. */
const EXACT_DIGITS: usize = 15

/**
 * Returns whether a text is a number of few digits as JavaScript writes it: no zeros in front or behind
 * its fraction, no exponent, and not so small that it would have one.
 */
function isShortNumber(from: usize, to: usize): bool {
  const first = <u32>load<u8>(from) == MINUS ? from + 1 : from
  const point = digitsEnd(first, to)
  if (point == first || to - first > EXACT_DIGITS) return false
  const isZero = <u32>load<u8>(first) == 0x30
  if (point == to) return !isZero || to == from + 1
  if (<u32>load<u8>(point) != POINT || digitsEnd(point + 1, to) != to || point + 1 == to)
    return false
  if (<u32>load<u8>(to - 1) == 0x30) return false
  // JavaScript has an exponent for numbers below a millionth.
  return !isZero || (point == first + 1 && digitIn(point + 1, min(point + 7, to)))
}

/** Returns whether one of some digits is not 0. */
function digitIn(from: usize, to: usize): bool {
  for (let at = from; at < to; at++) if (<u32>load<u8>(at) != 0x30) return true
  return false
}

/** Returns the value of a text that is not empty, of a kind that is known at run time only. */
export function valueOf(kernel: u32, from: usize, to: usize, parameter: u32): i64 {
  switch (kernel) {
    case BOOLEAN:
      return truth(from, to)
    case INT32:
      return scalar<i32>(INT32, from, to, parameter)
    case DAY:
      return day(from, to)
    case CHOICE:
      return choiceOf(from, to)
    case TIME:
      return instant(from, to)
    case FLOAT64:
      return double(from, to)
    case DECIMAL:
      return scaled(from, to, parameter)
  }
  return whole(from, to)
}

/**
 * Returns the value of a cell that is not empty.
 * @typeparam T has the size of the value
 */
export function scalar<T>(kernel: u32, from: usize, to: usize, parameter: u32): i64 {
  if (sizeof<T>() == 1) return truth(from, to)
  if (sizeof<T>() == 16) return scaled(from, to, parameter)
  if (kernel == TIME) return instant(from, to)
  if (kernel == FLOAT64) return double(from, to)
  if (sizeof<T>() == 8) return whole(from, to)
  if (kernel == CHOICE) return choiceOf(from, to)
  if (kernel == DAY) return day(from, to)
  const value = whole(from, to)
  if (value != <i64>(<i32>value)) isWrong = true
  return value
}

/** The bit of lower-case letters, in four of them. */
const LOWER: u32 = 0x20202020

function truth(from: usize, to: usize): i64 {
  const bytes = to - from
  const lower = load<u32>(from) | 0x20202020
  if (bytes == 4 && lower == 0x65757274) return 1
  if (bytes != 5 || lower != 0x736c6166 || (load<u8>(from, 4) | 0x20) != 0x65) isWrong = true
  return 0
}

/** The first digit that is not 0, or the last digit. */
function behindZeros(from: usize, to: usize): usize {
  let at = from
  while (at + 1 < to && <u32>load<u8>(at) == 0x30) at++
  return at
}

/** Returns a whole number of 64 bits. */
function whole(from: usize, to: usize): i64 {
  const isNegative = <u32>load<u8>(from) == MINUS
  const start = isNegative ? from + 1 : from
  const first = to - start > MOST_DIGITS ? behindZeros(start, to) : start
  // 19 digits fit into 64 bits without a sign.
  if (start == to || to - first > MOST_DIGITS + 1) {
    isWrong = true
    return 0
  }
  const value = digits(first, to)
  if (value > <u64>i64.MAX_VALUE + (isNegative ? 1 : 0)) isWrong = true
  return isNegative ? -(<i64>value) : <i64>value
}

/** Returns the number of up to 19 digits. */
function digits(from: usize, to: usize): u64 {
  let value: u64 = 0
  for (let at = from; at < to; at++) {
    const digit = <u32>load<u8>(at) - 0x30
    if (digit > 9) {
      isWrong = true
      return 0
    }
    value = value * 10 + digit
  }
  return value
}

/** Returns the lower half of a decimal number as a whole number of the units of the scale. */
function scaled(from: usize, to: usize, scale: u32): i64 {
  const isNegative = <u32>load<u8>(from) == MINUS
  const first = isNegative ? from + 1 : from
  if (to - first > MOST_DIGITS) return wideScaled(first, to, scale, isNegative)
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
  if (whole == 0 || (point != 0 && fraction == 0)) isWrong = true
  if (isWrong) return 0
  if (fraction > scale || whole + scale > <u32>MOST_DIGITS)
    return wideScaled(first, to, scale, isNegative)
  value *= load<i64>(POWERS + ((<usize>(scale - fraction)) << 3))
  if (isNegative) value = -value
  upperHalf = value >> 63
  return value
}

/** The most digits of a decimal, which its lower and its upper part have 19 each of. */
const DECIMAL_DIGITS: usize = 38
const PART_DIGITS: usize = 19
const PART: u64 = 10_000_000_000_000_000_000
/** The digits of a decimal, with room for zeros before them. */
const UNITS = memory.data(64)

/** Returns the same of any number of digits, of which those that count are at most 38. */
function wideScaled(first: usize, to: usize, scale: u32, isNegative: bool): i64 {
  const point = digitsEnd(first, to)
  let last = to
  if (point == first) isWrong = true
  if (point != to) {
    if (<u32>load<u8>(point) != POINT || point + 1 == to || digitsEnd(point + 1, to) != to)
      isWrong = true
    while (last > point + 1 && <u32>load<u8>(last - 1) == 0x30) last--
  }
  const fraction: usize = point == to ? 0 : last - point - 1
  const start = behindZeros(first, point)
  const whole: usize = <u32>load<u8>(start) == 0x30 ? 0 : point - start
  if (isWrong || fraction > <usize>scale || whole + <usize>scale > DECIMAL_DIGITS) {
    isWrong = true
    return 0
  }
  memory.fill(UNITS, 0x30, 64)
  const ends = UNITS + DECIMAL_DIGITS
  memory.copy(ends - <usize>scale - whole, start, whole)
  if (fraction != 0) memory.copy(ends - <usize>scale, point + 1, fraction)
  const upper = digits(UNITS, UNITS + PART_DIGITS)
  const lower = digits(UNITS + PART_DIGITS, ends)
  // The upper part times that of the lower one, in halves of 32 bits.
  const a = upper >> 32
  const b = upper & 0xffffffff
  const c = PART >> 32
  const d = PART & 0xffffffff
  const middle = ((b * d) >> 32) + ((a * d) & 0xffffffff) + ((b * c) & 0xffffffff)
  let low = upper * PART
  let high = a * c + ((a * d) >> 32) + ((b * c) >> 32) + (middle >> 32)
  low += lower
  if (low < lower) high++
  if (isNegative) {
    low = ~low + 1
    high = ~high + (low == 0 ? 1 : 0)
  }
  upperHalf = <i64>high
  return <i64>low
}

/** The powers of ten that a double has exactly. */
const MOST_EXACT_POWER: i32 = 22
const DOUBLES = memory.data(8 * 23)
for (let n = 0, power: f64 = 1; n <= MOST_EXACT_POWER; n++, power *= 10)
  store<f64>(DOUBLES + 8 * n, power)
/** A whole number up to this is exact as a double. */
const MOST_EXACT: u64 = 1 << 53
/** A number below this has room for one more digit in 64 bits. */
const WITH_ROOM: u64 = u64.MAX_VALUE / 10

/**
 * Returns the bits of a double: of digits and a power of ten that doubles have exactly, so that one
 * operation rounds correctly, or of more digits by a quotient. Any other number is left to the host.
 */
function double(from: usize, to: usize): i64 {
  const isNegative = <u32>load<u8>(from) == MINUS
  const first = isNegative ? from + 1 : from
  const point = digitsEnd(first, to)
  let at = point
  let exponent: i32 = 0
  if (point < to && <u32>load<u8>(point) == POINT) {
    at = digitsEnd(point + 1, to)
    exponent = <i32>(point + 1 - at)
    if (exponent == 0) isWrong = true
  }
  const mantissaEnd = at
  if (at < to) {
    if ((<u32>load<u8>(at) | 0x20) != 0x65) isWrong = true
    at++
    const sign = <u32>load<u8>(at)
    if (at < to && (sign == MINUS || sign == 0x2b)) at++
    if (at >= to || to - at > 3) isWrong = true
    else {
      const power = <i32>digits(at, to)
      exponent += sign == MINUS ? -power : power
    }
  }
  if (point == first) isWrong = true
  if (exponent > MOST_EXACT_POWER || exponent < -MOST_EXACT_POWER) isWrong = true
  if (isWrong) return 0
  let mantissa: u64 = 0
  for (let n = first; n < mantissaEnd; n++) {
    if (n == point) continue
    if (mantissa >= WITH_ROOM) isWrong = true
    mantissa = mantissa * 10 + <u64>(load<u8>(n) - 0x30)
  }
  let value = <f64>mantissa
  if (mantissa > MOST_EXACT && exponent != 0) {
    if (exponent > 0 || exponent < -MOST_POWER) isWrong = true
    else value = quotient(mantissa, load<u64>(POWERS + ((<usize>-exponent) << 3)))
  } else {
    const power = load<f64>(DOUBLES + ((<usize>abs(exponent)) << 3))
    value = exponent < 0 ? value / power : value * power
  }
  return reinterpret<i64>(isNegative ? -value : value)
}

/** Returns the double that is nearest to a quotient, by long division with two bits more than it has. */
function quotient(dividend: u64, divisor: u64): f64 {
  let exponent = clz<u64>(divisor) - clz<u64>(dividend)
  let rest = dividend << clz<u64>(dividend)
  const by = divisor << clz<u64>(divisor)
  let bits: u64 = 0
  if (rest >= by) {
    bits = 1
    rest -= by
  }
  for (; bits < MOST_EXACT << 1; exponent--) {
    const isCarried = <i64>rest < 0
    rest <<= 1
    bits <<= 1
    if (!isCarried && rest < by) continue
    rest -= by
    bits |= 1
  }
  if (rest != 0) bits |= 1
  return <f64>bits * reinterpret<f64>((1023 + exponent) << 52)
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

/**
 * Returns the number of a text in the table of a `oneOf` column. The table begins with a mask, and has
 * behind it a place for each hash under the mask: how far from the table's begin a text stands, as its
 * number, its length and its bytes; 0 for none. A text whose place is taken has the next one.
 */
function choiceOf(from: usize, to: usize): i64 {
  const mask = load<u32>(words)
  const length = to - from
  for (let place = hashOf(from, to) & mask; ; place = (place + 1) & mask) {
    const word = <usize>load<u32>(words + 4 + ((<usize>place) << 2))
    if (word == 0) break
    const at = words + word
    if (<usize>load<u32>(at, 4) != length) continue
    if (memory.compare(at + 8, from, length) == 0) return <i64>load<u32>(at)
  }
  isWrong = true
  return 0
}
