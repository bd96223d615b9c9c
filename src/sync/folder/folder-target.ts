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
import type { AppliedFile, OpenTarget, TargetCategory, TargetFile } from '../target/target'
import type { CategoryState } from './category-state'
import type { ChangeTarget } from './ledger'
import { StateFolder, type StateFolderOptions } from './state-folder'

export interface FolderTargetOptions extends StateFolderOptions {
  readonly finish: FinishOptions
  readonly maxRemovedShare: number
  /** The destination of the changes of the files that this run applies. */
  readonly changes: ChangeTarget
  /** True where the compressed files are kept. */
  readonly keep: boolean
  /** True where the rows that cannot be merged are kept. */
  readonly quarantine: boolean
}

export class FolderTarget implements OpenTarget {
  readonly #folder: StateFolder
  readonly #options: FolderTargetOptions
  readonly #unfinished: ReadonlyMap<string, UnfinishedFile>

  private constructor(
    folder: StateFolder,
    options: FolderTargetOptions,
    unfinished: ReadonlyMap<string, UnfinishedFile>,
  ) {
    this.#folder = folder
    this.#options = options
    this.#unfinished = unfinished
  }

  /** Opens the folder and finishes what an earlier run left. @throws as StateFolder.open */
  static async open(options: FolderTargetOptions): Promise<FolderTarget> {
    const folder = await StateFolder.open(options)
    try {
      const unfinished = await finishFolder(folder, options.finish, isOfFile)
      return new FolderTarget(folder, options, unfinished)
    } catch (error) {
      // The run fails with the first failure.
      await folder.close().catch(() => {})
      throw error
    }
  }

  get spools() {
    return this.#folder.spools
  }

  async category(category: Category): Promise<TargetCategory> {
    const state = await this.#folder.category(category)
    const unfinished = this.#unfinished.get(categoryKey(category))
    return new FolderCategory(this.#folder, state, this.#options, unfinished)
  }

  close(): Promise<void> {
    return this.#folder.close()
  }
}

/** A full disk, or a sink of changes that fails, is a failure of the whole run. */
function isOfFile({ code }: FeedError): boolean {
  return code === 'STATE_CORRUPT' || familyOf(code) === 'row'
}

class FolderCategory implements TargetCategory {
  readonly unfinished: UnfinishedFile | undefined
  readonly #folder: StateFolder
  readonly #state: CategoryState
  readonly #options: FolderTargetOptions

  constructor(
    folder: StateFolder,
    state: CategoryState,
    options: FolderTargetOptions,
    unfinished: UnfinishedFile | undefined,
  ) {
    this.unfinished = unfinished
    this.#folder = folder
    this.#state = state
    this.#options = options
  }

  get category(): Category {
    return this.#state.category
  }

  get files(): readonly AppliedFile[] {
    return this.#state.ledger.entries.filter(({ state }) => state === 'done')
  }

  async apply(file: TargetFile): Promise<AppliedFile> {
    const { maxRemovedShare, changes, beforeRows, keep, quarantine, finish } = this.#options
    const changeRows = beforeRows ? 'both' : 'after'
    await checkRemovals(this.#state, file, {
      data: () => this.#folder.spools.data(file.id),
      maxRemovedShare,
      signal: file.signal,
    })
    const entry = await commitFile(this.#state, file, {
      changes,
      changeRows,
      keep,
      quarantine,
    })
    return finishFile(this.#folder, this.#state, entry, finish)
  }

  removalsForgotten(): Promise<Date | undefined> {
    return this.#state.compacted()
  }

  forgetRemovals(before: Date): Promise<void> {
    return this.#state.compact(before)
  }
}
