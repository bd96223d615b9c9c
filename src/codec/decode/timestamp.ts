// Instants in UTC, document 2 "Item feed columns", itemEndDate: `yyyy-MM-ddThh:mm:ss.sssZ`.

import { invalidCell } from './invalid-cell'

const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/

/**
 * `yyyy-MM-ddThh:mm:ss.sssZ`, or the same without milliseconds. A day that the calendar lacks, or hour 24, is refused.
 * @throws FeedError CELL_INVALID
 */
export function decodeTimestamp(text: string): Date {
  if (!FORM.test(text)) throw invalidCell('timestamp', 'not of the form yyyy-MM-ddThh:mm:ss.sssZ', text)
  const date = new Date(text)
  // Date reads 30 February as 1 March, and hour 24 as the next day: both show in the day. NaN is no day either.
  if (date.getUTCDate() !== Number(text.slice(8, 10))) {
    throw invalidCell('timestamp', 'no such date or time', text)
  }
  return date
}
