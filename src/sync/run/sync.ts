// A synchronisation: it brings the categories of a marketplace in a state folder up to date with
// the service. This file owns the run: opening, what the categories share, progress and the end.
// category-run.ts is the run of one category.
//
// If you change when a run ends, also change category-run.ts and the events in sync-events.ts.

import { setMaxListeners } from 'node:events'
import {
  aborted,
  asFeedError,
  type Columns,
  closing,
  type FeedError,
  inTime,
  listenable,
  orUndo,
  RunWatch,
  Semaphore,
  type SyncResult,
} from '../../engine/index'
import { openStateFolder } from '../runs/state-folder'
import {
  type FeedSyncOptions,
  type SyncOptions,
  type SyncSettings,
  syncSettings,
} from '../sync-options'
import { SpoolFolder } from '../target/spool-folder'
import type { AppliedFile, OpenTarget, SyncTarget, TargetCategory } from '../target/target'
import { CategoryRun } from './category-run'
import type { SharedRun } from './file-on-its-way'
import { EventQueue, type SyncEvent, type SyncProgress, type SyncSummary } from './sync-events'

/**
 * A synchronisation that is under way. As an iterable it yields the events, and fails with the
 * error of the run. A loop that is left early stops the run. Reading the events is optional.
 */
export interface SyncRun extends AsyncIterable<SyncEvent> {
  /**
   * Settles when the run has ended and the folder is unlocked. Rejects with the error that ended
   * the run, which is ABORTED where it was stopped; unless `strict` is false, with that of the
   * first file that failed.
   */
  readonly summary: Promise<SyncSummary>
}

/**
 * Brings the state in a folder up to date with the service, or with a feed of your own (`source`),
 * and, with `mode: 'follow'`, keeps it so.
 *
 * After each file the state equals the true state at the category's watermark. A run may be killed
 * or stopped at any moment. The next run continues with the file that was being applied, and in the
 * middle of a download.
 *
 * The run fails with STATE_LOCKED where another run uses the folder, STATE_FOREIGN where the folder
 * is of another service or marketplace, STATE_IO where the disk fails or is full, STATE_CORRUPT
 * where stored data is damaged, TOKEN_REFUSED, ABORTED, STAGE_FAILED where a `source` gives no list,
 * and STATE_LIMIT where the versions of a key of it fall in too many files. A file that cannot be had
 * does not end the run: it is reported as `missing` or `failed`, and the watermark stays before it.
 * With mode `once` a run with failed files then fails with the error of the first one,
 * SYNC_FILE_FAILED, SYNC_REMOVAL_REFUSED or SYNC_BAD_ROWS_REFUSED, unless `strict` is false.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { sync } from 'feedmill/sync'
 * // given: service, now
 *
 * const category = { marketplace: 'MKT_US', categories: ['220'] }
 * const run = sync({ service, ...category, folder: 'synced', now })
 * let watermark: Date | undefined
 * for await (const event of run) if (event.type === 'watermark') watermark = event.watermark
 * const { files } = await run.summary
 * console.log(watermark?.toISOString(), files)
 * // => 2026-03-01T03:00:00.000Z 18
 * ```
 */
export function sync<C extends Columns = Columns>(
  options: SyncOptions | FeedSyncOptions<C>,
): SyncRun {
  const run = new Run(syncSettings(options as SyncOptions | FeedSyncOptions))
  return { summary: run.summary, [Symbol.asyncIterator]: () => run.events() }
}

/** How long a run that is stopped waits for a target. */
const STOP_MS = 800

class Run {
  readonly summary: Promise<SyncSummary>
  readonly #settings: SyncSettings
  readonly #queue = new EventQueue()
  readonly #abort = new AbortController()
  readonly #startedAt = performance.now()
  readonly #watched = new RunWatch('sync')
  #categories: readonly CategoryRun[] = []
  readonly #counts = { bytes: 0, rows: 0 }
  /** The files that this run has applied, and what was in them. */
  readonly #applied = { files: 0, rowsRead: 0, rowsLeftOut: 0, badCells: 0 }

