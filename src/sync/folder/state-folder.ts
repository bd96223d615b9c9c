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
import { takeStateLock } from './state-lock'
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

export type StateFolder = Awaited<ReturnType<typeof openStateFolder>>

/** @throws FeedError STATE_LOCKED, STATE_FOREIGN, STATE_CORRUPT, STATE_IO, DEPENDENCY_MISSING */
export async function openStateFolder({
  folder,
  origin: wanted,
  storeBytes,
  beforeRows = false,
  environment = machineEnvironment,
}: StateFolderOptions) {
  const paths = new StatePaths(folder)
  const { files } = environment
  await (wanted === undefined ? needMarker(files, paths) : files.makeFolder(folder))
  const lock = await takeStateLock(environment, folder)
  try {
    await removeEndedReaders(environment, paths)
    const found = await readMarker(files, paths)
    // A reader needs the marker and has seen it. Where it is missing now, the folder is being
    // removed.
    const origin = wanted ?? found
    if (origin === undefined) throw markerMissing(paths)
    const store = await environment.openStore(paths.store, storeBytes, found !== undefined)
    try {
      const categories = await openCategories(store, beforeRows)
      await settleOrigin({ files, paths, store, categories }, found, origin)
      return {
        paths,
        origin,
        files,
        spools: new SpoolFolder(files, paths.spools),
        /** The categories of the folder. */
        get categories(): readonly CategoryState[] {
          return [...categories.values()]
        },
        /** Returns a category, and makes a missing one. */
        category: async (category: Category): Promise<CategoryState> => {
          const key = categoryKey(category)
          if (!categories.has(key)) {
            await store.write([{ key: NAMES + key, value: Buffer.from(JSON.stringify(category)) }])
            categories.set(key, await openCategory(store, category, beforeRows))
          }
          return categories.get(key) as CategoryState
        },
        close: async (): Promise<void> => {
          try {
            await store.close()
          } finally {
            await lock.release()
          }
        },
      }
    } catch (error) {
      await store.close()
      throw error
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

interface OpenedFolder {
  readonly files: DurableFiles
  readonly paths: StatePaths
  readonly store: KeyedStore
  readonly categories: Map<string, CategoryState>
}

/** Makes the folder one of `origin`. Fails where the folder has rows of another origin. */
async function settleOrigin(
  { files, paths, store, categories }: OpenedFolder,
  found: StateOrigin | undefined,
  origin: StateOrigin,
): Promise<void> {
  const mismatch = found === undefined ? markerMissing(paths) : originMismatch(paths, found, origin)
  if (found !== undefined && mismatch === undefined) return
  if ([...categories.values()].some(({ ledger }) => ledger.entries.length > 0)) throw mismatch
  await store.write(
    [...categories.keys()].map(key => ({ key: NAMES + key, value: null })),
    { sync: true },
  )
  categories.clear()
  await files.remove(paths.spools)
  await files.syncFolder(paths.store)
  await writeMarker(files, paths, origin)
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
