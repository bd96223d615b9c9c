// Decodes numbers as doubles, with or without exponent.

import { anyText } from '../../options'
import { invalidCell } from './invalid-cell'

/**
 * Decodes digits with an optional minus in front, an optional fraction and an optional exponent
 * (`12`, `-0.5`, `1.5e-7`, `2E+3`), without plus in front, grouping or space. It gives the nearest
 * double, and refuses NaN, Infinity and numbers beyond the largest double.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeFloat64 } from 'feedmill'
 *
 * console.log(decodeFloat64('1.5e-7') * 2)
 * // => 3e-7
 * ```
 */
export function decodeFloat64(text: string): number {
  anyText('text', text)
  if (!/^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text))
    throw invalidCell('float64', 'not a number', text)
  const value = Number(text)
  if (!Number.isFinite(value)) throw invalidCell('float64', 'beyond the largest double', text)
  return value
}
