// The run of one category: it gets the next files from the calendar, fetches files ahead and
// applies them one after the other in the calendar's order. It owns its downloads and its failed
// files. All categories share the semaphores of downloads and of merges.

import type { Retry, Semaphore } from '../../engine/index'
import { FeedError, ofRun, pause, watermarkTopic } from '../../engine/index'
import { type Fetched, fetchFile } from '../file/fetch-file'
import { FileRows } from '../file/file-rows'
import type { ProvenFile } from '../file/finish-file'
import { publishFile } from '../file/finish-file'
import { askedId, categoryKey, type FileId, fileIdKey, isBootstrap, readDate } from '../file-id'
import { type CategoryPlan, planCategory } from '../plan/calendar'
import type { SyncSettings } from '../sync-options'
import type { SpoolFolder } from '../target/spool-folder'
import type { AppliedFile, TargetCategory } from '../target/target'
import type { CategoryProgress, FailedFile, SyncEvent } from './sync-events'

/** The most files of a category that are fetched and not in the state yet. */
const MOST_FILES_AHEAD = 256
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/**
 * Time for which removals are kept. The oldest file that can arrive is 17 days old (item-feeds.md,
 * section 6: 14 daily files, the newest three days late); the rest is a margin.
 */
const REMOVALS_KEPT_MS = 21 * DAY_MS

/** What all categories of a run share. */
export interface SharedRun {
  readonly settings: SyncSettings
  readonly spools: SpoolFolder
  readonly downloads: Semaphore
  readonly applying: Semaphore
  readonly signal: AbortSignal
  report(event: SyncEvent): void
  received(bytes: number): void
  merged(rows: number): void
  /** Counts the rows of an applied file. */
  read(file: AppliedFile): void
  /** Ends the whole run. */
  fail(error: unknown): void
}

/** A file on its way to the state. The promise never rejects. */
interface OnItsWay {
  readonly settled: Promise<void>
  proven: ProvenFile | undefined
  isSettled: boolean
}

export class CategoryRun {
  readonly #shared: SharedRun
  readonly #target: TargetCategory
  readonly #fetches = new Map<string, OnItsWay>()
  /** Files that are due and that the service could not give since the last plan. */
  readonly #missing = new Map<string, FileId>()
  readonly #failed = new Map<string, FailedFile>()
  /**
   * The times of bootstraps that were refused because they would remove too much. They are not
   * fetched again in this run.
   */
  readonly #refused = new Map<string, Date | undefined>()
  #plan: CategoryPlan
  #reportedWatermarkMs: number | undefined

  constructor(target: TargetCategory, shared: SharedRun) {
    this.#shared = shared
    this.#target = target
    this.#plan = this.#ask()
  }

