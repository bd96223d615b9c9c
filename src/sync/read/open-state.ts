// A state folder that is open for reading: the files, the watermark and the items of its
// categories, as they are now or at an earlier time. A reader takes no lock and writes nothing in
// the folder: it opens the runs that the manifests name, beside a writer too.

import { join } from 'node:path'
import {
  type Clock,
  type Columns,
  checkedSchema,
  type FeedSchema,
  type ItemGroupColumns,
  is,
  type OptionTable,
  optionInvalid,
  type Row,
  readOptions,
} from '../../engine/index'
import { BlockCache, type RunTable } from '../../state/index'
import { type Category, OWN } from '../file-id'
import { type Environment, machineEnvironment } from '../folder/environment'
import { originOfState, type StatePaths, statePaths } from '../folder/state-paths'
import { DEFAULT_MEMORY_BYTES, lookUpBytes, MEMORY_BYTES, memoryShares } from '../memory-shares'
import { type CategoryPlan, planCategory } from '../plan/calendar'
import type { CalendarLimits } from '../plan/calendar-files'
import { CategoryView } from '../runs/category-view'
import { misplaced } from '../runs/manifest'
import type { FeedSource } from '../source/feed-source'
import { planOwn } from '../source/own-source'
import { SIGNAL } from '../sync-options'
import type { AppliedFile, StateOrigin } from '../target/target'
import { type AsOfOptions, type ItemsAt, itemsAsOf, type RowsAt, rowsAsOf } from './items-as-of'
import type { StateItem } from './state-items'

export interface OpenStateOptions {
  /**
   * Memory limit in bytes, about. Look-ups keep the blocks that they read, up to 32 MiB less: those
   * of a state with fewer bytes read the disk once. Default: 256 MiB. Bounds: 240 MiB or more.
   */
  readonly memoryBytes?: number
  /** Stops a call that is under way, which then fails with the signal's reason. Default: none. */
  readonly signal?: AbortSignal
  /** @internal */
  readonly environment?: Environment
}

const OPTIONS = {
  memoryBytes: [MEMORY_BYTES, DEFAULT_MEMORY_BYTES],
  signal: [SIGNAL],
  environment: [is.any, machineEnvironment],
} satisfies OptionTable<OpenStateOptions>

/** Sizes on the disk in bytes, about. */
export interface StateSizes {
  /** The runs of rows, and the ledgers. */
  readonly store: number
  /** Files that are being fetched, or wait to be applied. */
  readonly spool: number
  /** Compressed files that are kept. */
  readonly files: number
  /** The logs of the changes of each file. */
  readonly changes: number
  /** The rows that could not be merged. */
  readonly quarantine: number
}

export class OpenCategory implements Category {
  readonly #view: CategoryView
  readonly #asOf: AsOfOptions

  /** @internal See {@link openState}. */
  constructor(view: CategoryView, asOf: AsOfOptions) {
    this.#view = view
    this.#asOf = asOf
  }

  get marketplace(): string {
    return this.#view.category.marketplace
  }

  get categoryId(): string {
    return this.#view.category.categoryId
  }

  /** The files of the state, in the order in which they were applied. */
  get files(): readonly AppliedFile[] {
    return this.#view.files
  }

  /**
   * Returns the watermark, the missing files and the next files at a time. Default: the time of the
   * system's clock.
   */
  plan(now?: Clock, limits?: Partial<CalendarLimits>): CategoryPlan {
    return planCategory({
      ...this.#view.category,
      now: new Date(is.clockMs('now', now)()),
      done: this.files.map(({ id }) => id),
      limits,
    })
  }

  /** Yields the items in key order, in blocks of a few hundred at most. */
  items(): AsyncIterable<readonly StateItem[]> {
    return this.#view.items()
  }

  /**
   * Yields the same items as lines of JSON, a block at a time, as {@link stateItemLines} gives them,
   * in less time and memory. The lines lie in memory that is used again: a block is valid until the
   * second one behind it is asked for, so that one can be written while the next is made.
   */
  lines(): AsyncIterable<Uint8Array> {
    return this.#view.lines()
  }

  /**
   * Returns an item by its identifier; undefined where the state has none. Its rows are copies, which
   * may be kept. Look-ups that wait together, as in `Promise.all`, read each block once.
   * @throws FeedError STATE_CORRUPT, STATE_IO
   */
  item(itemId: string): Promise<StateItem | undefined> {
    return this.#view.item(itemId)
  }

  /**
   * Returns the record of a group by its identifier; undefined where the state has none.
   * @throws FeedError STATE_CORRUPT, STATE_IO
   */
  group(itemGroupId: string): Promise<Row<ItemGroupColumns> | undefined> {
    return this.#view.group(itemGroupId)
  }

  /**
   * Returns the items at an earlier time, which are made again from the kept files.
   * @throws FeedError STATE_HISTORY_MISSING
   */
  async asOf(time: Date): Promise<ItemsAt> {
    return itemsAsOf(this.#view, is.validDate('asOf', time), this.#asOf)
  }
}

/** A feed of your own in an open state. */
export class OpenFeed<C extends Columns = Columns> {
  readonly #view: CategoryView
  readonly #rows: RunTable<C>
  readonly #asOf: AsOfOptions

  /** @internal See {@link OpenState.feed}. */
  constructor(view: CategoryView, schema: FeedSchema<C>, asOf: AsOfOptions) {
    this.#view = view
    this.#rows = view.rows(schema)
    this.#asOf = asOf
  }

  /** The files of the state, in the order in which they were applied. */
  get files(): readonly AppliedFile[] {
    return this.#view.files
  }

