// The options of a synchronisation, checked and completed. Sizes are in bytes, times in
// milliseconds.

import {
  type Clock,
  type Columns,
  is,
  type OptionTable,
  optionInvalid,
  type RetryOptions,
  readOptions,
  retryPolicy,
} from '../engine/index'
import type { FeedService, RangeTuning } from '../service/index'
import type { ChangeSink } from './folder/change-log'
import { type Environment, machineEnvironment } from './folder/environment'
import { statePaths } from './folder/state-paths'
import {
  DEFAULT_MEMORY_BYTES,
  MEMORY_BYTES,
  type MemoryShares,
  memoryShares,
} from './memory-shares'
import { type CalendarLimits, calendarLimits } from './plan/calendar-files'
import { type FeedSource, refuseWholeRows } from './source/feed-source'
import { ownSource } from './source/own-source'
import { serviceSource } from './source/service-source'
import type { AppliedFile, SyncTarget } from './target/target'

export interface SyncOptions {
  /** The service that the files come from. */
  readonly service: FeedService
  /** The marketplace of all categories. */
  readonly marketplace: string
  /** Top-level categories, by their identifiers. */
  readonly categories: readonly string[]
  /**
   * Path of the state folder. A missing one is made. Default: none; it is required unless `target`
   * is given.
   */
  readonly folder?: string
  /**
   * Where rows go in place of a state folder: a database. Beside it `changes`, `changeRows`,
   * `keepFileBytes` and `keepChangeBytes` are refused. Default: none.
   */
  readonly target?: SyncTarget
  /**
   * With `target`: the folder in which the run makes a temporary folder for the files that it
   * fetches. Default: the temporary folder of the system.
   */
  readonly spoolFolder?: string
  /**
   * With `once` the run ends when all files that the service has are in the state. With `follow` it
   * goes on with new files. Default: `once`.
   */
  readonly mode?: 'once' | 'follow'
  /**
   * With `once`: the run fails with the error of the first file that it could not fetch or apply,
   * after all other files are in the state. With false it succeeds, and only `failed` of the
   * summary names these files. Default: true.
   */
  readonly strict?: boolean
  /**
   * Files that cover a later time are left out, and `follow` ends when the watermarks have reached
   * this time. Default: no end.
   */
  readonly until?: Date
  /** Memory limit of the process in bytes, about. Default: 256 MiB. Bounds: 240 MiB or more. */
  readonly memoryBytes?: number
  /** Number of files that are fetched at a time, over all categories. Default: 2. */
  readonly parallelFiles?: number
  /**
   * Settings of the range requests, in place of those that `memoryBytes` gives. Default: those that
   * `memoryBytes` gives.
   */
  readonly ranges?: RangeTuning
  /**
   * Bytes of compressed files that are kept for each category, the newest files first. Default: 0.
   */
  readonly keepFileBytes?: number
  /**
   * The share of a category's items, or item groups, that a bootstrap may remove because it lacks
   * them; of the rows of a feed of your own, the share that one file may remove because it lacks them
   * or marks them as removed: 0 to 1, where 1 allows all. A file that would remove more is reported as
   * `failed` with SYNC_REMOVAL_REFUSED, and nothing of it is applied. The limit does not hold for a state of
   * fewer than 100 rows, nor where the service proves that the file is empty (a 204, or a total of
   * 0). Default: 0.5.
   */
  readonly maxRemovedShare?: number
  /**
   * Decides about each file before any of its rows is visible: by true, or by false or a reason, which
   * fail the file with SYNC_FILE_REFUSED, and nothing of it is applied. It is called with the entry
   * that the ledger is to have, which says how many rows the file inserts, changes and removes and how
   * many are bad, and with the ledger so far: the sum of what its entries have inserted, without what
   * they have deleted, is the number of rows. It may be called again for a file, and has 60 seconds.
   * Default: every file is applied.
   */
  readonly accept?: (
    entry: AppliedFile,
    applied: readonly AppliedFile[],
  ) => boolean | string | Promise<boolean | string>
  /**
   * The destination of changes: `files` writes one file of JSON lines to the folder `changes` for
   * each file of the service, a sink takes them, and `none` drops them. The first bootstraps of a
   * category are its beginning and no changes. Default: `none`.
   */
  readonly changes?: 'none' | 'files' | ChangeSink
  /**
   * Bytes of the logs in `changes` that are kept for each category, the newest first. Default: 1
   * GiB.
   */
  readonly keepChangeBytes?: number
  /**
   * The rows that a change has: the one that is kept `after` it, or `both` that one and the one
   * that was kept before, which has to be read from the disk. Default: `after`.
   */
  readonly changeRows?: 'after' | 'both'
  /**
   * What happens to rows that cannot be merged, because they cannot be read or have no key or no
   * date, and to those that are merged with a cell that is not of its column's type: `none` only
   * counts them. With `files` they are kept with all of their bytes in the folder
   * `quarantine` of the state folder, in one file for each file of the service that has such rows.
   * Beside `target` it is `{ folder }`, the folder of these files. Default: `none`.
   */
  readonly quarantine?: 'none' | 'files' | { readonly folder: string }
  /** Milliseconds between two requests for a file that is due and missing. Default: 60,000. */
  readonly pollMs?: number
  /** Milliseconds for which `once` waits for files that are due and missing. Default: 0. */
  readonly waitLimitMs?: number
  /** Milliseconds between two `progress` events. Default: 1,000. */
  readonly progressMs?: number
  /**
   * Latency and retention of the service's files, where they differ from item-feeds.md, section 6.
   * Default: the documented ones.
   */
  readonly limits?: Partial<CalendarLimits>
  /**
   * When a file that could not be fetched, or proved damaged, is fetched again. Its ranges follow
   * the same policy, unless `ranges` has another one. Default: the defaults of each option.
   */
  readonly retry?: RetryOptions
  /** The clock of the calendar and of the clients' checks. Default: the service's clock. */
  readonly now?: Clock
  /**
   * Stops the run, which then fails with ABORTED; a target that has not returned from a call is left
   * after a moment, and closed when it returns. The state keeps what was applied, and the next
   * run continues there. Default: none.
   */
  readonly signal?: AbortSignal
  /** @internal */
  readonly environment?: Environment
  /** @internal Replaces shares that `memoryBytes` gives. */
  readonly shares?: Partial<MemoryShares>
}

