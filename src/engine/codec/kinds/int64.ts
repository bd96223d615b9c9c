// Cells of whole numbers of 64 bits, which a double cannot hold.

import { is } from '../../options'
import { MINUS, readDigits } from './digits'
import { invalidCell, type KindOfCells } from './kind-of-cells'

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

export const int64: KindOfCells<bigint | null> = {
  decoder: {
    empty: null,
    decode: decodeInt64,
    read: ({ view }, _, start, end) => readInt64(view, start, end),
  },
  arrow: { kind: 'int64' },
  kernel: 'INT64',
  mayHaveBigInts: true,
  order: { numberOf: Number, isInModule: true },
  scalar: 'bigint',
}

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
