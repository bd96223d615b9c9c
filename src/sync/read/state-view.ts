// A view of a state folder for one reader: the categories as they were when it was opened. Several
// readers may have views at a time. Opening first finishes what an earlier run left undone, under
// the lock of the folder.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { DurableFiles } from '../../engine/index'
import { FeedError } from '../../engine/index'
import type { KeyedStore } from '../../state/index'
import {
  type FinishOptions,
  finishFolder,
  isUnfinished,
  type UnfinishedFile,
} from '../file/finish-file'
import { categoryKey, fileIdKey } from '../file-id'
import type { CategoryState } from '../folder/category-state'
import type { Environment } from '../folder/environment'
import { openCategories, openStateFolder } from '../folder/state-folder'
import { needMarker, StatePaths } from '../folder/state-paths'
import { SpoolFolder } from '../target/spool-folder'
import type { StateOrigin } from '../target/target'
import { makeReaderPlace, type ReaderPlace } from './reader-place'

export interface StateViewOptions {
  readonly folder: string
  readonly storeBytes: number
  readonly environment: Environment
  /** Options for finishing a file that an earlier run left half applied. */
  readonly finish: FinishOptions
}

export class StateView {
  readonly paths: StatePaths
  readonly files: DurableFiles
  readonly categories: readonly CategoryState[]
  readonly #place: ReaderPlace
  readonly #store: KeyedStore
  #unfinished: ReadonlyMap<string, UnfinishedFile> = new Map()

  private constructor(
    paths: StatePaths,
    files: DurableFiles,
    place: ReaderPlace,
    store: KeyedStore,
    categories: readonly CategoryState[],
  ) {
    this.paths = paths
    this.files = files
    this.categories = categories
    this.#place = place
    this.#store = store
  }

  /**
   * @throws FeedError STATE_LOCKED while a run has the folder, STATE_FOREIGN, STATE_CORRUPT,
   * STATE_IO, DEPENDENCY_MISSING
   */
  static async open(options: StateViewOptions): Promise<StateView> {
    const first = await StateView.#openAsItIs(options)
    if (!(await first.#mustFinish(isUnfinished))) return first
    for (;;) {
      const unfinished = await finishAll(options)
      const view = await StateView.#openAsItIs(options)
      view.#unfinished = unfinished
      // A spool that is left may belong to a file that is still being fetched.
      if (!(await view.#mustFinish(async (_, { ledger }) => ledger.applying !== undefined)))
        return view
    }
  }

  static async #openAsItIs({
    folder,
    storeBytes,
    environment,
  }: StateViewOptions): Promise<StateView> {
    const paths = new StatePaths(folder)
    await needMarker(environment.files, paths)
    const place = await makeReaderPlace(environment, paths)
    try {
      const store = await place.snapshot.open(storeBytes)
      try {
        return new StateView(paths, environment.files, place, store, [
          ...(await openCategories(store)).values(),
        ])
      } catch (error) {
        await store.close()
        throw error
      }
    } catch (error) {
      await place.leave()
      throw error
    }
  }

  get #spools(): SpoolFolder {
    return new SpoolFolder(this.files, this.paths.spools)
  }

  /** Returns true, and closes the view, where a file must be finished first. */
  async #mustFinish(isOpen: typeof isUnfinished): Promise<boolean> {
    if (this.#place.unwritable !== undefined) return false
    try {
      for (const category of this.categories) {
        if (this.#unfinished.has(categoryKey(category.category))) continue
        if (!(await isOpen(this.#spools, category))) continue
        await this.close()
        return true
      }
      return false
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Returns why the items of a category cannot be read: a file is half applied. */
  problemOf({ category, ledger }: CategoryState): FeedError | undefined {
    const { unwritable } = this.#place
    const { applying } = ledger
    if (applying === undefined) return undefined
    if (unwritable !== undefined)
      return cannotFinish(this.paths.folder, unwritable, fileIdKey(applying.id))
    return this.#unfinished.get(categoryKey(category))?.error
  }

  get origin(): StateOrigin {
    return this.#place.origin
  }

  /**
   * Returns the path of a new folder for this reader, which does not exist yet. It is removed when
   * the view is closed.
   */
  newFolder(): string {
    return join(this.#place.folder, randomUUID())
  }

  async close(): Promise<void> {
    try {
      await this.#store.close()
    } finally {
      await this.#place.leave()
    }
  }
}

async function finishAll({
  folder,
  storeBytes,
  environment,
  finish,
}: StateViewOptions): Promise<ReadonlyMap<string, UnfinishedFile>> {
  const state = await openStateFolder({ folder, storeBytes, environment })
  try {
    return await finishFolder(state, finish, () => true)
  } finally {
    await state.close()
  }
}

function cannotFinish(path: string, reason: string, file: string): FeedError<'STATE_IO'> {
  const message = `${path} cannot be finished: ${reason}; a run ended while it applied ${file}: run feedmill sync, or read the state, once where the folder can be written`
  return new FeedError('STATE_IO', message, { path, operation: 'finish', reason })
}
