// Decodes days of the calendar, which have no time and no time zone, so that they stay text.

import { anyText } from '../../options'
import { invalidCell } from './invalid-cell'

/**
 * Checks that a text is a day of the Gregorian calendar, `yyyy-MM-dd`, and returns the text. Days
 * sort as texts do.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeDate } from 'feedmill'
 *
 * console.log(decodeDate('2024-02-29'))
 * // => 2024-02-29
 * ```
 */
export function decodeDate(text: string): string {
  anyText('text', text)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text))
    throw invalidCell('date', 'not of the form yyyy-MM-dd', text)
  // Date reads 30 February as 1 March, so the day differs. A NaN differs from any day too.
  if (new Date(`${text}T00:00:00Z`).getUTCDate() !== Number(text.slice(8)))
    throw invalidCell('date', 'no such day', text)
  return text
}
