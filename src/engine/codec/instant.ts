// Texts of instants: ISO 8601 with a zone, and the dates of HTTP. Every text that becomes a time is
// read here, except the cells of files (kinds/timestamp.ts). Date alone would read a text without a
// zone in the zone of the process, 30 February as 2 March, and `1` as a year.

import { is } from '../options'

const ISO =
  /^(\d{4}-\d\d-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/
/**
 * The form that HTTP has, and the older one with dashes and two digits of the year (RFC 9110,
 * 5.6.7). The third one, of asctime, has no zone.
 */
const HTTP =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, (\d\d?)(?: [A-Z][a-z]{2} [1-9]\d{3}|-[A-Z][a-z]{2}-\d\d) \d\d:\d\d:[0-5]\d GMT$/

/**
 * Reads an instant of ISO 8601 with its zone, such as `2026-03-01T06:00:00Z` or
 * `2026-03-01T08:00+02:00`, or a date of HTTP, such as `Sun, 01 Mar 2026 06:00:00 GMT`. What is
 * finer than a millisecond is cut off. Returns undefined for any other text, for one without a zone,
 * and for a day or a time that does not exist.
 * @throws FeedError OPTION_INVALID for what is no text
 * @example
 * ```ts
 * import { readInstant } from 'feedmill'
 *
 * console.log(readInstant('2026-03-01T08:00+02:00')?.toISOString())
 * // => 2026-03-01T06:00:00.000Z
 * console.log(readInstant('2026-02-29T06:00:00Z'))
 * // => undefined
 * ```
 */
export function readInstant(text: string): Date | undefined {
  const [, local, day] = ISO.exec(is.anyText('text', text)) ?? []
  // The day of the text is one of its own zone.
  if (local !== undefined) return onDay(`${local}Z`, day) && new Date(text)
  return onDay(text, HTTP.exec(text)?.[1])
}

/** Date reads 30 February as 2 March, and hour 24 as the next day, so the day differs. */
function onDay(text: string, day: string | undefined): Date | undefined {
  const date = new Date(text)
  return date.getUTCDate() === Number(day) ? date : undefined
}
