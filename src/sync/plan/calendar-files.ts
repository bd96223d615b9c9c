// The files that a category needs after its bootstraps, hourly and daily, each with its window and
// its status at one moment. calendar.ts decides which of them can be applied.

import { type BootstrapId, type Category, type FileId, fileIdKey } from '../file-id'
import {
  type CalendarLimits,
  DAY_MS,
  type DatedId,
  dayStart,
  dayText,
  type FileWindow,
  HOUR_MS,
  hourStart,
  windowOf,
} from './calendar-windows'

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

/** The files of one category whose content has begun. */
export class CategoryFiles {
  readonly #parts: CategoryFilesParts
  readonly #done: ReadonlyMap<string, FileId>
  readonly #missing: ReadonlySet<string>

  constructor(parts: CategoryFilesParts) {
    this.#parts = parts
    this.#done = new Map(Array.from(parts.done, id => [fileIdKey(id), id]))
    this.#missing = new Set(Array.from(parts.missing, fileIdKey))
  }

  /** Returns the time of the newest applied bootstrap of a feed; undefined where there is none. */
  generationMs(feed: BootstrapId['feed']): number | undefined {
    const prefix = fileIdKey({ ...this.#parts.category, feed, scope: 'ALL_ACTIVE', generation: '' })
    const times = [...this.#done]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key]) => Date.parse(key.slice(prefix.length)))
    return times.length === 0 ? undefined : Math.max(...times)
  }

  isMissing(id: FileId): boolean {
    return this.#missing.has(fileIdKey(id))
  }

  /** Returns the snapshots from the hour of this moment on. */
  hoursFrom(ms: number): DatedFile[] {
    return this.#starts(hourStart(ms), HOUR_MS).map(startMs => {
      return this.#file({
        feed: 'item_snapshot',
        ...this.#parts.category,
        hour: new Date(startMs).toISOString(),
      })
    })
  }

  /** Returns the files of one feed from the day of this moment on. */
  daysFrom(ms: number, feed: 'item' | 'item_group'): DatedFile[] {
    return this.#days(ms).map(date =>
      this.#file({ feed, ...this.#parts.category, scope: 'NEWLY_LISTED', date }),
    )
  }

  /**
   * Returns the priority files from the day of this moment on, and those of the days before it that
   * the service has: a bootstrap of items does not say what they say.
   */
  prioritiesFrom(ms: number): DatedFile[] {
    const { nowMs, limits, category } = this.#parts
    return this.#days(Math.min(ms, nowMs - limits.priorityDaysBack * DAY_MS)).map(date =>
      this.#file({ feed: 'item_priority', ...category, date }),
    )
  }

  #days(fromMs: number): string[] {
    return this.#starts(dayStart(fromMs), DAY_MS).map(dayText)
  }

  #starts(firstMs: number, lengthMs: number): number[] {
    const { nowMs, untilMs } = this.#parts
    const starts: number[] = []
    for (
      let startMs = firstMs;
      startMs <= nowMs && startMs + lengthMs <= untilMs;
      startMs += lengthMs
    )
      starts.push(startMs)
    return starts
  }

  #file(id: DatedId): DatedFile {
    const window = windowOf(id, this.#parts.limits)
    return { id, window, standing: this.#standingOf(id, window) }
  }

  #standingOf(id: DatedId, { fromMs, goneMs }: FileWindow): Standing {
    if (this.#done.has(fileIdKey(id))) return 'done'
    if (this.#parts.nowMs < fromMs) return 'early'
    if (this.#parts.nowMs >= goneMs) return 'gone'
    return this.isMissing(id) ? 'missing' : 'there'
  }
}
