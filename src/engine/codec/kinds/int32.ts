// Cells of whole numbers of 32 bits (integer in item-feeds.md, section 2.2).

import { is } from '../../options'
import { MINUS, readDigits } from './digits'
import { invalidCell, type KindOfCells } from './kind-of-cells'

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
/** A number of this many digits always fits into 32 bits. */
const MAX_DIGITS = 9

export const int32: KindOfCells<number | null> = {
  decoder: {
    empty: null,
    decode: decodeInt32,
    read: ({ view }, _, start, end) => readInt32(view, start, end),
  },
  arrow: { kind: 'int32' },
  kernel: 'INT32',
  isLiteral: true,
  order: { numberOf: Number, isInModule: true },
  scalar: 'integer',
}

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
function readInt32(bytes: DataView, start: number, end: number): number | undefined {
  const isNegative = bytes.getUint8(start) === MINUS
  const first = isNegative ? start + 1 : start
  if (first === end || end - first > MAX_DIGITS) return undefined
  const value = readDigits(bytes, first, end)
  if (value < 0) return undefined
  return isNegative ? 0 - value : value
}
