// A state folder under the lock of this process: the lock, the marker and the one store of all
// categories. They are closed in the reverse order of opening, also after a failure while opening.

import type { DurableFiles } from '../../engine/index'
import { type KeyedStore, prefixRange } from '../../state/index'
import { type Category, categoryKey } from '../file-id'
import { removeEndedReaders } from '../read/reader-place'
import { SpoolFolder } from '../target/spool-folder'
import type { StateOrigin } from '../target/target'
import { CategoryState } from './category-state'
import { type Environment, machineEnvironment } from './environment'
import { StateLock } from './state-lock'
import {
  markerMissing,
  needMarker,
  originMismatch,
  readMarker,
  StatePaths,
  writeMarker,
} from './state-paths'

/** Prefixes of the store's keys: the names of the categories, and the content of each category. */
const NAMES = 'n/'
const CATEGORY = 'c/'

export interface StateFolderOptions {
  readonly folder: string
  /**
   * The origin that the folder must have. An empty folder becomes a state folder of this origin.
   * Without it the state folder must exist.
   */
  readonly origin?: StateOrigin | undefined
  readonly storeBytes: number
  /** True where changes have the row that was kept before. */
  readonly beforeRows?: boolean
  readonly environment?: Environment | undefined
}

export class StateFolder {
  readonly paths: StatePaths
  readonly origin: StateOrigin
  readonly files: DurableFiles
  readonly spools: SpoolFolder
  readonly #lock: StateLock
  readonly #store: KeyedStore
  readonly #categories: Map<string, CategoryState>
  readonly #beforeRows: boolean

  private constructor(parts: StateFolderParts) {
    const { paths, origin, files, lock, store, categories, beforeRows } = parts
    this.paths = paths
    this.origin = origin
    this.files = files
    this.spools = new SpoolFolder(files, paths.spools)
    this.#lock = lock
    this.#store = store
    this.#categories = categories
    this.#beforeRows = beforeRows
  }

  /** @throws FeedError STATE_LOCKED, STATE_FOREIGN, STATE_CORRUPT, STATE_IO, DEPENDENCY_MISSING */
  static async open({
    folder,
    origin,
    storeBytes,
    beforeRows = false,
    environment = machineEnvironment,
  }: StateFolderOptions): Promise<StateFolder> {
    const paths = new StatePaths(folder)
    const { files } = environment
    await (origin === undefined ? needMarker(files, paths) : files.makeFolder(folder))
    const lock = await StateLock.take(environment, folder)
    try {
      await removeEndedReaders(environment, paths)
      const found = await readMarker(files, paths)
      // A reader needs the marker and has seen it. Where it is missing now, the folder is being
      // removed.
      const wanted = origin ?? found
      if (wanted === undefined) throw markerMissing(paths)
      const store = await environment.openStore(paths.store, storeBytes, found !== undefined)
      try {
        const state = new StateFolder({
          paths,
          origin: wanted,
          files,
          lock,
          store,
          categories: await openCategories(store, beforeRows),
          beforeRows,
        })
        await state.#settleOrigin(found)
        return state
      } catch (error) {
        await store.close()
        throw error
      }
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** The categories of the folder. */
  get categories(): readonly CategoryState[] {
    return [...this.#categories.values()]
  }

  /** Returns a category, and makes a missing one. */
  async category(category: Category): Promise<CategoryState> {
    const key = categoryKey(category)
    if (!this.#categories.has(key)) {
      await this.#store.write([{ key: NAMES + key, value: Buffer.from(JSON.stringify(category)) }])
      this.#categories.set(key, await openCategory(this.#store, category, this.#beforeRows))
    }
    return this.#categories.get(key) as CategoryState
  }

  async close(): Promise<void> {
    try {
      await this.#store.close()
    } finally {
      await this.#lock.release()
    }
  }

  /** Makes the folder one of {@link origin}. Fails where the folder has rows of another origin. */
  async #settleOrigin(found: StateOrigin | undefined): Promise<void> {
    const mismatch =
      found === undefined
        ? markerMissing(this.paths)
        : originMismatch(this.paths, found, this.origin)
    if (found !== undefined && mismatch === undefined) return
    if (this.categories.some(({ ledger }) => ledger.entries.length > 0)) throw mismatch
    await this.#store.write(
      [...this.#categories.keys()].map(key => ({ key: NAMES + key, value: null })),
      { sync: true },
    )
    this.#categories.clear()
    await this.files.remove(this.paths.spools)
    await this.files.syncFolder(this.paths.store)
    await writeMarker(this.files, this.paths, this.origin)
  }
}

interface StateFolderParts {
  readonly paths: StatePaths
  readonly origin: StateOrigin
  readonly files: DurableFiles
  readonly lock: StateLock
  readonly store: KeyedStore
  readonly categories: Map<string, CategoryState>
  readonly beforeRows: boolean
}

/** Returns the categories in the store of a folder, by {@link categoryKey}. */
export async function openCategories(
  store: KeyedStore,
  beforeRows = false,
): Promise<Map<string, CategoryState>> {
  const categories = new Map<string, CategoryState>()
  for await (const block of store.entries(prefixRange(NAMES))) {
    for (const { value } of block) {
      const category = JSON.parse(Buffer.from(value).toString()) as Category
      categories.set(categoryKey(category), await openCategory(store, category, beforeRows))
    }
  }
  return categories
}

function openCategory(
  store: KeyedStore,
  { marketplace, categoryId }: Category,
  beforeRows: boolean,
): Promise<CategoryState> {
  const category = { marketplace, categoryId }
  const prefix = CATEGORY + categoryKey(category)
  return CategoryState.open(category, store, { prefix, before: beforeRows })
}