/** The options of a run that follows a feed of your own into a state folder or a database. */
export interface FeedSyncOptions<C extends Columns = Columns>
  extends Omit<
    SyncOptions,
    'service' | 'marketplace' | 'categories' | 'folder' | 'until' | 'limits' | 'now'
  > {
  /** The feed: its rows and its files. */
  readonly source: FeedSource<C>
  /**
   * Path of the state folder, which several feeds may share, as they may share a target. A missing one
   * is made. Default: none; it is required unless `target` is given.
   */
  readonly folder?: string
  /**
   * The share of the rows of a full file that may be bad: 0 to 1, where 1 allows all. A file with more
   * is reported as `failed` with SYNC_BAD_ROWS_REFUSED, and nothing of it is applied, because a full
   * file removes the keys of the rows that cannot be read. The limit does not hold for a file of fewer
   * than 100 rows. Default: 0.05.
   */
  readonly maxBadShare?: number
}

export const SIGNAL = is.withMethods<AbortSignal>('addEventListener', 'throwIfAborted')

const MAX_BAD_SHARE = 0.05

/** The options of every synchronisation. */
const SHARED = {
  folder: [is.filePath],
  target: [checkedTarget],
  spoolFolder: [is.filePath],
  mode: [is.choice('once', 'follow'), 'once'],
  strict: [is.flag, true],
  memoryBytes: [MEMORY_BYTES, DEFAULT_MEMORY_BYTES],
  parallelFiles: [is.wholeNumber(1, 64), 2],
  ranges: [is.anObject, {}],
  keepFileBytes: [is.wholeNumber(0), 0],
  keepChangeBytes: [is.wholeNumber(0), 2 ** 30],
  maxRemovedShare: [is.finiteNumber(0, 1), 0.5],
  accept: [is.callback],
  changes: [checkedChanges, 'none'],
  changeRows: [is.choice('after', 'both'), 'after'],
  quarantine: is.any,
  pollMs: [is.durationMs(), 60_000],
  waitLimitMs: [is.durationMs(0), 0],
  progressMs: [is.durationMs(), 1_000],
  signal: [SIGNAL],
  retry: retryPolicy,
  environment: [is.any, machineEnvironment],
  shares: is.any,
} satisfies OptionTable<Omit<FeedSyncOptions, 'source' | 'maxBadShare'>>

const SYNC = {
  service: is.withMethods<FeedService>('withClock', 'close'),
  marketplace: is.filledText,
  categories: someCategories,
  until: [is.validDate],
  limits: (_option, limits) => calendarLimits(limits),
  now: [is.clockMs],
  ...SHARED,
} satisfies OptionTable<SyncOptions>

