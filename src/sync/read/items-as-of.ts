// The items of a category at an earlier time, which are made again from the kept files: as runs in a
// folder for temporary files. The state itself does not change.

import { closing, orUndo } from '../../engine/index'
import { FileRows } from '../file/file-rows'
import type { FileId } from '../file-id'
import type { Environment } from '../folder/environment'
import type { StatePaths } from '../folder/state-paths'
import { CategoryRuns } from '../runs/category-runs'
import { CategoryView } from '../runs/category-view'
import { keptAsOf, openKept } from './history'
import type { StateItem } from './state-items'

/** The items at one time. */
export interface ItemsAt {
  readonly at: Date
  /** Yields the items in key order, in blocks of a few hundred at most. */
  items(): AsyncIterable<readonly StateItem[]>
  /** Yields the same items as lines of JSON, as the category does of now. */
  lines(): AsyncIterable<Uint8Array>
  /** Removes the state of the earlier time from the disk. */
  close(): Promise<void>
}

export interface AsOfOptions {
  readonly paths: StatePaths
  readonly environment: Environment
  /** Bytes of rows that are sorted at once. */
  readonly sortBytes: number
  readonly signal: AbortSignal
}

/** @throws FeedError STATE_HISTORY_MISSING, STATE_IO, GZIP_* where a kept file was changed since */
export async function itemsAsOf(
  { category, files: entries }: CategoryView,
  asOf: Date,
  { paths, environment, sortBytes, signal }: AsOfOptions,
): Promise<ItemsAt> {
  const { files } = environment
  const places = { files, paths }
  const chosen = await keptAsOf(places, category, entries, asOf)
  const folder = await environment.makeTemporaryFolder()
  const read = async () => {
    await closing(await CategoryRuns.open(category, { files, folder, sortBytes }), async runs => {
      const open = (id: FileId) => openKept(places, id, { category, asOf })
      for (const { id, totalBytes, lastModified } of chosen.entries) {
        const identity = { totalBytes, ...(lastModified !== undefined && { lastModified }) }
        await runs.apply(new FileRows({ id, identity }, { open, maxRemovedShare: 1, signal }))
      }
    })
    return (await CategoryView.open(files, folder))!
  }
  const view = await orUndo(read, () => files.remove(folder))
  return {
    at: chosen.at,
    items: () => view.items(),
    lines: () => view.lines(),
    close: async () => {
      await view.close()
      await files.remove(folder)
    },
  }
}
