// The run of one category: it gets the next files from the calendar, fetches files ahead and
// applies them one after the other in the calendar's order. It owns its downloads and its failed
// files. All categories share the semaphores of downloads and of merges.

import { join } from 'node:path'
import { watermarkTopic } from '../../diagnostics/channels'
import { ofRun } from '../../diagnostics/run-watch'
import type { FeedError } from '../../errors'
import type { Retry } from '../../stages/range/retries'
import type { Semaphore } from '../../stages/semaphore'
import { pause } from '../../stages/wait'
import { askedId, isBootstrap, readDate } from '../feed-files'
import { type Fetched, fetchFile } from '../file/fetch-file'
import { commitFile, type FinishOptions, finishFile, type ProvenFile } from '../file/finish-file'
import { removalRefusal } from '../file/removal-check'
import { Spool, spooledFile } from '../file/spool'
import { categoryKey, type FileId, fileIdKey } from '../file-id'
import type { CategoryState } from '../folder/category-state'
import type { ChangeTarget } from '../folder/ledger'
import type { StateFolder } from '../folder/state-folder'
import { type CategoryPlan, planCategory } from '../plan/calendar'
import type { SyncSettings } from '../sync-options'
import type { CategoryProgress, FailedFile, SyncEvent } from './sync-events'

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
  readonly folder: StateFolder
  readonly finish: FinishOptions
  readonly downloads: Semaphore
  readonly applying: Semaphore
  readonly signal: AbortSignal
  report(event: SyncEvent): void
  received(bytes: number): void
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
  readonly #state: CategoryState
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

  constructor(state: CategoryState, shared: SharedRun) {
    this.#shared = shared
    this.#state = state
    this.#plan = this.#ask()
  }

  get progress(): CategoryProgress {
    const { watermark, ready, held, gone } = this.#plan
    const missing = [...this.#missing.values()]
    return {
      ...this.#state.category,
      watermark,
      done: this.#state.ledger.done.length,
      ready: ready.length + held.length,
      missing,
      gone,
    }
  }

  get failed(): readonly FailedFile[] {
    return [...this.#failed.values()]
  }

  /** Runs until `mode` leaves nothing to do. */
  async run(): Promise<void> {
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
      for (const id of this.#fetchable().slice(0, this.#shared.settings.filesAhead))
        this.#startFetch(id)
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
    const { folder, settings, signal, received, report } = this.#shared
    const { service, shares, now } = settings
    const retry = {
      ...settings.retry,
      onRetry: (failure: Retry) => report({ type: 'retry', file: id, ...failure }),
    }
    const needed = isBootstrap(id)
      ? this.#plan.needsBootstrap.find(({ feed }) => feed === id.feed)?.newerThan
      : undefined
    const newerThan = this.#refused.get(fileIdKey(id)) ?? needed
    const ranges = {
      chunkBytes: shares.chunkBytes,
      windowBytes: shares.windowBytes,
      concurrency: shares.rangesAtOnce,
      ...retry,
      ...settings.ranges,
    }
    report({ type: 'fetching', file: id })
    const options = {
      files: folder.files,
      folder: folder.paths.spool(id),
      key: fileIdKey(id),
      pieceBytes: shares.pieceBytes,
    }
    const spool = await Spool.open(options)
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
    const { applying, signal, folder, finish, settings, report } = this.#shared
    const { maxRemovedShare } = settings
    await applying.run(signal, async () => {
      const refusal = await removalRefusal(folder, this.#state, file, { maxRemovedShare, signal })
      if (refusal !== undefined) return this.#refuse(file, refusal)
      const entry = await commitFile(this.#state, file, {
        changes: changeTarget(settings.changes),
        keep: settings.keepFileBytes > 0,
      })
      report({ type: 'applying', file: file.id, entry })
      const watermark = () => this.#ask().watermark
      const done = await finishFile(folder, this.#state, entry, { ...finish, watermark })
      report({ type: 'done', file: file.id, entry: done })
    })
    this.#fetches.delete(fileIdKey(askedId(file.id)))
  }

  async #refuse(file: ProvenFile, refusal: FeedError): Promise<void> {
    const { files, paths } = this.#shared.folder
    const id = askedId(file.id)
    const key = fileIdKey(id)
    this.#refused.set(key, isBootstrap(file.id) ? readDate(file.id.generation) : undefined)
    this.#missing.set(key, id)
    // The spool is removed, so that a later run fetches the bootstrap again.
    await files.remove(paths.spool(file.id))
    this.#fail(id, refusal)
  }

  #ask(): CategoryPlan {
    const { now, until, limits } = this.#shared.settings
    const { category, ledger } = this.#state
    const missing = [...this.#missing.values()]
    return planCategory({
      ...category,
      now: new Date(now()),
      done: ledger.done,
      missing,
      limits,
      ...(until && { until }),
    })
  }

  #reportWatermark(): void {
    const { watermark } = this.#plan
    if (watermark === undefined || watermark.getTime() === this.#reportedWatermarkMs) return
    this.#reportedWatermarkMs = watermark.getTime()
    const { category } = this.#state
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
      if (proven !== undefined)
        await this.#shared.folder.files.remove(this.#shared.folder.paths.spool(proven.id))
    }
  }

  /**
   * Removes spools of earlier runs that the calendar does not need. The caller calls it before any
   * fetch.
   */
  async dropStrangeSpools(): Promise<void> {
    const { files, paths } = this.#shared.folder
    const { ready, held, waiting } = this.#ask()
    const planned = new Set([...ready, ...held, ...waiting.map(({ id }) => id)].map(fileIdKey))
    for (const name of await files.list(paths.spools)) {
      const spooled = await spooledFile(files, join(paths.spools, name))
      const isOthers = spooled?.key.startsWith(categoryKey(this.#state.category)) === false
      if (!isOthers && !planned.has(spooled?.key ?? ''))
        await files.remove(join(paths.spools, name))
    }
  }

  /** Forgets old removals, once for each day by which the watermark advances. */
  async #compact(): Promise<void> {
    const { watermark } = this.#plan
    if (watermark === undefined) return
    const before = new Date(watermark.getTime() - REMOVALS_KEPT_MS)
    const [oldest] = this.#state.ledger.entries
    const since = (await this.#state.compacted()) ?? readDate(oldest?.lastModified)
    if (since !== undefined && before.getTime() - since.getTime() >= DAY_MS)
      await this.#state.compact(before)
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

function changeTarget(changes: SyncSettings['changes']): ChangeTarget {
  return typeof changes === 'object' ? 'sink' : changes
}
