// Decodes whole numbers of 32 bits, type integer (int32) in item-feeds.md, section 2.2.

import { anyText } from '../../options'
import { readDigits } from './digits'
import { invalidCell } from './invalid-cell'

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
const MINUS = 0x2d
/** A number of this many digits always fits into 32 bits. */
const MAX_DIGITS = 9

/**
 * Decodes digits with an optional minus in front, without plus, point, exponent or space. Leading
 * zeros are allowed.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeInt32, FeedError } from 'feedmill'
 *
 * console.log(decodeInt32('-12'))
 * try {
 *   decodeInt32('1.5')
 * } catch (error) {
 *   if (FeedError.is(error)) console.log(error.code)
 * }
 * // => -12
 * // => CELL_INVALID
 * ```
 */
export function decodeInt32(text: string): number {
  anyText('text', text)
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
