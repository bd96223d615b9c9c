// The log of the changes that replays make. Its name sorts behind the logs of the files that were
// applied before. Its committed length is in the manifest, so that each change is in it once.

import type { DurableFiles } from '../../engine/index'
import type { Category } from '../file-id'
import {
  type ChangeFile,
  type ChangeSink,
  openChangeFile,
  type StateChange,
} from '../folder/change-log'
import type { StatePaths } from '../folder/state-paths'
import type { Manifest, ReplayedChanges } from './manifest'

/** The category whose changes are in a log. */
export interface ReplayedCategory {
  readonly category: Category
  readonly manifest: Manifest
  /** Says which log a replay uses. */
  setReplayed(replayed: ReplayedChanges): Promise<void>
}

export type ReplayLog = ReturnType<typeof replayLog>

/** @param sink takes all changes in place of the log */
export function replayLog(
  files: DurableFiles,
  paths: StatePaths,
  runs: ReplayedCategory,
  sink: ChangeSink | undefined,
) {
  const after = runs.manifest.files.at(-1)?.sequence ?? 0
  let file: ChangeFile | undefined
  /** The changes that a sink takes before their rows are committed. */
  let waiting: StateChange[] = []
  /** Cuts off what a killed replay wrote to an earlier log without its rows. */
  const cut = async ({ after, bytes }: ReplayedChanges) => {
    const path = paths.replayFile(runs.category, after)
    const size = await files.size(path)
    if (size !== undefined && size > bytes) await (await openChangeFile(files, path, bytes)).close()
  }
  const open = async () => {
    await files.makeFolder(paths.changes)
    const last = runs.manifest.replayed
    const path = paths.replayFile(runs.category, after)
    if (last !== undefined && last.after !== after) await cut(last)
    // A reader may have taken the log away. Its place in the order stays.
    const isThere = (await files.size(path)) !== undefined
    const length = last?.after === after && isThere ? last.bytes : 0
    // The state knows of the log before the log is there, so that the next replay cuts off what a
    // killed one wrote to it.
    await runs.setReplayed({ after, bytes: length })
    const log = await openChangeFile(files, path, length)
    await files.syncFolder(paths.changes)
    return log
  }
  return {
    async add(changes: readonly StateChange[]): Promise<void> {
      if (sink !== undefined) waiting.push(...changes)
      else await (file ??= await open()).add(changes)
    },
    /** Makes durable what was added. Returns what is to be stored with the rows. */
    async flush(): Promise<ReplayedChanges | undefined> {
      const told = waiting
      waiting = []
      if (told.length > 0) await sink!.write(told)
      return file && { after, bytes: await file.flush() }
    },
    close: async () => file?.close(),
  }
}
