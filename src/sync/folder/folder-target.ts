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
import type {
  AppliedFile,
  CategoryReplay,
  OpenTarget,
  TargetCategory,
  TargetFile,
} from '../target/target'
import type { CategoryState } from './category-state'
import { FolderReplay } from './folder-replay'
import type { LedgerEntry } from './ledger'
import { StateFolder, type StateFolderOptions } from './state-folder'

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

export class FolderTarget implements OpenTarget {
  readonly #folder: StateFolder
  readonly #options: FolderTargetOptions
  readonly #unfinished: ReadonlyMap<string, UnfinishedFile>
  readonly #categories = new Map<string, FolderCategory>()

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
      const { finish, isOfFile = isDamage } = options
      const unfinished = await finishFolder(folder, finish, isOfFile)
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

  get files() {
    return this.#folder.files
  }

  async category(category: Category): Promise<TargetCategory> {
    return this.#categoryOf(await this.#folder.category(category))
  }

  /** Returns a category that is there. */
  known(category: Category): TargetCategory | undefined {
    const key = categoryKey(category)
    const state = this.#folder.categories.find(each => categoryKey(each.category) === key)
    return state && this.#categoryOf(state)
  }

  #categoryOf(state: CategoryState): TargetCategory {
    const key = categoryKey(state.category)
    let category = this.#categories.get(key)
    if (category === undefined) {
      const unfinished = this.#unfinished.get(key)
      category = new FolderCategory(this.#folder, state, this.#options, unfinished)
      this.#categories.set(key, category)
    }
    return category
  }

  close(): Promise<void> {
    return this.#folder.close()
  }
}

/** A full disk, or a sink of changes that fails, is a failure of the whole run. */
function isDamage({ code }: FeedError): boolean {
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
    const { apply, finish } = this.#options
    const { maxRemovedShare, settled } = apply!
    await checkRemovals(this.#state, file, {
      data: () => this.#folder.spools.data(file.id),
      maxRemovedShare,
      signal: file.signal,
    })
    const entry = await commitFile(this.#state, file, settled)
    return finishFile(this.#folder, this.#state, entry, finish)
  }

  replay(): Promise<CategoryReplay> {
    const { finish, changeRows } = this.#options
    const { commitBytes, sink } = finish
    const [folder, category] = [this.#folder, this.#state]
    return FolderReplay.begin({ folder, category, commitBytes, sink, changeRows })
  }

  removalsForgotten(): Promise<Date | undefined> {
    return this.#state.compacted()
  }

  forgetRemovals(before: Date): Promise<void> {
    return this.#state.compact(before)
  }
}
