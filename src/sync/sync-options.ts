// The options of a synchronisation, checked and completed. Sizes are in bytes, times in
// milliseconds.

import {
  anObject,
  type Clock,
  type Columns,
  choice,
  clockMs,
  durationMs,
  filePath,
  filledText,
  finiteNumber,
  flag,
  knownOptions,
  type OptionNames,
  optionInvalid,
  type RetryOptions,
  type RetryPolicy,
  retryPolicy,
  validDate,
  wholeNumber,
  withMethods,
} from '../engine/index'
import type { FeedService, RangeTuning } from '../service/index'
import type { ChangeSink } from './folder/change-log'
import { type Environment, machineEnvironment } from './folder/environment'
import { StatePaths } from './folder/state-paths'
import { DEFAULT_MEMORY_BYTES, type MemoryShares, memoryShares } from './memory-shares'
import { type CalendarLimits, calendarLimits } from './plan/calendar-files'
import type { FeedSource } from './source/feed-source'
import { ownSource } from './source/own-source'
import { serviceSource } from './source/service-source'
import type { SyncTarget } from './target/target'

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

/** The options of a run that follows a feed of your own into a state folder. */
export interface FeedSyncOptions<C extends Columns = Columns>
  extends Omit<
    SyncOptions,
    | 'service'
    | 'marketplace'
    | 'categories'
    | 'folder'
    | 'target'
    | 'spoolFolder'
    | 'until'
    | 'limits'
    | 'now'
  > {
  /** The feed: its rows and its files. */
  readonly source: FeedSource<C>
  /** Path of the state folder, which several feeds may share. A missing one is made. */
  readonly folder: string
  /**
   * The share of the rows of a full file that may be bad: 0 to 1, where 1 allows all. A file with more
   * is reported as `failed` with SYNC_BAD_ROWS_REFUSED, and nothing of it is applied, because a full
   * file removes the keys of the rows that cannot be read. The limit does not hold for a file of fewer
   * than 100 rows. Default: 0.05.
   */
  readonly maxBadShare?: number
}

const NAMES: OptionNames<SyncOptions> = {
  service: true,
  marketplace: true,
  categories: true,
  folder: true,
  target: true,
  spoolFolder: true,
  mode: true,
  strict: true,
  until: true,
  memoryBytes: true,
  parallelFiles: true,
  ranges: true,
  keepFileBytes: true,
  keepChangeBytes: true,
  maxRemovedShare: true,
  changes: true,
  changeRows: true,
  quarantine: true,
  pollMs: true,
  waitLimitMs: true,
  progressMs: true,
  limits: true,
  now: true,
  signal: true,
  retry: true,
  environment: true,
  shares: true,
}

/** The options with their defaults, as the parts of a run take them. */
export type SyncSettings = ReturnType<typeof syncSettings>

/** @throws FeedError OPTION_INVALID, before any folder is made and any request is sent */
export function syncSettings(given: SyncOptions | FeedSyncOptions) {
  const options = knownFor(given)
  const {
    mode = 'once',
    until,
    memoryBytes = DEFAULT_MEMORY_BYTES,
    ranges = {},
    keepFileBytes = 0,
    keepChangeBytes = 2 ** 30,
    maxRemovedShare = 0.5,
    maxBadShare = 0.05,
    changeRows = 'after',
    strict = true,
    parallelFiles = 2,
    pollMs = 60_000,
    waitLimitMs = 0,
    progressMs = 1_000,
    signal,
    environment = machineEnvironment,
  } = options
  wholeNumber('parallelFiles', parallelFiles, 1, 64)
  if (until !== undefined) validDate('until', until)
  anObject('ranges', ranges)
  const retry = retryPolicy(options.retry)
  return {
    ...checkedOrigin(options, retry),
    ...checkedPlace(options),
    mode: choice('mode', mode, ['once', 'follow']),
    strict: flag('strict', strict) && mode === 'once',
    changes: checkedChanges(options.changes),
    changeRows: choice('changeRows', changeRows, ['after', 'both']),
    quarantine: checkedQuarantine(options, environment),
    parallelFiles,
    shares: { ...memoryShares(memoryBytes, parallelFiles), ...options.shares },
    ranges,
    keepFileBytes: wholeNumber('keepFileBytes', keepFileBytes, 0),
    keepChangeBytes: wholeNumber('keepChangeBytes', keepChangeBytes, 0),
    maxRemovedShare: finiteNumber('maxRemovedShare', maxRemovedShare, 0, 1),
    maxBadShare: finiteNumber('maxBadShare', maxBadShare, 0, 1),
    retry,
    pollMs: durationMs('pollMs', pollMs),
    waitLimitMs: durationMs('waitLimitMs', waitLimitMs, 0),
    progressMs: durationMs('progressMs', progressMs),
    until,
    signal: checkedSignal(signal),
    environment,
  }
}

