// The changes of the files of a folder of runs, in the logs and with the lines of a state folder. A
// log is written beside its place. The manifest then says how long it is, and only then it gets its
// name. So each change is in the logs once, wherever the process is killed.

import type { DurableFiles } from '../../engine/index'
import type { RowChange } from '../../state/index'
import { dropOldest } from '../file/kept-files'
import { type Category, isBootstrap, isOwn } from '../file-id'
import { type ChangeSink, openChangeFile, stateChanges } from '../folder/change-log'
import type { StatePaths } from '../folder/state-paths'
import type { AppliedFile } from '../target/target'
import type { RunsEntry } from './ledger'
import { tableOf } from './manifest'
import { type ReplayedCategory, type ReplayLog, replayLog } from './replay-log'

const PARTIAL = '.partial'

export interface ChangeSettings {
  readonly changes: 'files' | ChangeSink
  /** Default: those that an earlier run wanted for the file, and otherwise `after`. */
  readonly changeRows?: 'after' | 'both' | undefined
  /** Limit of the bytes of logs; the oldest are removed first. Undefined removes none. */
  readonly keepChangeBytes?: number | undefined
}

/** Calls `take` with all changes of a file. */
type Tell = (
  isBeforeWanted: boolean,
  take: (changes: readonly RowChange[]) => Promise<void>,
) => Promise<void>

export type FileChanges = ReturnType<typeof fileChanges>

export function fileChanges(
  files: DurableFiles,
  paths: StatePaths,
  settings: ChangeSettings | undefined,
) {
  const open = async (entry: RunsEntry) => {
    await files.makeFolder(paths.changes)
    const log = await openChangeFile(files, paths.changeFile(entry) + PARTIAL, 0)
    await files.syncFolder(paths.changes)
    return log
  }
  /** Gives the log of an applied file its name. */
  const publish = async (entry: RunsEntry) => {
    if (entry.changeBytes === undefined) return
    const path = paths.changeFile(entry)
    await files.rename(path + PARTIAL, path)
    await files.syncFolder(paths.changes)
    const { keepChangeBytes } = settings ?? {}
    if (keepChangeBytes === undefined || entry.changeBytes === 0) return
    await dropOldest(files, await paths.changeLogs(files, entry.id), keepChangeBytes)
  }
  return {
    settings,
    publish,
    /** Gives the last log its name, and removes a log whose file was not applied. */
    async settle(category: Category, last: RunsEntry | undefined): Promise<void> {
      for (const path of await paths.changeLogs(files, category)) {
        if (!path.endsWith(PARTIAL)) continue
        const isLast = last !== undefined && path === paths.changeFile(last) + PARTIAL
        if (isLast && last.changeBytes !== undefined) await publish(last)
        else await files.remove(path)
      }
    },
    /**
     * Writes the changes of a file that is not in the manifest yet.
     * @param before the files before
     * @returns the entry with what it says of its changes
     */
    async record(entry: RunsEntry, before: readonly RunsEntry[], tell: Tell): Promise<RunsEntry> {
      if (settings === undefined) return entry
      const { changes, changeRows = 'after' } = settings
      if (isBeginning(before, entry)) return { ...entry, changeRows }
      const part = tableOf(entry.id)
      const log = changes === 'files' ? await open(entry) : undefined
      try {
        await tell(changeRows === 'both', async rows => {
          const parts = rows.map(row => ({ ...row, part }))
          const told = stateChanges(parts, { id: entry.id, changeRows })
          await (changes === 'files' ? log!.add(told) : changes.write(told))
        })
        return { ...entry, changeRows, ...(log && { changeBytes: await log.flush() }) }
      } finally {
        await log?.close()
      }
    },
    /** The rows that the changes of a replay into a file have; undefined where none are wanted. */
    rowsOfReplay(entry: RunsEntry): RunsEntry['changeRows'] {
      const { changes = 'files', changeRows = entry.changeRows } = settings ?? {}
      if (changes !== 'files') return changeRows ?? 'after'
      return entry.changeRows && changeRows
    },
    /** Returns the log of a replay. */
    replayLog(runs: ReplayedCategory): ReplayLog {
      const { changes } = settings ?? {}
      return replayLog(files, paths, runs, changes === 'files' ? undefined : changes)
    },
  }
}

/** True where a file is the first with all items, all groups or all rows of its category. */
function isBeginning(files: readonly AppliedFile[], { id }: AppliedFile): boolean {
  if (isOwn(id)) return id.kind === 'full' && files.length === 0
  return isBootstrap(id) && !files.some(other => other.id.feed === id.feed && isBootstrap(other.id))
}