const FEED_SYNC = {
  source: is.any,
  ...SHARED,
  maxBadShare: [is.finiteNumber(0, 1), MAX_BAD_SHARE],
} satisfies OptionTable<FeedSyncOptions>

/** The options with their defaults, as the parts of a run take them. */
export type SyncSettings = ReturnType<typeof syncSettings>

/** @throws FeedError OPTION_INVALID, before any folder is made and any request is sent */
export function syncSettings(given: SyncOptions | FeedSyncOptions) {
  const { memoryBytes, quarantine, shares, ...settings } = isOfFeed(given)
    ? feedSettings(given)
    : serviceSettings(given)
  return {
    ...settings,
    strict: settings.strict && settings.mode === 'once',
    shares: { ...memoryShares(memoryBytes, settings.parallelFiles), ...shares },
    quarantine: checkedQuarantine(quarantine, settings),
  }
}

function isOfFeed(given: SyncOptions | FeedSyncOptions): given is FeedSyncOptions {
  return 'source' in is.anObject('options', given)
}

function feedSettings(given: FeedSyncOptions) {
  const { source, folder = '', ...settings } = readOptions(given, FEED_SYNC)
  checkPlace(given)
  const { quarantine, keepFileBytes } = settings
  refuseWholeRows(is.anObject('source', source), { quarantine, keepFileBytes })
  const ofService = { until: undefined, now: Date.now }
  return {
    ...settings,
    ...ofService,
    folder,
    source: ownSource(source, settings.retry, settings.ranges),
  }
}

function serviceSettings(given: SyncOptions) {
  const { marketplace, categories, limits, ...settings } = readOptions(given, SYNC)
  checkPlace(given)
  const { until, folder = '', now = settings.service.now } = settings
  const service = given.now === undefined ? settings.service : settings.service.withClock(now)
  const source = serviceSource({ service, marketplace, categories, now, until, limits })
  return { ...settings, folder, now, source, maxBadShare: MAX_BAD_SHARE }
}

/** Some options are for the place that has the rows: a state folder, or a target. */
function checkPlace(options: SyncOptions | FeedSyncOptions): void {
  const { folder, target, spoolFolder } = options
  if (target === undefined) {
    if (spoolFolder !== undefined)
      throw optionInvalid('spoolFolder', 'left out without target', spoolFolder)
    is.filePath('folder', folder as string)
    return
  }
  const { changes, changeRows, keepFileBytes, keepChangeBytes } = options
  const beside = Object.entries({ folder, changes, changeRows, keepFileBytes, keepChangeBytes })
  for (const [option, value] of beside)
    if (value !== undefined) throw optionInvalid(option, 'left out beside target', value)
}

function checkedTarget(option: string, target: SyncTarget): SyncTarget {
  is.filledText(`${option}.name`, is.withMethods<SyncTarget>('open')(option, target).name)
  return target
}

function someCategories(option: string, categories: readonly string[]): readonly string[] {
  if (Array.isArray(categories) && categories.length > 0) return categories
  throw optionInvalid(option, 'an array of one category or more', categories)
}

type Changes = NonNullable<SyncOptions['changes']>

function checkedChanges(option: string, changes: Changes): Changes {
  if (changes === 'none' || changes === 'files') return changes
  if (typeof changes === 'object' && typeof changes?.write === 'function') return changes
  throw optionInvalid(option, "'none' or 'files' or an object with the method write", changes)
}

interface Place {
  readonly target: SyncTarget | undefined
  readonly folder: string
  readonly environment: Environment
}

/** Returns where rows go that cannot be merged; undefined where they are not kept. */
function checkedQuarantine(
  quarantine: SyncOptions['quarantine'] = 'none',
  { target, folder: state, environment: { files } }: Place,
) {
  if (quarantine === 'none') return undefined
  if (target === undefined) {
    if (quarantine === 'files') return { files, folder: statePaths(state).quarantine }
    throw optionInvalid('quarantine', "'none' or 'files' without target", quarantine)
  }
  if (typeof quarantine !== 'object' || quarantine === null)
    throw optionInvalid('quarantine', "'none' or { folder } beside target", quarantine)
  return { files, ...readOptions(quarantine, { folder: is.filePath }, 'quarantine') }
}

/** What each download of a run has: its share of the memory, and what the caller wants. */
export function rangesOf(
  { shares, ranges }: SyncSettings,
  retry: RangeTuning['retry'],
): RangeTuning {
  return {
    chunkBytes: shares.chunkBytes,
    windowBytes: shares.windowBytes,
    concurrency: shares.rangesAtOnce,
    ...ranges,
    retry: { ...retry, ...ranges.retry },
  }
}