  /** The time of the newest file of the state; undefined before the first one. */
  get watermark(): Date | undefined {
    return planOwn(
      [],
      this.files.map(({ id }) => id),
      [],
    ).watermark
  }

  /** Yields the newest row of every key in the order of the keys, in blocks of a few hundred. */
  async *rows(): AsyncGenerator<readonly Row<C>[], void, void> {
    yield* this.#rows.rows()
  }

  /**
   * Returns the newest row of a key; undefined where the state has none. It is a copy, which may be
   * kept. Look-ups that wait together, as in `Promise.all`, read each block once.
   * @throws FeedError STATE_CORRUPT, STATE_IO
   */
  async row(key: string): Promise<Row<C> | undefined> {
    return (await this.#rows.find(is.anyText('key', key)))?.row
  }

  /**
   * Returns the rows at an earlier time, which are made again from the kept files (`keepFileBytes`):
   * those that the files up to this time give, without rows that were mended.
   * @param source the feed, which says how its files are read
   * @throws FeedError STATE_HISTORY_MISSING, OPTION_INVALID
   */
  async asOf(time: Date, source: FeedSource<C>): Promise<RowsAt<C>> {
    const { categoryId } = this.#view.category
    if (is.anObject('source', source).name !== categoryId)
      throw optionInvalid('source.name', categoryId, source.name)
    return rowsAsOf(this.#view, is.validDate('asOf', time), this.#asOf, source)
  }
}

interface OpenedState {
  readonly asOf: AsOfOptions
  /** The blocks that look-ups have read. */
  readonly cache: BlockCache
  readonly environment: Environment
  readonly paths: StatePaths
  readonly origin: StateOrigin
  readonly views: readonly CategoryView[]
}

export class OpenState {
  readonly #opened: OpenedState
  /** The categories of the service. */
  readonly categories: readonly OpenCategory[]

  /** @internal See {@link openState}. */
  constructor(opened: OpenedState, categories: readonly OpenCategory[]) {
    this.#opened = opened
    this.categories = categories
  }

  /** The service and the marketplace of the folder. */
  get origin(): StateOrigin {
    return this.#opened.origin
  }

  /** The names of the feeds of your own. */
  get feedNames(): readonly string[] {
    return this.#ownViews.map(({ category }) => category.categoryId)
  }

  get #ownViews(): readonly CategoryView[] {
    return this.#opened.views.filter(({ category }) => category.marketplace === OWN)
  }

  /**
   * Returns a feed of your own by its name, with the rows as `schema` has them.
   * @param source has both: the source that a run followed, for example
   * @throws FeedError OPTION_INVALID for a name that the folder does not have
   */
  feed<C extends Columns>(source: Pick<FeedSource<C>, 'name' | 'schema'>): OpenFeed<C> {
    const { name, schema } = is.anObject('source', source)
    const view = this.#ownViews.find(({ category }) => category.categoryId === name)
    if (view !== undefined)
      return new OpenFeed(view, checkedSchema('schema', schema), this.#opened.asOf)
    const names = this.feedNames.join(', ') || 'it has none'
    throw optionInvalid('name', `a feed of the folder (${names})`, name)
  }

  async sizes(): Promise<StateSizes> {
    const { environment, paths } = this.#opened
    const { runs: store, spools: spool, kept, changes, quarantine } = paths
    const folders = Object.entries({ store, spool, files: kept, changes, quarantine })
    const sizes = folders.map(async ([name, path]) => [
      name,
      await environment.files.bytesUnder(path),
    ])
    return Object.fromEntries(await Promise.all(sizes))
  }

  async close(): Promise<void> {
    for (const view of this.#opened.views) await view.close()
    this.#opened.cache.clear()
  }
}

/**
 * Opens the state in a folder for reading, as the last applied file has left it; later files do not
 * change what the reader sees. A reader takes no lock and writes nothing: it reads beside a run that
 * has the folder, in this process or another, and on read-only media. Until it is closed, the disk
 * keeps what it reads.
 * @throws FeedError OPTION_INVALID, STATE_MISSING, STATE_FOREIGN, STATE_CORRUPT, STATE_IO
 * @example
 * ```ts
 * import { openState, sync } from 'feedmill/sync'
 * // given: service, now
 *
 * const folder = 'opened'
 * await sync({ service, marketplace: 'MKT_US', categories: ['220'], folder, now }).summary
 * const state = await openState(folder)
 * const [category] = state.categories
 * let items = 0
 * for await (const block of category!.items()) items += block.length
 * console.log(items > 100)
 * await state.close()
 * // => true
 * ```
 */
export async function openState(
  folder: string,
  options: OpenStateOptions = {},
): Promise<OpenState> {
  const { environment, memoryBytes, ...given } = readOptions(options, OPTIONS)
  const paths = statePaths(is.filePath('folder', folder))
  const signal = given.signal ?? new AbortController().signal
  const { sortBytes } = memoryShares(memoryBytes, 1)
  const cache = new BlockCache(lookUpBytes(memoryBytes))
  const { files } = environment
  const origin = await originOfState(files, paths)
  const views: CategoryView[] = []
  try {
    for (const name of await files.list(paths.runs)) {
      signal.throwIfAborted()
      const place = join(paths.runs, name)
      const view = await CategoryView.open(files, place, cache)
      if (view === undefined) continue
      views.push(view)
      if (paths.runsOf(view.category) !== place) throw misplaced(place)
    }
  } catch (error) {
    for (const view of views) await view.close()
    throw error
  }
  const asOf = { paths, environment, sortBytes, signal }
  return new OpenState(
    { asOf, cache, environment, paths, origin, views },
    views
      .filter(({ category }) => category.marketplace !== OWN)
      .map(view => new OpenCategory(view, asOf)),
  )
}
