// The two forms in which a request names the time of a file (item-feeds.md, sections 3.3 to 3.6): a
// day, and a whole hour of UTC. They are checked here as forms, whether or not a file exists.

/**
 * Reads a day of the calendar `yyyyMMdd`. Returns its midnight in UTC, in milliseconds since 1970;
 * undefined for any other text.
 */
export function readDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  return readHour(`${year}-${month}-${day}T00:00:00.000Z`)
}

/**
 * Reads an hour `yyyy-MM-ddThh:00:00.000Z`. Returns milliseconds since 1970; undefined for any
 * other text.
 */
export function readHour(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/.test(text)) return undefined
  const time = new Date(text)
  // Date reads February 30 and hour 24 as other days.
  return !Number.isNaN(time.getTime()) && time.toISOString() === text ? time.getTime() : undefined
}
