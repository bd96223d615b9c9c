// The run of one category: it gets the next files from the source, fetches files ahead and applies
// them one after the other in the order of their plan. It owns its downloads and its failed
// files. All categories share the semaphores of downloads and of merges.

import { FeedError, ofRun, optionInvalid, pause, waitFor, watermarkTopic } from '../../engine/index'
import type { Fetched } from '../file/fetch-file'
import type { FileRows } from '../file/file-rows'
import {
  askedId,
  categoryKey,
  type FileId,
  fileIdKey,
  isBootstrap,
  isOwn,
  readDate,
} from '../file-id'
import type { CategoryPlan } from '../plan/calendar'
import { DAY_MS, HOUR_MS } from '../plan/calendar-files'
import type { TargetCategory } from '../target/target'
import { FileOnItsWay, type SharedRun } from './file-on-its-way'
import { type CategoryProgress, type FailedFile, publishFile } from './sync-events'

/** The most files of a category that are fetched and not in the state yet. */
const MOST_FILES_AHEAD = 256
/** How long a file that is there waits for others, which are merged with it. */
const GATHER_MS = 2_000
/** The most compressed bytes of files that become visible together. */
const MOST_BYTES_TOGETHER = 1 << 27

export class CategoryRun {
  readonly #shared: SharedRun
  readonly #target: TargetCategory
  readonly #fetches = new Map<string, FileOnItsWay>()
  /** Files that are due and that the service could not give since the last plan. */
  readonly #missing = new Map<string, FileId>()
  readonly #failed = new Map<string, FailedFile>()
  /**
   * Files that were refused because they would remove too much or have too many bad rows, and the times
   * of the bootstraps. None of them is fetched again in this run.
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
    for (let waitedMs = 0; ; ) {
      await this.#applyReady()
      await this.#forgetRemovals()
      const delayMs = this.#delayMs(waitedMs)
      if (delayMs === undefined) return
      await this.#compact()
      await pause(delayMs, this.#shared.signal)
      waitedMs += delayMs
      // Behind a refused bootstrap the service may have a newer one. A refused full file stays refused.
      for (const [key, id] of this.#missing)
        if (!isOwn(id) || !this.#refused.has(key)) this.#missing.delete(key)
      await this.#shared.settings.source.refresh?.(this.#shared.signal, this.#target.files)
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

  async #takeNext(next: FileOnItsWay): Promise<void> {
    await next.settled
    if (this.#target.takesAllFeeds) await this.#gathered()
    // A file that the service could not give is not in the next plan.
    if (next.whole === undefined) return
    // A refusal is about one file.
    if (!(await this.#apply(this.#together(next.whole)))) await this.#apply([next.whole])
  }

  /** Waits a moment for the files behind the next one: a pass over a wide table costs more. */
  async #gathered(): Promise<void> {
    const all = Promise.all([...this.#fetches.values()].map(({ settled }) => settled))
    const onLimit = () => new RangeError('others are still on their way')
    const limits = { signal: this.#shared.signal, limitMs: GATHER_MS, onLimit }
    await waitFor(all, limits).catch(() => {})
    this.#shared.signal.throwIfAborted()
  }

  /** Returns a file, and the next ones that are there and that the target takes with it. */
  #together(first: FileRows): readonly FileRows[] {
    const { applyAll, takesAllFeeds = false } = this.#target
    if (applyAll === undefined || (first.generated !== undefined && !takesAllFeeds)) return [first]
    const next = this.#plan.ready.map(id => this.#fetches.get(fileIdKey(id))?.whole)
    let bytes = 0
    const end = next.findIndex(file => {
      bytes += file?.identity.totalBytes ?? 0
      const isAlike =
        file !== undefined &&
        (takesAllFeeds || (file.id.feed === first.id.feed && file.generated === undefined))
      return !isAlike || (file !== first && bytes > MOST_BYTES_TOGETHER)
    })
    return next.slice(0, end < 0 ? undefined : end) as FileRows[]
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
    const needed = isBootstrap(id)
      ? this.#plan.needsBootstrap.find(({ feed }) => feed === id.feed)?.newerThan
      : undefined
    const newerThan = this.#refused.get(key) ?? needed
    const fetched = new FileOnItsWay(id, this.#shared, newerThan, of => this.#settle(id, of))
    this.#fetches.set(key, fetched)
    fetched.fetch()
  }

  #settle(id: FileId, fetched: Fetched): void {
    const key = fileIdKey(id)
    // A bootstrap that was refused stays failed while it is the newest one.
    if (fetched.kind !== 'missing' || !this.#refused.has(key)) this.#failed.delete(key)
    if (fetched.kind === 'whole') return
    this.#fetches.delete(key)
    // A file that has left the service while it waited for its turn is as one that it never had.
    const mayHaveLeft = fetched.kind === 'missing' || fetched.isAbsent
    if (mayHaveLeft && !this.#planned().has(key)) return
    this.#missing.set(key, id)
    if (fetched.kind === 'missing') this.#shared.report({ type: 'missing', file: id })
    else this.#fail(id, fetched.error)
  }

  #fail(file: FileId, error: FeedError): void {
    this.#failed.set(fileIdKey(file), { file, error })
    this.#shared.report({ type: 'failed', file, error })
  }

  /** Returns false, and has done nothing, where one of several files is refused. */
  async #apply(files: readonly FileRows[]): Promise<boolean> {
    const { applying, signal, spools, report } = this.#shared
    return applying.run(signal, async () => {
      for (const { id } of files) report({ type: 'applying', file: id })
      try {
        const target = this.#target
        const applied =
          files.length > 1 ? await target.applyAll!(files) : [await target.apply(files[0]!)]
        const { accept } = this.#shared.settings
        if (accept !== undefined && files.some(({ isAsked }) => !isAsked))
          throw optionInvalid('accept', 'left out beside a target that does not ask it', accept)
        for (const [n, each] of applied.entries()) {
          const entry = { ...files[n]!.counts, ...each }
          publishFile(entry, () => this.#ask().watermark)
          const file = entry.id
          if (entry.removedByBadRows) report({ type: 'removedByBadRows', file, entry })
          report({ type: 'done', file, entry })
        }
      } catch (error) {
        const spoilt = files.find(({ damage }) => damage !== undefined)
        if (spoilt !== undefined) {
          await spoilt.discard()
          this.#fetches.get(fileIdKey(askedId(spoilt.id)))!.fetch(spoilt.damage)
          return true
        }
        if (!isRefusal(error)) throw error
        if (files.length > 1) return false
        await files[0]!.discard()
        this.#refuse(files[0]!, error)
      }
      for (const { id } of files) {
        // The spool of a refused file goes too, so that a later run fetches the bootstrap again.
        await spools.remove(id)
        this.#fetches.delete(fileIdKey(askedId(id)))
      }
      return true
    })
  }

  #refuse({ id }: FileRows, refusal: FeedError): void {
    const asked = askedId(id)
    const key = fileIdKey(asked)
    this.#refused.set(key, isBootstrap(id) ? readDate(id.generation) : undefined)
    this.#missing.set(key, asked)
    this.#fail(asked, refusal)
  }

  #ask(): CategoryPlan {
    const { category, files } = this.#target
    const done = files.map(({ id }) => id)
    return this.#shared.settings.source.plan(category, done, [...this.#missing.values()])
  }

