// The quick way to see that a text is of a kind, mostly from its bytes. What is not plainly of a kind
// goes to the decoders, which decide. So the two differ in speed only.

import { BITS } from './canonical-kinds'

const MINUS = 0x2d
const POINT = 0x2e
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
/** The most bytes of a number without its minus that a double surely keeps. */
const DOUBLE_BYTES = 15
const INT32_DIGITS = 9
/** JavaScript writes a number with more zeros behind the point with an exponent. */
const PLAIN_FRACTION = 6

/** Days that every month has, alone or with a time. */
const PLAIN_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z)?$/
const DATE_BYTES = 10
const TIMESTAMP_BYTES = 24

/** Returns the bit of `date` or `timestamp` where the bytes are plainly of that kind, and else 0. */
export function plainTime({ buffer, byteOffset }: DataView, start: number, end: number): number {
  const length = end - start
  if (length !== DATE_BYTES && length !== TIMESTAMP_BYTES) return 0
  const text = Buffer.from(buffer, byteOffset + start, length).toString('latin1')
  if (!PLAIN_TIME.test(text)) return 0
  return length === DATE_BYTES ? BITS.date : BITS.timestamp
}

/**
 * Returns the bits of the kinds of numbers that the bytes are plainly of; 0 where they are no plain
 * number, or have more digits than this before the point, but for a single zero, or behind it.
 */
export function plainNumber(
  bytes: DataView,
  start: number,
  end: number,
  wholeDigits: number,
  scale: number,
): number {
  const first = bytes.getUint8(start) === MINUS ? start + 1 : start
  const point = digitsEnd(bytes, first, end)
  const whole = point - first
  if (whole === 0 || end - first > DOUBLE_BYTES) return 0
  const isZero = bytes.getUint8(first) === DIGIT_0
  if (isZero ? whole > 1 || first > start : whole > wholeDigits) return 0
  const whenWhole = BITS.int64 | BITS.decimal | BITS.float64
  if (point === end) return whole > INT32_DIGITS ? whenWhole : whenWhole | BITS.int32
  const fraction = end - point - 1
  if (bytes.getUint8(point) !== POINT || fraction === 0 || fraction > scale) return 0
  if (digitsEnd(bytes, point + 1, end) !== end) return 0
  const isShortest = fraction <= PLAIN_FRACTION && bytes.getUint8(end - 1) !== DIGIT_0
  return isShortest ? BITS.decimal | BITS.float64 : BITS.decimal
}

function digitsEnd(bytes: DataView, start: number, end: number): number {
  let at = start
  while (at < end && bytes.getUint8(at) >= DIGIT_0 && bytes.getUint8(at) <= DIGIT_9) at++
  return at
}
