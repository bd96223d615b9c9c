// The two forms in which a request names the time of a file (item-feeds.md, sections 3.3 to 3.6): a
// day, and a whole hour of UTC. Forms only: which days and hours have a file is another question.

/**
 * A day of the calendar `yyyyMMdd`, as its midnight in UTC in milliseconds since 1970; undefined
 * for anything else.
 */
export function readDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  return readHour(`${year}-${month}-${day}T00:00:00.000Z`)
}

/** An hour `yyyy-MM-ddThh:00:00.000Z`, in milliseconds since 1970; undefined for anything else. */
export function readHour(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/.test(text)) return undefined
  const time = new Date(text)
  // A day that no month has, or a 24th hour, would be read as another one.
  return !Number.isNaN(time.getTime()) && time.toISOString() === text ? time.getTime() : undefined
}
