// The window of a file: when the service publishes it, how long it keeps it, and which time its
// content covers (item-feeds.md, section 6). Days are those of UTC-7 throughout the year, without
// daylight saving. Both edges belong to the window: the file is available at the moment of its
// publication and at the moment when it reaches its age.

import { knownOptions, type OptionNames, wholeNumber } from '../../engine/index'
import { readDay, readHour } from '../../service/index'
import type { DailyId, PriorityId, SnapshotId } from '../file-id'

/** Latency and retention of the service's files. The defaults are the documented ones. */
export interface CalendarLimits {
  /**
   * Days from a daily file's own day to its publication at 09:00 of UTC-7. The documents say 3 for
   * categories that the service calls large. Default: 2. Bounds: 1 or more.
   */
  readonly dailyLatencyDays: number
  /**
   * Number of daily files of item and item_group that the service keeps. Default: 14. Bounds: 1 or
   * more.
   */
  readonly dailyFilesKept: number
  /**
   * Number of days before today for which the service has item_priority. Default: 14. Bounds: 1 or
   * more.
   */
  readonly priorityDaysBack: number
  /**
   * Hours from the start of an hour to the publication of its snapshot. Default: 2. Bounds: 1 or
   * more.
   */
  readonly snapshotLatencyHours: number
  /**
   * Days from the start of an hour for which the service keeps its snapshot. Default: 7. Bounds: 1
   * or more.
   */
  readonly snapshotDaysKept: number
}

/** A file of one day or one hour. */
export type DatedId = DailyId | SnapshotId | PriorityId

/** All times are milliseconds since 1970. */
export interface FileWindow {
  /** Start of the time that the content covers. `coversToMs` is its end, which is not included. */
  readonly coversFromMs: number
  readonly coversToMs: number
  /** The first moment at which the service has the file. */
  readonly fromMs: number
  /** The first moment at which it is gone. */
  readonly goneMs: number
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** The zone of daily files (item-feeds.md, section 6). */
const STORAGE_OFFSET_MS = 7 * HOUR_MS
const PUBLISHED_AT_MS = 9 * HOUR_MS

const DOCUMENTED: CalendarLimits = {
  dailyLatencyDays: 2,
  dailyFilesKept: 14,
  priorityDaysBack: 14,
  snapshotLatencyHours: 2,
  snapshotDaysKept: 7,
}

const NAMES: OptionNames<CalendarLimits> = {
  dailyLatencyDays: true,
  dailyFilesKept: true,
  priorityDaysBack: true,
  snapshotLatencyHours: true,
  snapshotDaysKept: true,
}

/** @throws FeedError OPTION_INVALID */
export function calendarLimits(limits: Partial<CalendarLimits> = {}): CalendarLimits {
  const complete = { ...DOCUMENTED, ...knownOptions(limits, NAMES, 'limits') }
  for (const [name, value] of Object.entries(complete)) wholeNumber(`limits.${name}`, value)
  return complete
}

/** Returns the window of a file with a valid day or hour. */
export function windowOf(id: DatedId, limits: CalendarLimits): FileWindow {
  return id.feed === 'item_snapshot'
    ? snapshotWindow(readHour(id.hour) ?? Number.NaN, limits)
    : dayWindow(id, limits)
}

/** Returns the start of the hour of a moment. */
export function hourStart(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS
}

/** Returns the start of the day of UTC-7 of a moment. */
export function dayStart(ms: number): number {
  return Math.floor((ms - STORAGE_OFFSET_MS) / DAY_MS) * DAY_MS + STORAGE_OFFSET_MS
}

/** Returns the `yyyyMMdd` of a day by its start. */
export function dayText(startMs: number): string {
  return new Date(startMs - STORAGE_OFFSET_MS).toISOString().slice(0, 10).replaceAll('-', '')
}

function snapshotWindow(
  startMs: number,
  { snapshotLatencyHours, snapshotDaysKept }: CalendarLimits,
): FileWindow {
  return {
    coversFromMs: startMs,
    coversToMs: startMs + HOUR_MS,
    fromMs: startMs + snapshotLatencyHours * HOUR_MS,
    goneMs: startMs + snapshotDaysKept * DAY_MS + 1,
  }
}

function dayWindow({ feed, date }: DailyId | PriorityId, limits: CalendarLimits): FileWindow {
  const startMs = (readDay(date) ?? Number.NaN) + STORAGE_OFFSET_MS
  const fromMs = startMs + limits.dailyLatencyDays * DAY_MS + PUBLISHED_AT_MS
  const goneMs =
    feed === 'item_priority'
      ? startMs + (limits.priorityDaysBack + 1) * DAY_MS
      : fromMs + limits.dailyFilesKept * DAY_MS
  return { coversFromMs: startMs, coversToMs: startMs + DAY_MS, fromMs, goneMs }
}
