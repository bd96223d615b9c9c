// The files that a category needs after its bootstraps, hourly and daily, each with its window and
// its status at one moment. calendar.ts decides which of them can be applied. A window says when
// the service publishes a file, how long it keeps it, and which time its content covers
// (item-feeds.md, section 6). Days are those of UTC-7 throughout the year, without daylight saving.
// Both edges belong to the window: the file is available at the moment of its publication and when
// it reaches its age.

import { is, type OptionTable, optionInvalid, readInstant, readOptions } from '../../engine/index'
import { readDay, readHour } from '../../service/index'
import {
  type BootstrapId,
  type Category,
  type DailyId,
  type FileId,
  fileIdKey,
  type PriorityId,
  type SnapshotId,
} from '../file-id'

/**
 * `there`: the service has the file. `missing`: the file is due, and the service said that it does
 * not have it. `early`: the file is not due yet. `gone`: the service no longer keeps it.
 */
export type Standing = 'done' | 'there' | 'missing' | 'early' | 'gone'

export interface DatedFile {
  readonly id: DatedId
  readonly window: FileWindow
  readonly standing: Standing
}

export interface CategoryFilesParts {
  readonly category: Category
  readonly nowMs: number
  readonly untilMs: number
  readonly limits: CalendarLimits
  readonly done: Iterable<FileId>
  readonly missing: Iterable<FileId>
}

export type CategoryFiles = ReturnType<typeof categoryFiles>

/** The files of one category whose content has begun. */
export function categoryFiles({ category, nowMs, untilMs, limits, ...given }: CategoryFilesParts) {
  const done = new Set(Array.from(given.done, fileIdKey))
  const missing = new Set(Array.from(given.missing, fileIdKey))
  const isMissing = (id: FileId) => missing.has(fileIdKey(id))
  const standingOf = (id: DatedId, { fromMs, goneMs }: FileWindow): Standing => {
    if (done.has(fileIdKey(id))) return 'done'
    if (nowMs < fromMs) return 'early'
    if (nowMs >= goneMs) return 'gone'
    return isMissing(id) ? 'missing' : 'there'
  }
  /** A clock that was set back, and an earlier end, undo nothing that was applied. */
  const filesFrom = (firstMs: number, lengthMs: number, idOf: (startMs: number) => DatedId) => {
    const lastMs = Math.min(nowMs, untilMs - lengthMs)
    if (lastMs - firstMs > MOST_FILES * lengthMs) {
      const expected = `within ${MOST_FILES} files after ${new Date(firstMs).toISOString()}`
      throw optionInvalid('now', `${expected}, so check the clock`, new Date(nowMs))
    }
    const files: DatedFile[] = []
    for (let startMs = firstMs; ; startMs += lengthMs) {
      const id = idOf(startMs)
      const window = windowOf(id, limits)
      const standing = standingOf(id, window)
      if (!(startMs <= lastMs) && standing !== 'done') return files
      files.push({ id, window, standing })
    }
  }
  const datesFrom = (fromMs: number, idOf: (date: string) => DatedId) =>
    filesFrom(dayStart(fromMs), DAY_MS, startMs => idOf(dayText(startMs)))
  return {
    isMissing,
    /** Returns the time of the newest applied bootstrap of a feed; undefined where there is none. */
    generationMs(feed: BootstrapId['feed']): number | undefined {
      const prefix = fileIdKey({ ...category, feed, scope: 'ALL_ACTIVE', generation: '' })
      const times = [...done]
        .filter(key => key.startsWith(prefix))
        .map(key => generationOf(key.slice(prefix.length)))
      return times.length === 0 ? undefined : Math.max(...times)
    },
    /** Returns the snapshots from the hour of this moment on. */
    hoursFrom: (ms: number) =>
      filesFrom(hourStart(ms), HOUR_MS, startMs => ({
        feed: 'item_snapshot',
        ...category,
        hour: new Date(startMs).toISOString(),
      })),
    /** Returns the files of one feed from the day of this moment on. */
    daysFrom: (ms: number, feed: 'item' | 'item_group') =>
      datesFrom(ms, date => ({ feed, ...category, scope: 'NEWLY_LISTED', date })),
    /**
     * Returns the priority files from the day of this moment on, and those of the days before it that
     * the service has: a bootstrap of items does not say what they say.
     */
    prioritiesFrom(ms: number): DatedFile[] {
      const fromMs = Math.min(ms, nowMs - limits.priorityDaysBack * DAY_MS)
      return datesFrom(fromMs, date => ({ feed: 'item_priority', ...category, date }))
    },
  }
}

/** The most files of one feed in a plan, which a clock that is years ahead exceeds. */
const MOST_FILES = 100_000

/** @throws FeedError OPTION_INVALID */
function generationOf(text: string): number {
  const generation = readInstant(text)
  if (generation !== undefined) return generation.getTime()
  throw optionInvalid('done', 'bootstraps with a generation of ISO 8601, in UTC', text)
}

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
export type FileWindow = ReturnType<typeof snapshotWindow>

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** The zone of daily files (item-feeds.md, section 6). */
const STORAGE_OFFSET_MS = 7 * HOUR_MS
const PUBLISHED_AT_MS = 9 * HOUR_MS

const LIMITS = {
  dailyLatencyDays: [is.wholeNumber(), 2],
  dailyFilesKept: [is.wholeNumber(), 14],
  priorityDaysBack: [is.wholeNumber(), 14],
  snapshotLatencyHours: [is.wholeNumber(), 2],
  snapshotDaysKept: [is.wholeNumber(), 7],
} satisfies OptionTable<Partial<CalendarLimits>>

/** @throws FeedError OPTION_INVALID */
export function calendarLimits(limits: Partial<CalendarLimits> = {}): CalendarLimits {
  return readOptions(limits, LIMITS, 'limits')
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
) {
  return {
    /** Start of the time that the content covers. `coversToMs` is its end, which is not included. */
    coversFromMs: startMs,
    coversToMs: startMs + HOUR_MS,
    /** The first moment at which the service has the file. */
    fromMs: startMs + snapshotLatencyHours * HOUR_MS,
    /** The first moment at which it is gone. */
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
