// When a file is there: from which moment the service has it, up to which it keeps it, and which
// time its content covers. Follows item-feeds.md, section 6. Days are those of UTC-7 all the year:
// no zone with daylight saving is meant, so this is arithmetic only. An edge belongs to the file:
// it is there at the very moment at which it appears or reaches its age.

import { knownOptions, type OptionNames, wholeNumber } from '../../options'
import { readDay, readHour } from '../../service/date-forms'
import type { DailyId, PriorityId, SnapshotId } from '../file-id'

/** How late files come and how long they are kept. Defaults are the documented ones. */
export interface CalendarLimits {
  /**
   * Days after its own, at 09:00 of UTC-7, at which a daily file is there: 2, and 3 for categories
   * that the service calls large.
   */
  readonly dailyLatencyDays: number
  /** Daily files of item and item_group that are kept: 14. */
  readonly dailyFilesKept: number
  /** Days before today that item_priority may be asked for: 14. */
  readonly priorityDaysBack: number
  /** Hours from an hour's start until its snapshot is there: 2. */
  readonly snapshotLatencyHours: number
  /** Days from an hour's start up to which its snapshot is kept: 7. */
  readonly snapshotDaysKept: number
}

/** A file that has one day or one hour. */
export type DatedId = DailyId | SnapshotId | PriorityId

/** All in milliseconds since 1970. */
export interface FileWindow {
  /** What the content covers, the end not included. */
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

/** The window of a file whose day or hour is one (sync/file-id.ts). */
export function windowOf(id: DatedId, limits: CalendarLimits): FileWindow {
  return id.feed === 'item_snapshot'
    ? snapshotWindow(readHour(id.hour) ?? Number.NaN, limits)
    : dayWindow(id, limits)
}

/** The first moment of the hour that holds a moment. */
export function hourStart(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS
}

/** The first moment of the day of UTC-7 that holds a moment. */
export function dayStart(ms: number): number {
  return Math.floor((ms - STORAGE_OFFSET_MS) / DAY_MS) * DAY_MS + STORAGE_OFFSET_MS
}

/** `yyyyMMdd` of a day by its first moment. */
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
