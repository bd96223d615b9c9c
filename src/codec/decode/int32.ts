// Whole numbers of 32 bits, document 2 "Item feed columns", type integer (int32).

import { invalidCell } from './invalid-cell'

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1

/**
 * Digits with an optional minus in front: no plus, point, exponent or space. Leading zeros are read.
 * @throws FeedError CELL_INVALID
 */
export function decodeInt32(text: string): number {
  if (!/^-?[0-9]+$/.test(text)) throw invalidCell('int32', 'not a whole number', text)
  const value = Number(text)
  if (value < INT32_MIN || value > INT32_MAX) throw invalidCell('int32', 'outside of 32 bits', text)
  return value + 0 // -0 becomes 0
}
