// Which file answers a request at what time: the rules of the clock (item-feeds.md, section 6, and
// the dates of item-feeds.md, sections 3.3 to 3.6). History has no beginning here: a world knows
// its state at any time, so only the clock decides what is there.
//
//   daily files      day D of UTC-7 exists from 09:00 of UTC-7 on D+2 (D+3 for a slow category);
//                    the newest 14 are kept
//   item_priority    the same files; a request may name today and the 14 days before it
//   snapshots        hour H exists from H+2h on and is kept until H+7 days
//   bootstrap        one, which exists from the time at which it was made; or one for each day,
//                    made at the end of the day, which exists from the same time as the day's file
//
// A file exists at the exact moment at which it appears and at which it reaches its age. It is gone
// a millisecond later.

import { readDay, readHour } from '../../service/index'
import { DAY_MS, dayNumber, dayStart, HOUR_MS } from '../world/item-life'
import type { FeedFile } from './file-format'

/**
 * `daily` makes bootstrap files at the end of each day of UTC-7. A time makes them once, at that
 * time.
 */
export type BootstrapSchedule = 'daily' | Date

export interface Calendar {
  readonly now: Date
  readonly bootstrap: BootstrapSchedule
  /**
   * The number of days after which a daily file appears: 48 hours, "up to 72 hours for large
   * categories".
   */
  readonly latencyDays: 2 | 3
}

type Span = Pick<FeedFile, 'content' | 'from' | 'to'>

/** The number of kept daily files of item and item_group. */
const DAILY_FILES_KEPT = 14
/** The number of days back for which item_priority has files. */
const PRIORITY_DAYS_BACK = 14
const SNAPSHOTS_KEPT_MS = 7 * DAY_MS
/** The delay of a snapshot, from the start of the hour that it covers. */
export const SNAPSHOT_LATENCY_MS = 2 * HOUR_MS
/** Daily files appear at 09:00 of UTC-7. */
const PUBLISHED_AT_MS = 9 * HOUR_MS

/** Returns the newest day that has a file. */
export function latestDay({ now, latencyDays }: Pick<Calendar, 'now' | 'latencyDays'>): number {
  return dayNumber(now.getTime() - PUBLISHED_AT_MS) - latencyDays
}

/** Returns the days that have a daily file, as `yyyyMMdd`. */
export function servedDays(
  feed: 'item' | 'item_group' | 'item_priority',
  calendar: Calendar,
): { earliest: string; latest: string } {
  const earliest = feed === 'item_priority' ? firstPriorityDay(calendar) : firstDailyDay(calendar)
  return { earliest: nameOfDay(earliest), latest: nameOfDay(latestDay(calendar)) }
}

/** Returns the latest bootstrap file, or the error code. */
export function bootstrapSpan(calendar: Calendar): Span | 13007 {
  const { now, bootstrap } = calendar
  if (bootstrap === 'daily') return bootstrapAt(new Date(dayStart(latestDay(calendar) + 1)))
  return bootstrap > now ? 13007 : bootstrapAt(bootstrap)
}

/**
 * Returns the file of the day `yyyyMMdd` for item and item_group. The error is 13007 for a past day
 * whose file is not yet made, and 13005 for any other day without a file.
 */
export function daySpan(calendar: Calendar, date: string): Span | 13005 | 13007 {
  return spanOfDay(calendar, date, firstDailyDay(calendar), today(calendar) - 1)
}

/**
 * Returns the file of the day `yyyyMMdd` for item_priority, which has the last 14 days and today.
 */
export function priorityDaySpan(calendar: Calendar, date: string): Span | 13005 | 13007 {
  return spanOfDay(calendar, date, firstPriorityDay(calendar), today(calendar))
}

/** Returns the file of the hour `yyyy-MM-ddThh:00:00.000Z`. */
export function hourSpan(
  { now }: Pick<Calendar, 'now'>,
  snapshotDate: string,
): Span | 13007 | 13021 {
  const startMs = readHour(snapshotDate)
  if (startMs === undefined) return 13021
  const ageMs = now.getTime() - startMs
  if (ageMs < SNAPSHOT_LATENCY_MS || ageMs > SNAPSHOTS_KEPT_MS) return 13007
  return { content: 'span', from: new Date(startMs), to: new Date(startMs + HOUR_MS) }
}

function bootstrapAt(time: Date): Span {
  return { content: 'bootstrap', from: time, to: time }
}

/**
 * @param first the number (world/item-life.ts) of the first day that a request may name
 * @param last that of the last day
 */
function spanOfDay(calendar: Calendar, date: string, first: number, last: number) {
  const day = (readDay(date) ?? Number.NaN) / DAY_MS
  // A text that names no day of the calendar is NaN, which is never within.
  if (!(day >= first && day <= last)) return 13005
  if (day > latestDay(calendar)) return 13007
  const [from, to] = [new Date(dayStart(day)), new Date(dayStart(day + 1))]
  return { content: 'span', from, to } as const
}

function today({ now }: Calendar): number {
  return dayNumber(now.getTime())
}

function firstDailyDay(calendar: Calendar): number {
  return latestDay(calendar) - DAILY_FILES_KEPT + 1
}

function firstPriorityDay(calendar: Calendar): number {
  return today(calendar) - PRIORITY_DAYS_BACK
}

function nameOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')
}
