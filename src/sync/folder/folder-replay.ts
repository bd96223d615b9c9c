// A replay into one category of a state folder. Its changes go to a sink, or to a log of their own
// in the folder `changes`, whose name sorts behind the logs of the files that were applied before.
// The committed length of the log is stored with the rows, so that each change is in it once.

import { isBootstrap, readDate } from '../file-id'
import type { AppliedFile, CategoryReplay, ReplayedRows, TargetRows } from '../target/target'
import type { CategoryChange, CategoryState, ReplayedChanges } from './category-state'
import {
  type ChangeLog,
  type ChangeSink,
  openChangeFile,
  sinkLog,
  stateChanges,
} from './change-log'
import type { LedgerEntry } from './ledger'
import type { StateFolder } from './state-folder'

export interface FolderReplayOptions {
  readonly folder: StateFolder
  readonly category: CategoryState
  /** Bytes of rows that are gathered before a commit. */
  readonly commitBytes: number
  /** Takes all changes in place of the log. */
  readonly sink?: ChangeSink | undefined
  /** Default: what the entry of the file says. */
  readonly changeRows: LedgerEntry['changeRows'] | undefined
}

export class FolderReplay implements CategoryReplay {
  readonly #options: FolderReplayOptions
  /** The time before which rows cannot be put in order. */
  readonly #forgottenMs: number
  /** The file of the rows that wait for a commit. */
  #entry: LedgerEntry | undefined
  #log: ChangeLog | undefined
  /** The number of the last file that was applied before. Undefined for a sink. */
  #after: number | undefined

  private constructor(options: FolderReplayOptions, forgottenMs: number) {
    this.#options = options
    this.#forgottenMs = forgottenMs
  }

  static async begin(options: FolderReplayOptions): Promise<FolderReplay> {
    const forgotten = await options.category.compacted()
    return new FolderReplay(options, forgotten?.getTime() ?? Number.NEGATIVE_INFINITY)
  }

  async merge({ id }: AppliedFile, { batch, keys, heads }: TargetRows): Promise<ReplayedRows> {
    const { category, commitBytes } = this.#options
    const entry = category.ledger.get(id)!
    if (entry !== this.#entry) await this.commit()
    this.#entry = entry
    const times = heads.map(({ version }) => version.timeMs)
    const keptMs = Math.max(this.#forgottenMs, sweptMs(category, entry))
    let n = 0
    const rows = batch.select(() => times[n++]! >= keptMs)
    // The file itself has removed the items that seemed to be absent from it.
    const generated = isBootstrap(id) ? readDate(id.generation ?? entry.lastModified) : undefined
    if (isBootstrap(id) && generated !== undefined)
      await category.unsweep(
        id.feed,
        keys.filter((_, row) => times[row]! >= keptMs),
        generated,
      )
    const changes = await category.merge(rows, { winsTies: true })
    await this.#record(changes, entry)
    if (category.gatheredBytes >= commitBytes) await this.commit()
    const tooOld = times.flatMap((time, row) => (time < this.#forgottenMs ? [row] : []))
    const merged = changes.filter(({ kind }) => kind !== 'stale' && kind !== 'unchanged').length
    return { merged, stale: keys.length - merged - tooOld.length, tooOld }
  }

  async commit(): Promise<void> {
    if (this.#entry === undefined) return
    const bytes = await this.#log?.flush()
    const after = this.#after
    const replayed = bytes === undefined || after === undefined ? undefined : { after, bytes }
    await this.#options.category.commit(this.#entry, { sync: true, replayed })
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }

  async #record(merged: readonly CategoryChange[], entry: LedgerEntry): Promise<void> {
    const { sink, changeRows = entry.changeRows } = this.#options
    if (sink === undefined && entry.changes === 'none') return
    const changes = stateChanges(merged, { id: entry.id, changeRows })
    if (changes.length === 0) return
    this.#log ??= sink === undefined ? await this.#open() : sinkLog(sink)
    await this.#log.add(changes)
  }

  async #open(): Promise<ChangeLog> {
    const { folder, category } = this.#options
    const { files, paths } = folder
    const after = category.ledger.nextSequence - 1
    await files.makeFolder(paths.changes)
    const last = await category.replayed()
    const path = paths.replayFile(category.category, after)
    if (last !== undefined && last.after !== after) await this.#cut(last)
    // A reader may have taken the log away. Its place in the order stays.
    const isThere = (await files.size(path)) !== undefined
    const length = last?.after === after && isThere ? last.bytes : 0
    // The state knows of the log before the log is there, so that the next replay cuts off what a
    // killed one wrote to it.
    await category.writeReplayed({ after, bytes: length })
    const log = await openChangeFile(files, path, length)
    await files.syncFolder(paths.changes)
    this.#after = after
    return log
  }

  /** Cuts off what a killed replay wrote to an earlier log without its rows. */
  async #cut({ after, bytes }: ReplayedChanges): Promise<void> {
    const { files, paths } = this.#options.folder
    const path = paths.replayFile(this.#options.category.category, after)
    const size = await files.size(path)
    if (size !== undefined && size > bytes) await (await openChangeFile(files, path, bytes)).close()
  }
}

/** The time of the newest bootstrap that was applied later: it lacks the older rows. */
function sweptMs({ ledger }: CategoryState, { id, sequence }: LedgerEntry): number {
  const swept = id.feed === 'item_snapshot' ? 'item' : id.feed
  const later = ledger.entries.flatMap(entry => {
    if (!isBootstrap(entry.id) || entry.id.feed !== swept || entry.sequence <= sequence) return []
    const generated = readDate(entry.id.generation ?? entry.lastModified)
    return generated === undefined ? [] : [generated.getTime()]
  })
  return Math.max(Number.NEGATIVE_INFINITY, ...later)
}
