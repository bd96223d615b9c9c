// The items of a category, or the rows of a feed of one's own, at an earlier time. They are made again
// from the kept files, as runs in a folder for temporary files. The state itself does not change.

import { type Columns, closing, orUndo, type Row } from '../../engine/index'
import { FileRows } from '../file/file-rows'
import type { RowRules } from '../file/row-rules'
import type { FileId } from '../file-id'
import type { Environment } from '../folder/environment'
import type { StatePaths } from '../folder/state-paths'
import { CategoryRuns } from '../runs/category-runs'
import { CategoryView } from '../runs/category-view'
import { type FeedSource, rulesOfSource } from '../source/feed-source'
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

/** The rows of a feed of your own at one time. */
export interface RowsAt<C extends Columns = Columns> {
  /** The time of the newest file of the rows. */
  readonly at: Date
  /** Yields the rows in the order of their keys, in blocks of a few hundred. */
  rows(): AsyncIterable<readonly Row<C>[]>
  /** Removes the state of the earlier time from the disk. */
  close(): Promise<void>
}

/** @throws FeedError STATE_HISTORY_MISSING, STATE_IO, GZIP_* where a kept file was changed since */
export async function itemsAsOf(
  view: CategoryView,
  asOf: Date,
  options: AsOfOptions,
): Promise<ItemsAt> {
  const { past, at, close } = await viewAsOf(view, asOf, options)
  return { at, items: () => past.items(), lines: () => past.lines(), close }
}

/** @throws FeedError as {@link itemsAsOf}, and OPTION_INVALID */
export async function rowsAsOf<C extends Columns>(
  view: CategoryView,
  asOf: Date,
  options: AsOfOptions,
  source: FeedSource<C>,
): Promise<RowsAt<C>> {
  const rules = rulesOfSource(source as unknown as FeedSource)
  const { past, at, close } = await viewAsOf(view, asOf, options, rules)
  const rows = past.rows(source.schema)
  return { at, rows: () => rows.rows(), close }
}

/** @param own what the rows of a feed of one's own are */
async function viewAsOf(
  { category, files: entries }: CategoryView,
  asOf: Date,
  { paths, environment, sortBytes, signal }: AsOfOptions,
  own?: RowRules,
) {
  const { files } = environment
  const places = { files, paths }
  const chosen = await keptAsOf(places, category, entries, asOf)
  const folder = await environment.makeTemporaryFolder()
  const read = async () => {
    const given = { files, folder, sortBytes, own }
    await closing(await CategoryRuns.open(category, given), async runs => {
      const open = (id: FileId) => openKept(places, id, { category, asOf })
      for (const { id, totalBytes, lastModified } of chosen.entries) {
        const identity = { totalBytes, ...(lastModified !== undefined && { lastModified }) }
        await runs.apply(new FileRows({ id, identity }, { open, own, maxRemovedShare: 1, signal }))
      }
    })
    return (await CategoryView.open(files, folder))!
  }
  const past = await orUndo(read, () => files.remove(folder))
  const close = async () => {
    await past.close()
    await files.remove(folder)
  }
  return { past, at: chosen.at, close }
}