/**
 * Checks an AbortSignal by its methods, because it may come from another realm. @throws FeedError
 * OPTION_INVALID
 */
export function checkedSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  return signal === undefined
    ? undefined
    : withMethods('signal', signal, ['addEventListener', 'throwIfAborted'])
}

/** Refuses the options of a run over the service where a feed of one's own is followed. */
function knownFor(options: SyncOptions | FeedSyncOptions): SyncOptions & Partial<FeedSyncOptions> {
  const { service, marketplace, categories, target, spoolFolder, until, limits, now, ...shared } =
    NAMES
  const feedNames: OptionNames<FeedSyncOptions> = { ...shared, source: true, maxBadShare: true }
  const names = 'source' in anObject('options', options) ? feedNames : NAMES
  return knownOptions(options as SyncOptions, names as typeof NAMES)
}

/** Returns what the run follows, and the clock: milliseconds since 1970. */
function checkedOrigin(options: SyncOptions & Partial<FeedSyncOptions>, retry: RetryPolicy) {
  const { source, marketplace, categories, until, limits } = options
  if (source !== undefined) return { source: ownSource(source, retry), now: Date.now }
  const given = withMethods('service', options.service, ['withClock', 'close'])
  const now = options.now === undefined ? given.now : clockMs('now', options.now)
  const service = options.now === undefined ? given : given.withClock(now)
  const parts = { service, marketplace, categories, now, until, limits: calendarLimits(limits) }
  return { source: serviceSource(parts), now }
}

/**
 * Checks that a run has one place for its rows, and no option that the place does not know. The
 * folder is empty where there is a target.
 */
function checkedPlace(options: SyncOptions) {
  const { folder, target, spoolFolder } = options
  if (target === undefined) {
    if (spoolFolder !== undefined)
      throw optionInvalid('spoolFolder', 'left out without target', spoolFolder)
    return { folder: filePath('folder', folder), target, spoolFolder }
  }
  const { changes, changeRows, keepFileBytes, keepChangeBytes } = options
  const beside = Object.entries({ folder, changes, changeRows, keepFileBytes, keepChangeBytes })
  for (const [option, value] of beside)
    if (value !== undefined) throw optionInvalid(option, 'left out beside target', value)
  filledText('target.name', withMethods('target', target, ['open']).name)
  if (spoolFolder !== undefined) filePath('spoolFolder', spoolFolder)
  return { folder: '', target, spoolFolder }
}

function checkedChanges(
  changes: SyncOptions['changes'] = 'none',
): NonNullable<SyncOptions['changes']> {
  if (changes === 'none' || changes === 'files') return changes
  if (typeof changes === 'object' && typeof changes?.write === 'function') return changes
  throw optionInvalid('changes', "'none' or 'files' or an object with the method write", changes)
}

/** Returns where rows go that cannot be merged; undefined where they are not kept. */
function checkedQuarantine(
  { quarantine = 'none', target, folder: state = '' }: SyncOptions,
  { files }: Environment,
) {
  if (quarantine === 'none') return undefined
  if (target === undefined) {
    if (quarantine === 'files') return { files, folder: new StatePaths(state).quarantine }
    throw optionInvalid('quarantine', "'none' or 'files' without target", quarantine)
  }
  if (typeof quarantine !== 'object' || quarantine === null)
    throw optionInvalid('quarantine', "'none' or { folder } beside target", quarantine)
  const { folder } = knownOptions(quarantine, { folder: true }, 'quarantine')
  return { files, folder: filePath('quarantine.folder', folder) }
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
