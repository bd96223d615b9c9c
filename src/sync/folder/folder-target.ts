// A state folder as the target of a run. It merges the rows of a file in several commits, and its
// next owner finishes a file that was begun, so the run reads the rows from where it stopped.

import { type FeedError, familyOf } from '../../engine/index'
import {
  commitFile,
  type FinishOptions,
  finishFile,
  finishFolder,
  type UnfinishedFile,
} from '../file/finish-file'
import { checkRemovals } from '../file/removal-check'
import { type Category, categoryKey } from '../file-id'
import type { OpenTarget, TargetCategory } from '../target/target'
import type { CategoryState } from './category-state'
import { FolderReplay } from './folder-replay'
import type { LedgerEntry } from './ledger'
import { openStateFolder, type StateFolder, type StateFolderOptions } from './state-folder'

export interface FolderTargetOptions extends StateFolderOptions {
  readonly finish: FinishOptions
  /** Returns true for a failure to finish a file that closes its category only. */
  readonly isOfFile?: (error: FeedError) => boolean
  /** The rows that the changes of a replay have. Default: those that the file of the row wants. */
  readonly changeRows?: LedgerEntry['changeRows'] | undefined
  /** How new files are applied; a replay applies none. */
  readonly apply?: ApplySettings
}

interface ApplySettings {
  readonly maxRemovedShare: number
  /** What the entry of a file says about its changes, its bytes and its bad rows. */
  readonly settled: Parameters<typeof commitFile>[2]
}

/** Opens the folder and finishes what an earlier run left. @throws as openStateFolder */
export async function openFolderTarget(options: FolderTargetOptions) {
  const folder = await openStateFolder(options)
  const { finish, isOfFile = isDamage } = options
  const unfinished = await finishFolder(folder, finish, isOfFile).catch(async error => {
    // The run fails with the first failure.
    await folder.close().catch(() => {})
    throw error
  })
  const categories = new Map<string, TargetCategory>()
  const categoryOf = (state: CategoryState): TargetCategory => {
    const key = categoryKey(state.category)
    const category =
      categories.get(key) ?? folderCategory(folder, state, options, unfinished.get(key))
    categories.set(key, category)
    return category
  }
  return {
    spools: folder.spools,
    files: folder.files,
    category: async (category: Category) => categoryOf(await folder.category(category)),
    /** Returns a category that is there. */
    known: (category: Category): TargetCategory | undefined => {
      const key = categoryKey(category)
      const state = folder.categories.find(each => categoryKey(each.category) === key)
      return state && categoryOf(state)
    },
    close: () => folder.close(),
  } satisfies OpenTarget & Record<string, unknown>
}

/** A full disk, or a sink of changes that fails, is a failure of the whole run. */
function isDamage({ code }: FeedError): boolean {
  return code === 'STATE_CORRUPT' || familyOf(code) === 'row'
}

function folderCategory(
  folder: StateFolder,
  state: CategoryState,
  { apply, finish, changeRows }: FolderTargetOptions,
  unfinished: UnfinishedFile | undefined,
): TargetCategory {
  return {
    unfinished,
    category: state.category,
    get files() {
      return state.ledger.entries.filter(entry => entry.state === 'done')
    },
    async apply(file) {
      const { maxRemovedShare, settled } = apply!
      const data = () => folder.spools.data(file.id)
      await checkRemovals(state, file, { data, maxRemovedShare, signal: file.signal })
      const entry = await commitFile(state, file, settled)
      return finishFile(folder, state, entry, finish)
    },
    replay: () => FolderReplay.begin({ ...finish, folder, category: state, changeRows }),
    removalsForgotten: () => state.compacted(),
    forgetRemovals: before => state.compact(before),
  }
}
