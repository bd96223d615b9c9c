// The log of the changes that replays make. Its name sorts behind the logs of the files that were
// applied before. Its committed length is stored with the rows, so that each change is in it once.

import type { DurableFiles } from '../../engine/index'
import type { Category } from '../file-id'
import {
  type ChangeLog,
  type ChangeSink,
  openChangeFile,
  type StateChange,
  sinkLog,
} from './change-log'
import type { StatePaths } from './state-paths'

/** The newest log of the changes that replays made. */
export interface ReplayedChanges {
  /** The number of the last file that was applied before the replay. */
  readonly after: number
  /** Bytes of the log that belong to the merged rows. */
  readonly bytes: number
}

export interface ReplayLogOptions {
  readonly files: DurableFiles
  readonly paths: StatePaths
  readonly category: Category
  /** The number of the last file that was applied before. */
  readonly after: number
  /** Takes all changes in place of the log. */
  readonly sink: ChangeSink | undefined
  /** Returns the log of the newest replay that made changes. */
  replayed(): Promise<ReplayedChanges | undefined>
  /** Writes at once which log the replay uses, and none of the rows that wait for a commit. */
  writeReplayed(replayed: ReplayedChanges): Promise<void>
}

export class ReplayLog {
  readonly #options: ReplayLogOptions
  #log: ChangeLog | undefined

  constructor(options: ReplayLogOptions) {
    this.#options = options
  }

  async add(changes: readonly StateChange[]): Promise<void> {
    if (changes.length === 0) return
    const { sink } = this.#options
    this.#log ??= sink === undefined ? await this.#open() : sinkLog(sink)
    await this.#log.add(changes)
  }

  /** Makes durable what was added. Returns what is to be stored with the rows. */
  async flush(): Promise<ReplayedChanges | undefined> {
    const bytes = await this.#log?.flush()
    const { sink, after } = this.#options
    return bytes === undefined || sink !== undefined ? undefined : { after, bytes }
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }

  async #open(): Promise<ChangeLog> {
    const { files, paths, category, after, ...store } = this.#options
    await files.makeFolder(paths.changes)
    const last = await store.replayed()
    const path = paths.replayFile(category, after)
    if (last !== undefined && last.after !== after) await this.#cut(last)
    // A reader may have taken the log away. Its place in the order stays.
    const isThere = (await files.size(path)) !== undefined
    const length = last?.after === after && isThere ? last.bytes : 0
    // The state knows of the log before the log is there, so that the next replay cuts off what a
    // killed one wrote to it.
    await store.writeReplayed({ after, bytes: length })
    const log = await openChangeFile(files, path, length)
    await files.syncFolder(paths.changes)
    return log
  }

  /** Cuts off what a killed replay wrote to an earlier log without its rows. */
  async #cut({ after, bytes }: ReplayedChanges): Promise<void> {
    const { files, paths, category } = this.#options
    const path = paths.replayFile(category, after)
    const size = await files.size(path)
    if (size !== undefined && size > bytes) await (await openChangeFile(files, path, bytes)).close()
  }
}
