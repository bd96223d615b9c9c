// Decodes numbers: int32 (integer in item-feeds.md, section 2.2), int64, decimal and float64.

import { is } from '../../options'
import { DECIMAL_DIGITS } from '../../schema/column-spec'
import type { Decimal } from '../../schema/values'
import { type CellSource, invalidCell } from './cell-decoder'

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
const MINUS = 0x2d
/** A number of this many digits always fits into 32 bits. */
const MAX_DIGITS = 9

/**
 * Decodes digits with an optional minus in front, without plus, point, exponent or space. Leading
 * zeros are allowed.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeInt32(text: string): number {
  is.anyText('text', text)
  if (!/^-?[0-9]+$/.test(text)) throw invalidCell('int32', 'not a whole number', text)
  const value = Number(text)
  if (value < INT32_MIN || value > INT32_MAX) throw invalidCell('int32', 'outside of 32 bits', text)
  return value + 0 // -0 becomes 0
}

/**
 * Reads a whole number from a cell's bytes. Returns undefined where they are not plainly one, and
 * {@link decodeInt32} decides.
 */
export function readInt32(bytes: DataView, start: number, end: number): number | undefined {
  const isNegative = bytes.getUint8(start) === MINUS
  const first = isNegative ? start + 1 : start
  if (first === end || end - first > MAX_DIGITS) return undefined
  const value = readDigits(bytes, first, end)
  if (value < 0) return undefined
  return isNegative ? 0 - value : value
}

// Decodes whole numbers of 64 bits, which a double cannot hold.

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
const TOO_LARGE = 2n ** 64n
/** A number of this many digits is exact as a double. */
const EXACT_DIGITS = 15
/** The most digits that are read at once, and the number of values that they have. */
const LOW_DIGITS = 9
const LOW_RANGE = 10 ** LOW_DIGITS
/** Digits of the largest number, without zeros in front. */
const MOST_DIGITS = 19

/**
 * Decodes digits with an optional minus in front, without plus, point, exponent or space. Leading
 * zeros are allowed.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeInt64(text: string): bigint {
  is.anyText('text', text)
  if (!/^-?[0-9]+$/.test(text)) throw invalidCell('int64', 'not a whole number', text)
  const digits = text.replace(/^-?0*/, '')
  // The length limits the work: a bigint of a million digits takes seconds.
  const value = digits.length > MOST_DIGITS ? TOO_LARGE : BigInt(digits)
  const signed = text.startsWith('-') ? -value : value
  if (signed < INT64_MIN || signed > INT64_MAX)
    throw invalidCell('int64', 'outside of 64 bits', text)
  return signed
}

/**
 * Reads a whole number from a cell's bytes. Returns undefined where they are not plainly a short
 * one, and {@link decodeInt64} decides.
 */
export function readInt64(bytes: DataView, start: number, end: number): bigint | undefined {
  const isNegative = bytes.getUint8(start) === MINUS
  const first = isNegative ? start + 1 : start
  if (first === end || end - first > EXACT_DIGITS) return undefined
  const middle = end - first > LOW_DIGITS ? end - LOW_DIGITS : first
  const high = readDigits(bytes, first, middle)
  const low = readDigits(bytes, middle, end)
  if (high < 0 || low < 0) return undefined
  const value = high * LOW_RANGE + low
  return BigInt(isNegative ? 0 - value : value)
}

// Decodes decimal numbers exactly, because a double cannot hold every price. Prices are text
// (item-feeds.md, section 2.2).

const POINT = 0x2e
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

/**
 * Decodes digits with an optional minus in front and an optional fraction (`12`, `-0.50`), without
 * plus, exponent, grouping or space. The value keeps the text of the feed, trailing zeros included,
 * and is a string in JSON.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeDecimal(text: string): Decimal {
  is.anyText('text', text)
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text))
    throw invalidCell('decimal', 'not a decimal number', text)
  return new DecimalText(text)
}

/**
 * Reads a decimal number from a cell's bytes. Returns undefined where they are not plainly one, and
 * {@link decodeDecimal} decides.
 */
export function readDecimal(
  source: CellSource,
  slot: number,
  start: number,
  end: number,
): Decimal | undefined {
  return isDecimal(source.view, start, end)
    ? new DecimalText(source.textBetween(slot, start, end))
    : undefined
}

/**
 * Checks that a decimal number keeps all its digits in a column of {@link DECIMAL_DIGITS} digits,
 * of which `scale` stand behind the point.
 * @throws FeedError CELL_INVALID
 */
export function inScale(value: Decimal, scale: number): Decimal {
  const { text } = value
  const point = text.indexOf('.')
  const whole = (point < 0 ? text : text.slice(0, point)).replace(/^-?0*/, '')
  // The last digit that is not zero. A pattern would be slow on a million zeros.
  let last = point < 0 ? point : text.length - 1
  while (last > point && text[last] === '0') last--
  if (last - point > scale)
    throw invalidCell('decimal', `more than ${scale} digits behind the point`, text)
  if (whole.length + scale > DECIMAL_DIGITS)
    throw invalidCell('decimal', `more than ${DECIMAL_DIGITS} digits`, text)
  return value
}

/** Returns true where {@link decodeDecimal} takes the bytes. */
export function isDecimal(bytes: DataView, start: number, end: number): boolean {
  const first = bytes.getUint8(start) === MINUS ? start + 1 : start
  const point = digitsEnd(bytes, first, end)
  if (point === first || point === end) return point > first
  return (
    bytes.getUint8(point) === POINT && point + 1 < end && digitsEnd(bytes, point + 1, end) === end
  )
}

function digitsEnd(bytes: DataView, start: number, end: number): number {
  let at = start
  while (at < end && bytes.getUint8(at) >= DIGIT_0 && bytes.getUint8(at) <= DIGIT_9) at++
  return at
}

class DecimalText implements Decimal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toNumber(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }
}

// Decodes numbers as doubles, with or without exponent.

/**
 * Decodes digits with an optional minus in front, an optional fraction and an optional exponent
 * (`12`, `-0.5`, `1.5e-7`, `2E+3`), without plus in front, grouping or space. It gives the nearest
 * double, and refuses NaN, Infinity and numbers beyond the largest double.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeFloat64(text: string): number {
  is.anyText('text', text)
  if (!/^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text))
    throw invalidCell('float64', 'not a number', text)
  const value = Number(text)
  if (!Number.isFinite(value)) throw invalidCell('float64', 'beyond the largest double', text)
  return value
}

// Reads the digits of a cell's bytes as a number. The decoders of whole numbers and of timestamps
// share the loop.

/**
 * Returns the number that the digits make, 0 where there are none, or -1 where a byte is not a
 * digit. The caller gives at most 9 digits: their number fits into 32 bits, so the loop needs no
 * check of an overflow, and V8 never makes a double of it.
 */
export function readDigits(bytes: DataView, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = bytes.getUint8(at) - DIGIT_0
    // As an unsigned number, a negative one is large.
    if (digit >>> 0 > 9) return -1
    value = (Math.imul(value, 10) + digit) | 0
  }
  return value
}
