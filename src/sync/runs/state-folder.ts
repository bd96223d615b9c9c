// A state folder as the target of a run: a folder for each category, with its manifest and its runs,
// the files that are being fetched, and those that are kept.

import { join } from 'node:path'
import { type DurableFiles, orUndo } from '../../engine/index'
import { clearUp, clearUpLate } from '../file/kept-files'
import type { RowRules } from '../file/row-rules'
import { type Category, categoryKey } from '../file-id'
import { type Environment, machineEnvironment } from '../folder/environment'
import { heldFiles } from '../folder/folder-lock'
import {
  originMismatch,
  readMarker,
  type StatePaths,
  statePaths,
  writeMarker,
} from '../folder/state-paths'
import { SpoolFolder, spoolName } from '../target/spool-folder'
import type { OpenTarget, StateOrigin } from '../target/target'
import { CategoryRuns } from './category-runs'
import { type ChangeSettings, fileChanges } from './file-changes'
import { MANIFEST, readManifest } from './manifest'

export interface StateFolderOptions {
  readonly folder: string
  /** Undefined for a folder that has one. */
  readonly origin: StateOrigin | undefined
  /** What the rows of a feed of one's own are. */
  readonly own?: RowRules | undefined
  /** Bytes of rows that are sorted at once. */
  readonly sortBytes: number
  readonly environment?: Environment | undefined
  readonly keepFileBytes?: number
  /** Default: no change is recorded. */
  readonly changes?: ChangeSettings | undefined
}

/**
 * Opens a state folder for writing, and clears up what an earlier run left.
 * @throws FeedError STATE_LOCKED, STATE_FOREIGN, STATE_CORRUPT, STATE_IO
 */
export async function openStateFolder({
  folder,
  origin,
  own,
  sortBytes,
  environment = machineEnvironment,
  keepFileBytes = 0,
  changes,
}: StateFolderOptions) {
  const paths = statePaths(folder)
  await environment.files.makeFolder(folder)
  const lock = await environment.lockFolder(folder)
  const files = heldFiles(environment.files, lock)
  const spools = new SpoolFolder(files, paths.spools)
  const places = { files, paths, spools, keepFileBytes }
  const open = new Map<string, CategoryRuns>()
  const category = async (wanted: Category): Promise<CategoryRuns> => {
    const key = categoryKey(wanted)
    const opened = open.get(key)
    if (opened !== undefined) return opened
    const runs = await CategoryRuns.open(wanted, {
      files,
      folder: paths.runsOf(wanted),
      own,
      changes: fileChanges(files, paths, changes),
      sortBytes,
      onApplied: (entry, all) => clearUp(places, all, entry),
    })
    open.set(key, runs)
    const spooled = await spools.names()
    // A synchronisation that was killed has left the spools of applied files.
    for (const entry of runs.files)
      if (spooled.has(spoolName(entry.id))) await clearUpLate(places, runs.files, entry)
    return runs
  }
  await orUndo(
    () => settleOrigin(files, paths, origin),
    () => lock.release(),
  )
  return {
    files,
    spools,
    category,
    /** Returns a category that is there. */
    known: async (wanted: Category): Promise<CategoryRuns | undefined> => {
      const isThere = (await files.size(join(paths.runsOf(wanted), MANIFEST))) !== undefined
      return isThere ? category(wanted) : undefined
    },
    close: async () => {
      try {
        for (const runs of open.values()) await runs.close()
      } finally {
        await lock.release()
      }
    },
  } satisfies OpenTarget & Record<string, unknown>
}

/**
 * Makes the folder one of `origin`. A folder without any applied file may become one of another
 * origin.
 */
async function settleOrigin(
  files: DurableFiles,
  paths: StatePaths,
  origin: StateOrigin | undefined,
): Promise<void> {
  const found = await readMarker(files, paths)
  if (origin === undefined) return
  if (found !== undefined) {
    const mismatch = originMismatch(paths, found, origin)
    if (mismatch === undefined) return
    for (const name of await files.list(paths.runs)) {
      const manifest = await readManifest(files, join(paths.runs, name, MANIFEST))
      if (manifest !== undefined && manifest.files.length > 0) throw mismatch
    }
  }
  // Spools without runs are those of a damaged folder.
  await files.remove(paths.spools)
  await files.remove(paths.runs)
  await writeMarker(files, paths, origin)
}