  get progress(): CategoryProgress {
    const { watermark, ready, held, gone } = this.#plan
    const missing = [...this.#missing.values()]
    return {
      ...this.#target.category,
      watermark,
      done: this.#target.files.length,
      ready: ready.length + held.length,
      missing,
      gone,
      nextAt: this.#nextAt(),
    }
  }

  get failed(): readonly FailedFile[] {
    return [...this.#failed.values()]
  }

  /** Runs until `mode` leaves nothing to do. */
  async run(): Promise<void> {
    const { unfinished } = this.#target
    if (unfinished !== undefined) return this.#fail(unfinished.id, unfinished.error)
    for (let waitedMs = 0; ; ) {
      await this.#applyReady()
      await this.#compact()
      const delayMs = this.#delayMs(waitedMs)
      if (delayMs === undefined) return
      await pause(delayMs, this.#shared.signal)
      waitedMs += delayMs
      this.#missing.clear()
    }
  }

  /** Resolves when no download is under way any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#fetches.values()].map(({ settled }) => settled))
  }

  /**
   * Applies all files that the service has now, and ends when no download is under way any more.
   */
  async #applyReady(): Promise<void> {
    for (;;) {
      this.#shared.signal.throwIfAborted()
      this.#plan = this.#ask()
      this.#reportWatermark()
      await this.#dropUnplanned()
      for (const id of this.#fetchable().slice(0, MOST_FILES_AHEAD)) this.#startFetch(id)
      const { ready } = this.#plan
      const next = ready[0] && this.#fetches.get(fileIdKey(ready[0]))
      if (next !== undefined) await this.#takeNext(next)
      else if (!(await this.#anySettles())) return
    }
  }

  /**
   * Returns the files to fetch. Held files are left out while the category needs a bootstrap, which
   * may make them needless.
   */
  #fetchable(): readonly FileId[] {
    const { ready, held, needsBootstrap } = this.#plan
    return needsBootstrap.some(({ feed }) => feed === 'item') ? ready : [...ready, ...held]
  }

  async #takeNext(next: OnItsWay): Promise<void> {
    await next.settled
    // A file that the service could not give is not in the next plan.
    if (next.proven !== undefined) await this.#apply(next.proven)
  }

  /** Waits for the next download. Returns false where none is under way. */
  async #anySettles(): Promise<boolean> {
    const pending = [...this.#fetches.values()].filter(({ isSettled }) => !isSettled)
    if (pending.length === 0) return false
    await Promise.race(pending.map(({ settled }) => settled))
    return true
  }

  #startFetch(id: FileId): void {
    const key = fileIdKey(id)
    if (this.#fetches.has(key)) return
    const { downloads, signal, fail } = this.#shared
    const fetching = downloads.run(signal, () => this.#fetch(id))
    const onItsWay: OnItsWay = { settled: Promise.resolve(), proven: undefined, isSettled: false }
    const settled = fetching.then(fetched => this.#settle(id, onItsWay, fetched), fail)
    this.#fetches.set(key, Object.assign(onItsWay, { settled }))
  }

  async #fetch(id: FileId): Promise<Fetched> {
    const { spools, settings, signal, received, report } = this.#shared
    const { service, shares, now } = settings
    const retry = {
      ...settings.retry,
      onRetry: (failure: Retry) => {
        report({ type: 'retry', file: id, ...failure })
        settings.retry.onRetry?.(failure)
      },
    }
    const needed = isBootstrap(id)
      ? this.#plan.needsBootstrap.find(({ feed }) => feed === id.feed)?.newerThan
      : undefined
    const newerThan = this.#refused.get(fileIdKey(id)) ?? needed
    const ranges = {
      chunkBytes: shares.chunkBytes,
      windowBytes: shares.windowBytes,
      concurrency: shares.rangesAtOnce,
      ...settings.ranges,
      retry: { ...retry, ...settings.ranges.retry },
    }
    report({ type: 'fetching', file: id })
    const spool = await spools.open(id, shares.pieceBytes)
    try {
      return await fetchFile(id, spool, {
        service,
        ranges,
        now,
        signal,
        retry,
        newerThan,
        until: settings.until,
        onBytes: received,
      })
    } finally {
      await spool.close()
    }
  }

  #settle(id: FileId, onItsWay: OnItsWay, fetched: Fetched): void {
    const { report } = this.#shared
    const key = fileIdKey(id)
    onItsWay.isSettled = true
    // A bootstrap that was refused stays failed while it is the newest one.
    if (fetched.kind !== 'missing' || !this.#refused.has(key)) this.#failed.delete(key)
    if (fetched.kind === 'proven') {
      onItsWay.proven = fetched.file
      report({ type: 'proven', file: fetched.file.id })
      return
    }
    this.#fetches.delete(key)
    this.#missing.set(key, id)
    if (fetched.kind === 'missing') report({ type: 'missing', file: id })
    else this.#fail(id, fetched.error)
  }

  #fail(file: FileId, error: FeedError): void {
    this.#failed.set(fileIdKey(file), { file, error })
    this.#shared.report({ type: 'failed', file, error })
  }

  async #apply(file: ProvenFile): Promise<void> {
    const { applying, signal, spools, settings, merged, report } = this.#shared
    await applying.run(signal, async () => {
      const { maxRemovedShare, quarantineFolder } = settings
      const rows = new FileRows(file, {
        spools,
        maxRemovedShare,
        quarantineFolder,
        signal,
        onRows: merged,
      })
      report({ type: 'applying', file: file.id })
      try {
        const applied = await this.#target.apply(rows)
        const entry = { ...rows.counts, ...applied }
        this.#shared.read(entry)
        publishFile(entry, () => this.#ask().watermark)
        report({ type: 'done', file: file.id, entry })
      } catch (error) {
        if (!isRefusal(error)) throw error
        this.#refuse(file, error)
      }
      // The spool of a refused file goes too, so that a later run fetches the bootstrap again.
      await spools.remove(file.id)
    })
    this.#fetches.delete(fileIdKey(askedId(file.id)))
  }

  #refuse({ id }: ProvenFile, refusal: FeedError): void {
    const asked = askedId(id)
    const key = fileIdKey(asked)
    this.#refused.set(key, isBootstrap(id) ? readDate(id.generation) : undefined)
    this.#missing.set(key, asked)
    this.#fail(asked, refusal)
  }

  #ask(): CategoryPlan {
    const { now, until, limits } = this.#shared.settings
    const { category, files } = this.#target
    const missing = [...this.#missing.values()]
    return planCategory({
      ...category,
      now: new Date(now()),
      done: files.map(({ id }) => id),
      missing,
      limits,
      ...(until && { until }),
    })
  }

  #reportWatermark(): void {
    const { watermark } = this.#plan
    if (watermark === undefined || watermark.getTime() === this.#reportedWatermarkMs) return
    this.#reportedWatermarkMs = watermark.getTime()
    const { category } = this.#target
    this.#shared.report({ type: 'watermark', category, watermark })
    if (watermarkTopic.hasSubscribers)
      watermarkTopic.publish({ ...ofRun(), ...category, watermark })
  }

  /** Removes files that were fetched ahead and that a newer bootstrap has made needless. */
  async #dropUnplanned(): Promise<void> {
    const planned = new Set(this.#fetchable().map(fileIdKey))
    for (const [key, { isSettled, proven }] of this.#fetches) {
      if (!isSettled || planned.has(key)) continue
      this.#fetches.delete(key)
      if (proven !== undefined) await this.#shared.spools.remove(proven.id)
    }
  }

  /**
   * Removes spools of earlier runs that the calendar does not need. The caller calls it before any
   * fetch.
   */
  async dropStrangeSpools(): Promise<void> {
    if (this.#target.unfinished !== undefined) return
    const { ready, held, waiting } = this.#ask()
    const planned = new Set([...ready, ...held, ...waiting.map(({ id }) => id)].map(fileIdKey))
    await this.#shared.spools.removeOthers(categoryKey(this.#target.category), key =>
      planned.has(key),
    )
  }

  /** Forgets old removals, once for each day by which the watermark advances. */
  async #compact(): Promise<void> {
    const { watermark } = this.#plan
    if (watermark === undefined) return
    const before = new Date(watermark.getTime() - REMOVALS_KEPT_MS)
    const [oldest] = this.#target.files
    const since = (await this.#target.removalsForgotten()) ?? readDate(oldest?.lastModified)
    if (since !== undefined && before.getTime() - since.getTime() >= DAY_MS)
      await this.#target.forgetRemovals(before)
  }

  /** Returns the time of the next file, or of the next request for a missing one. */
  #nextAt(): Date | undefined {
    const { pollMs, now } = this.#shared.settings
    const { waiting } = this.#plan
    if (waiting.length === 0) return undefined
    const times = waiting.map(({ from }) => from?.getTime() ?? now() + pollMs)
    return new Date(Math.min(...times))
  }

  /** Returns the delay until the next plan; undefined where the run ends. */
  #delayMs(waitedMs: number): number | undefined {
    const { mode, until, pollMs, waitLimitMs, now } = this.#shared.settings
    const { waiting, watermark } = this.#plan
    const isOverdue = waiting.some(({ from }) => from === undefined)
    if (mode === 'once')
      return isOverdue && waitedMs < waitLimitMs
        ? Math.min(pollMs, waitLimitMs - waitedMs)
        : undefined
    if (
      until !== undefined &&
      watermark !== undefined &&
      until.getTime() - watermark.getTime() < HOUR_MS
    )
      return undefined
    const next =
      Math.min(...waiting.map(({ from }) => from?.getTime() ?? Number.POSITIVE_INFINITY)) - now()
    return isOverdue ? pollMs : Math.max(1, Math.min(pollMs, next))
  }
}

function isRefusal(error: unknown): error is FeedError<'SYNC_REMOVAL_REFUSED'> {
  return FeedError.is(error) && error.code === 'SYNC_REMOVAL_REFUSED'
}