  constructor(settings: SyncSettings) {
    this.#settings = settings
    // All downloads and merges listen to this one signal.
    setMaxListeners(0, this.#abort.signal)
    this.summary = this.#watched
      .within(() => this.#run())
      .then(
        summary => {
          const error = settings.strict ? summary.failed[0]?.error : undefined
          this.#watched.settled(true, error, () => ({ sync: syncResult(summary) }))
          if (error !== undefined) throw this.#failing(error)
          this.#queue.end()
          return summary
        },
        cause => {
          const error = asFeedError(cause, 'sync')
          this.#watched.settled(false, error, () => ({}))
          throw this.#failing(error)
        },
      )
    this.summary.catch(() => {})
  }

  /** Ends the events with the error. */
  #failing(error: FeedError): FeedError {
    this.#queue.fail(error)
    return error
  }

  async *events(): AsyncGenerator<SyncEvent, void, void> {
    try {
      yield* this.#queue.events()
    } finally {
      this.#stop(undefined)
    }
  }

  async #run(): Promise<SyncSummary> {
    const signal = listenable(this.#settings.signal)
    const onAbort = () => this.#stop(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const timer = setInterval(
      () => this.#report({ type: 'progress', ...this.#progress() }),
      this.#settings.progressMs,
    ).unref()
    try {
      if (signal?.aborted) onAbort()
      this.#abort.signal.throwIfAborted()
      const { target } = this.#settings
      // A state folder ends its own work on the disk, which would outlive its lock.
      await inTime(this.#inTarget(), target && signal, () => this.#stillIn(target!), STOP_MS)
      const progress = this.#progress()
      this.#report({ type: 'progress', ...progress })
      return { ...progress, failed: this.#categories.flatMap(({ failed }) => failed) }
    } finally {
      clearInterval(timer)
      signal?.removeEventListener('abort', onAbort)
      await this.#settings.source.close?.()
    }
  }

  async #inTarget(): Promise<void> {
    const target = await openRunTarget(this.#settings, this.#abort.signal)
    await closing(target, () => this.#synchronise(target))
  }

  /** A target is not closed under a call: it would free its lock, and the call could still write. */
  #stillIn({ name }: SyncTarget): FeedError {
    const message = `the synchronisation was stopped; ${name} has not returned from a call, and is closed when it does`
    return aborted('sync', message, this.#settings.signal?.reason)
  }

  async #synchronise(target: RunTarget): Promise<void> {
    const { source } = this.#settings
    const shared = this.#shared(target.spools)
    const opened: TargetCategory[] = []
    for (const category of source.categories) opened.push(await target.category(category))
    await source.refresh?.(this.#abort.signal, opened[0]!.files)
    const runs = opened.map(category => new CategoryRun(category, shared))
    this.#categories = runs
    for (const run of runs) await run.dropStrangeSpools()
    // All categories end before the target is closed. The run fails with the first error.
    await Promise.all(runs.map(run => run.run().catch(error => this.#end(error))))
    await Promise.all(runs.map(run => run.settled()))
    this.#abort.signal.throwIfAborted()
  }

  #shared(spools: SpoolFolder): SharedRun {
    return {
      settings: this.#settings,
      spools,
      downloads: new Semaphore(this.#settings.parallelFiles),
      // Rows are merged on this thread, so two files at a time would take twice the memory and no
      // less time.
      applying: new Semaphore(1),
      signal: this.#abort.signal,
      counts: this.#counts,
      report: event => this.#report(event),
      fail: error => this.#end(error),
    }
  }

  #report(event: SyncEvent): void {
    if (event.type === 'done') this.#count(event.entry)
    this.#queue.add(event)
  }

  #count({ rowsRead = 0, badRows, badCells = 0 }: AppliedFile): void {
    const applied = this.#applied
    applied.files++
    applied.rowsRead += rowsRead
    applied.rowsLeftOut += badRows
    applied.badCells += badCells
  }

  #progress(): SyncProgress {
    const seconds = (performance.now() - this.#startedAt) / 1000
    const categories = this.#categories.map(({ progress }) => progress)
    const left = categories.reduce((sum, { ready }) => sum + ready, 0)
    const { bytes, rows } = this.#counts
    const { files, rowsRead, rowsLeftOut, badCells } = this.#applied
    return {
      categories,
      files,
      rows,
      rowsRead,
      rowsKept: rowsRead - rowsLeftOut,
      rowsLeftOut,
      badCells,
      bytes,
      bytesPerSecond: bytes / seconds,
      seconds,
      secondsLeft: files === 0 ? undefined : (left * seconds) / files,
    }
  }

  /** Stops the run for the caller. */
  #stop(reason: unknown): void {
    this.#end(aborted('sync', 'the synchronisation was stopped', reason))
  }

  #end(error: unknown): void {
    this.#abort.abort(asFeedError(error, 'sync'))
  }
}

function syncResult({ files, failed, rows, bytes }: SyncSummary): SyncResult {
  return { files, failedFiles: failed.length, rows, bytes }
}

interface RunTarget extends Pick<OpenTarget, 'category' | 'close'> {
  readonly spools: SpoolFolder
}

function openRunTarget(settings: SyncSettings, signal: AbortSignal): Promise<RunTarget> {
  const { source, target, folder, environment, shares, keepFileBytes } = settings
  if (target !== undefined) return openGiven(settings, target, signal)
  const { changes, changeRows, keepChangeBytes } = settings
  return openStateFolder({
    folder,
    origin: source.origin,
    own: source.own,
    sortBytes: shares.sortBytes,
    environment,
    keepFileBytes,
    changes: changes === 'none' ? undefined : { changes, changeRows, keepChangeBytes },
  })
}

async function openGiven(
  settings: SyncSettings,
  target: SyncTarget,
  signal: AbortSignal,
): Promise<RunTarget> {
  const spools = await SpoolFolder.temporary(settings.spoolFolder)
  const memoryBytes = settings.shares.storeBytes
  const { origin, own } = settings.source
  const open = await orUndo(
    () => target.open({ origin: { ...origin, ...(own && { own }) }, memoryBytes, signal }),
    () => spools.removeAll(),
  )
  return {
    spools,
    category: category => open.category(category),
    close: () => closing({ close: () => spools.removeAll() }, () => open.close()),
  }
}
