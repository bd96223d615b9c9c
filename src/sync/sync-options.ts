// The options of a synchronisation, checked and completed. Sizes are in bytes, times in milliseconds.

import { excerpt, FeedError } from '../errors'
import { durationMs, finiteNumber, wholeNumber } from '../options'
import type { RangeTuning } from '../service/feed-download'
import type { FeedService } from '../service/feed-service'
import { type RetryOptions, type RetryPolicy, retryPolicy } from '../stages/retries'
import type { CalendarLimits } from './calendar-windows'
import type { ChangeSink } from './change-log'
import type { Category } from './file-id'
import { DEFAULT_MEMORY_BYTES, type MemoryShares, memoryShares } from './memory-shares'
import type { StateGround } from './state-folder'

export interface SyncOptions extends Pick<RetryOptions, 'patienceMs' | 'backoffBaseMs' | 'backoffCapMs'> {
  readonly service: FeedService
  readonly marketplace: string
  /** Top-level categories, by their identifiers. */
  readonly categories: readonly string[]
  /** The state folder; made where it is missing. */
  readonly folder: string
  /** `once`, the default: ends when all that can be had is in the state. `follow`: goes on with what comes. */
  readonly mode?: 'once' | 'follow'
  /** Files that cover a later time are left out; `follow` ends when the watermarks have come so far. */
  readonly until?: Date
  /** The memory that the process is to stay within, about. Default 256 MiB, least 240 MiB. */
  readonly memoryBytes?: number
  /** Files fetched at a time, over all categories. Default 3. */
  readonly parallelFiles?: number
  /** Files of a category that are fetched and not in the state yet, at the most. Default 256. */
  readonly filesAhead?: number
  /** How ranges are fetched, where it is to differ from what the memory gives. */
  readonly ranges?: RangeTuning
  /** Compressed files of so many bytes are kept for each category, the newest. Default 0. */
  readonly keepFileBytes?: number
  /**
   * The share of a category's items, or item groups, that a bootstrap may remove because it does not have them: 0 to 1, where 1 allows
   * all. A file that would remove more is told as `failed` with SYNC_REMOVAL_REFUSED, and nothing of it is applied. Not asked of a state
   * of fewer than 100 rows, nor where the service proves that there is no content (a 204, or a total of 0). Default 0.5.
   */
  readonly maxRemovedShare?: number
  /** Where changes are told: one file of JSON lines for each file of the service in the folder's `changes`, a sink, or nowhere (the default). */
  readonly changes?: 'none' | 'files' | ChangeSink
  /** Between two looks for a file that is due and not there. Default 60,000. */
  readonly pollMs?: number
  /** `once` waits so long for files that are due and not there. Default 0. */
  readonly waitLimitMs?: number
  /** Between two `progress` events. Default 1,000. */
  readonly progressMs?: number
  /** How late the service's files come and how long it keeps them, where it differs from the documents. */
  readonly limits?: Partial<CalendarLimits>
  /** The clock, milliseconds since 1970. Default Date.now. */
  readonly now?: () => number
  /** Stops the run, which then fails with ABORTED. All that was reached is kept, and the next run goes on there. */
  readonly signal?: AbortSignal
  /** @internal */
  readonly ground?: StateGround
  /** @internal In place of what `memoryBytes` gives. */
  readonly shares?: Partial<MemoryShares>
}

export interface SyncSettings
  extends Required<
    Omit<
      SyncOptions,
      'patienceMs' | 'backoffBaseMs' | 'backoffCapMs' | 'until' | 'signal' | 'ground' | 'limits' | 'categories' | 'memoryBytes' | 'shares'
    >
  > {
  readonly categories: readonly Category[]
  readonly shares: MemoryShares
  readonly retry: RetryPolicy
  readonly until: Date | undefined
  readonly limits: Partial<CalendarLimits>
  readonly signal: AbortSignal | undefined
  readonly ground: StateGround | undefined
}

/** @throws FeedError OPTION_INVALID */
export function syncSettings(options: SyncOptions): SyncSettings {
  const { service, marketplace, folder, mode = 'once', changes = 'none', until, limits = {}, now = Date.now, signal, ground } = options
  const parallelFiles = wholeNumber('parallelFiles', options.parallelFiles ?? 3, 1, 64)
  const categories = [...new Set(options.categories)].map(categoryId => ({ marketplace, categoryId }))
  check('categories', categories.length > 0, 'one category or more', options.categories)
  check('folder', typeof folder === 'string' && folder !== '', 'a path', folder)
  check('mode', mode === 'once' || mode === 'follow', 'once or follow', mode)
  check('until', until === undefined || !Number.isNaN(until.getTime()), 'a time', until)
  const isSink = typeof changes === 'object' && typeof changes.write === 'function'
  check('changes', isSink || changes === 'none' || changes === 'files', 'none, files or a sink', changes)
  const duration = (option: 'pollMs' | 'waitLimitMs' | 'progressMs', standard: number, least: number) =>
    durationMs(option, options[option] ?? standard, least)
  return {
    service,
    marketplace,
    categories,
    folder,
    mode,
    changes,
    parallelFiles,
    shares: { ...memoryShares(options.memoryBytes ?? DEFAULT_MEMORY_BYTES, parallelFiles), ...options.shares },
    filesAhead: wholeNumber('filesAhead', options.filesAhead ?? 256),
    ranges: options.ranges ?? {},
    keepFileBytes: wholeNumber('keepFileBytes', options.keepFileBytes ?? 0, 0),
    maxRemovedShare: finiteNumber('maxRemovedShare', options.maxRemovedShare ?? 0.5, 0, 1),
    retry: retryPolicy(options),
    pollMs: duration('pollMs', 60_000, 1),
    waitLimitMs: duration('waitLimitMs', 0, 0),
    progressMs: duration('progressMs', 1_000, 1),
    until,
    limits,
    now,
    signal,
    ground,
  }
}

function check(option: string, holds: boolean, expected: string, received: unknown): void {
  if (!holds)
    throw new FeedError('OPTION_INVALID', `${option} must be ${expected}`, { option, expected, received: excerpt(String(received)) })
}
