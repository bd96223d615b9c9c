// The day of daily files: it begins at midnight of UTC-7 (item-feeds.md, section 6).

import { DAY_MS, HOUR_MS } from './item-life'

const OFFSET_MS = 7 * HOUR_MS

/** Returns the number of the day of `time` (milliseconds since the epoch). */
export function dayNumber(time: number): number {
  return Math.floor((time - OFFSET_MS) / DAY_MS)
}

/** Returns the first millisecond of a day. */
export function dayStart(day: number): number {
  return day * DAY_MS + OFFSET_MS
}
