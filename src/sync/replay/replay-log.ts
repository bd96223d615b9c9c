// The changes that a replay makes to one category. They go to a sink, or to a log of their own in
// the folder `changes`, whose name sorts behind the logs of the files that were applied before. The
// committed length of the log is stored with the rows, so that each change is in it once.

import { stateChanges } from '../file/state-changes'
import type { CategoryState, ReplayedChanges } from '../folder/category-state'
import { ChangeFile, type ChangeLog, type ChangeSink, SinkLog } from '../folder/change-log'
import type { LedgerEntry } from '../folder/ledger'
import type { StateFolder } from '../folder/state-folder'

type Merged = Awaited<ReturnType<CategoryState['merge']>>

export interface ReplayLogOptions {
  readonly folder: StateFolder
  readonly category: CategoryState
  /** Takes all changes in place of the log. */
  readonly sink: ChangeSink | undefined
  /** Default: what the entry of the file says. */
  readonly changeRows: LedgerEntry['changeRows'] | undefined
}

export class ReplayLog {
  readonly #options: ReplayLogOptions
  #log: ChangeLog | undefined
  /** The number of the last file that was applied before. Undefined for a sink. */
  #after: number | undefined

  constructor(options: ReplayLogOptions) {
    this.#options = options
  }

  async add(merged: Merged, entry: LedgerEntry): Promise<void> {
    const { sink, changeRows = entry.changeRows } = this.#options
    if (sink === undefined && entry.changes === 'none') return
    const changes = stateChanges(merged, { id: entry.id, changeRows })
    if (changes.length === 0) return
    this.#log ??= sink === undefined ? await this.#open() : new SinkLog(sink)
    await this.#log.add(changes)
  }

  /** Makes the changes durable, and returns what is stored with their rows. */
  async flush(): Promise<ReplayedChanges | undefined> {
    const bytes = await this.#log?.flush()
    return bytes === undefined || this.#after === undefined
      ? undefined
      : { after: this.#after, bytes }
  }

  async close(): Promise<void> {
    await this.#log?.close()
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
    const log = await ChangeFile.open(files, path, length)
    await files.syncFolder(paths.changes)
    this.#after = after
    return log
  }

  /** Cuts off what a killed replay wrote to an earlier log without its rows. */
  async #cut({ after, bytes }: ReplayedChanges): Promise<void> {
    const { files, paths } = this.#options.folder
    const path = paths.replayFile(this.#options.category.category, after)
    const size = await files.size(path)
    if (size !== undefined && size > bytes)
      await (await ChangeFile.open(files, path, bytes)).close()
  }
}
