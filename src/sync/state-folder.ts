// A state folder while a process holds it: the lock, the marker, the one store of all categories. What is opened is closed in the
// reverse order, also where opening fails half-way.

import { takeKernelLock } from '../state/kernel-lock'
import type { KeyedStore } from '../state/keyed-store'
import { prefixRange } from '../state/keyed-store'
import { LevelStore } from '../state/level-store'
import { prefixedStore } from '../state/prefixed-store'
import { CategoryState } from './category-state'
import { type DurableFiles, machineFiles } from './durable-files'
import { type Category, categoryKey } from './file-id'
import { machineProcesses } from './process-identity'
import { StateLock, type StateLockGround } from './state-lock'
import { needMarker, openMarker, type StateOrigin } from './state-marker'
import { StatePaths } from './state-paths'

/** Keys of the store: the categories that the folder has, and after this prefix what is in each. */
const NAMES = 'n/'
const CATEGORY = 'c/'

/** What a state folder stands on; a test may put something else in the place of each. */
export interface StateGround extends StateLockGround {
  openStore(folder: string, memoryBytes: number): Promise<KeyedStore>
}

export const machineGround: StateGround = {
  files: machineFiles,
  processes: machineProcesses,
  lockFolder: takeKernelLock,
  openStore: (folder, memoryBytes) => LevelStore.open(folder, { memoryBytes }),
}

export interface StateFolderOptions {
  readonly folder: string
  /** What the folder must be of, and is made for where it is empty. Absent: it must be there. */
  readonly origin?: StateOrigin | undefined
  readonly storeBytes: number
  readonly ground?: StateGround | undefined
}

export class StateFolder {
  readonly paths: StatePaths
  readonly origin: StateOrigin
  readonly files: DurableFiles
  readonly #lock: StateLock
  readonly #store: KeyedStore
  readonly #categories = new Map<string, CategoryState>()

  private constructor(paths: StatePaths, origin: StateOrigin, files: DurableFiles, lock: StateLock, store: KeyedStore) {
    this.paths = paths
    this.origin = origin
    this.files = files
    this.#lock = lock
    this.#store = store
  }

  /** @throws FeedError STATE_LOCKED, STATE_FOREIGN, STATE_CORRUPT, STATE_IO, DEPENDENCY_MISSING */
  static async open({ folder, origin, storeBytes, ground = machineGround }: StateFolderOptions): Promise<StateFolder> {
    const paths = new StatePaths(folder)
    const { files } = ground
    await (origin === undefined ? needMarker(files, paths) : files.makeFolder(folder))
    const lock = await StateLock.take(ground, folder)
    try {
      const found = await openMarker(files, paths, origin)
      const store = await ground.openStore(paths.store, storeBytes)
      try {
        const state = new StateFolder(paths, found, files, lock, store)
        await state.#openCategories()
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

  /** Those that the folder has. */
  get categories(): readonly CategoryState[] {
    return [...this.#categories.values()]
  }

  /** A category, made where the folder does not have it. */
  async category(category: Category): Promise<CategoryState> {
    const key = categoryKey(category)
    if (!this.#categories.has(key)) {
      await this.#store.write([{ key: NAMES + key, value: Buffer.from(JSON.stringify(category)) }])
      await this.#openCategory(category)
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

  async #openCategories(): Promise<void> {
    for await (const block of this.#store.entries(prefixRange(NAMES))) {
      for (const { value } of block) await this.#openCategory(JSON.parse(Buffer.from(value).toString()) as Category)
    }
  }

  async #openCategory({ marketplace, categoryId }: Category): Promise<void> {
    const category = { marketplace, categoryId }
    const key = categoryKey(category)
    this.#categories.set(key, await CategoryState.open(category, prefixedStore(this.#store, CATEGORY + key)))
  }
}