  /** Returns the keys of all files that are still wanted. */
  #planned(): ReadonlySet<string> {
    const { ready, held, waiting } = this.#ask()
    return new Set([...ready, ...held, ...waiting.map(({ id }) => id)].map(fileIdKey))
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
    for (const [key, { isSettled, whole }] of this.#fetches) {
      if (!isSettled || planned.has(key)) continue
      this.#fetches.delete(key)
      if (whole !== undefined) await this.#shared.spools.remove(whole.id)
    }
  }

  /**
   * Removes spools of earlier runs that are not needed. The caller calls it before any fetch.
   */
  async dropStrangeSpools(): Promise<void> {
    const planned = this.#planned()
    await this.#shared.spools.removeOthers(categoryKey(this.#target.category), key =>
      planned.has(key),
    )
  }

  /** Uses the pause before the next files, which `once` makes only for a short time. */
  async #compact(): Promise<void> {
    const { applying, signal, settings } = this.#shared
    if (settings.mode === 'follow')
      await applying.run(signal, async () => this.#target.compact?.(signal))
  }

  /** Forgets old removals, once for each day by which the watermark advances. */
  async #forgetRemovals(): Promise<void> {
    const { watermark } = this.#plan
    const { removalsKeptMs } = this.#shared.settings.source
    if (watermark === undefined || removalsKeptMs === undefined) return
    const before = new Date(watermark.getTime() - removalsKeptMs)
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

function isRefusal(error: unknown): error is FeedError {
  return FeedError.is(error) && /^SYNC_\w+_REFUSED$/.test(error.code)
}
