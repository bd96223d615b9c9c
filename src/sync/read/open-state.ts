// A state folder that is open for reading: the files, the watermark and the items of its
// categories, as they are now or at an earlier time.

import type { FeedError } from '../../engine/index'
import {
  type Clock,
  clockMs,
  filePath,
  knownOptions,
  type OptionNames,
  optionInvalid,
} from '../../engine/index'
import type { Category } from '../file-id'
import type { CategoryState } from '../folder/category-state'
import { type Environment, machineEnvironment } from '../folder/environment'
import type { LedgerEntry } from '../folder/ledger'
import { DEFAULT_MEMORY_BYTES, type MemoryShares, memoryShares } from '../memory-shares'
import { type CategoryPlan, planCategory } from '../plan/calendar'
import type { CalendarLimits } from '../plan/calendar-files'
import { checkedSignal, type SyncOptions } from '../sync-options'
import type { StateOrigin } from '../target/target'
import { stateAsOf } from './history'
import { type StateItem, stateItems } from './state-items'
import { StateView } from './state-view'

export interface OpenStateOptions extends Pick<SyncOptions, 'memoryBytes'> {
  /** Stops a call that is under way, which then fails with the signal's reason. Default: none. */
  readonly signal?: AbortSignal
  /** @internal */
  readonly environment?: Environment
}

const NAMES: OptionNames<OpenStateOptions> = { memoryBytes: true, signal: true, environment: true }

/** Sizes on the disk in bytes, about. */
export interface StateSizes {
  /** The database of rows and ledger. */
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

/** The items at one time. */
export interface ItemsAt {
  readonly at: Date
  /** Yields the items in key order, in blocks of a few hundred at most. */
  items(): AsyncIterable<readonly StateItem[]>
  /** Removes the state of the earlier time from the disk. */
  close(): Promise<void>
}

export class OpenCategory implements Category {
  /**
   * Why the items cannot be read: a file is half applied, and it cannot be finished. Then `items`
   * and `asOf` fail with this error. Undefined for every other category.
   */
  readonly problem: FeedError | undefined
  readonly #state: CategoryState
  readonly #makeAsOf: (state: CategoryState, asOf: Date) => Promise<ItemsAt>

  constructor(
    state: CategoryState,
    makeAsOf: (state: CategoryState, asOf: Date) => Promise<ItemsAt>,
    problem: FeedError | undefined,
  ) {
    this.problem = problem
    this.#state = state
    this.#makeAsOf = makeAsOf
  }

  get marketplace(): string {
    return this.#state.category.marketplace
  }

  get categoryId(): string {
    return this.#state.category.categoryId
  }

  /** The files of the state, in the order in which they were applied. */
  get files(): readonly LedgerEntry[] {
    return this.#state.ledger.entries
  }

  /**
   * Returns the watermark, the missing files and the next files at a time. Default: the time of the
   * system's clock.
   */
  plan(now?: Clock, limits?: Partial<CalendarLimits>): CategoryPlan {
    return planCategory({
      ...this.#state.category,
      now: new Date(clockMs('now', now)()),
      done: this.#state.ledger.done,
      ...(limits && { limits }),
    })
  }

  /**
   * Yields the items in key order, in blocks of a few hundred at most.
   * @throws FeedError that {@link problem} has
   */
  items(): AsyncIterable<readonly StateItem[]> {
    if (this.problem !== undefined) throw this.problem
    return stateItems(this.#state)
  }

  /**
   * Returns the items at an earlier time, which are made again from the kept files.
   * @throws FeedError STATE_HISTORY_MISSING, and the one that {@link problem} has
   */
  async asOf(time: Date): Promise<ItemsAt> {
    if (this.problem !== undefined) throw this.problem
    if (!(time instanceof Date && !Number.isNaN(time.getTime())))
      throw optionInvalid('time', 'a Date', time)
    return this.#makeAsOf(this.#state, time)
  }
}

export class OpenState {
  readonly #view: StateView
  readonly categories: readonly OpenCategory[]

  /** @internal See {@link openState}. */
  constructor(view: StateView, categories: readonly OpenCategory[]) {
    this.#view = view
    this.categories = categories
  }

  /** The service and the marketplace of the folder. */
  get origin(): StateOrigin {
    return this.#view.origin
  }

  async sizes(): Promise<StateSizes> {
    const { files, paths } = this.#view
    const { store, spools: spool, kept, changes, quarantine } = paths
    const folders = Object.entries({ store, spool, files: kept, changes, quarantine })
    const sizes = folders.map(async ([name, path]) => [name, await files.bytesUnder(path)])
    return Object.fromEntries(await Promise.all(sizes))
  }

  close(): Promise<void> {
    return this.#view.close()
  }
}

/**
 * Opens the state in a folder for reading, as it is now; later runs do not change what the reader
 * sees. Several readers may have a folder open, and a run may begin while they read. The call first
 * finishes a file that an earlier run left half applied.
 *
 * Until it is closed, a reader has a small folder in `readers/` of the state folder, or in the
 * system's folder for temporary files where the state folder cannot be written. A file that cannot
 * be finished, as in the latter case, is the `problem` of its category: the items of the others can
 * be read.
 * @throws FeedError OPTION_INVALID, STATE_LOCKED while a run has the folder, STATE_FOREIGN,
 * STATE_CORRUPT, STATE_IO, DEPENDENCY_MISSING
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
  const { environment = machineEnvironment, memoryBytes = DEFAULT_MEMORY_BYTES } = knownOptions(
    options,
    NAMES,
  )
  filePath('folder', folder)
  const signal = checkedSignal(options.signal) ?? new AbortController().signal
  const shares = memoryShares(memoryBytes, 1)
  const finish = { commitBytes: shares.commitBytes, signal }
  const view = await StateView.open({ folder, storeBytes: shares.storeBytes, environment, finish })
  const asOf = (category: CategoryState, time: Date) =>
    itemsAsOf(view, category, time, { environment, shares, signal })
  return new OpenState(
    view,
    view.categories.map(category => new OpenCategory(category, asOf, view.problemOf(category))),
  )
}

interface AsOfOptions {
  readonly environment: Environment
  readonly shares: MemoryShares
  readonly signal: AbortSignal
}

async function itemsAsOf(
  view: StateView,
  category: CategoryState,
  asOf: Date,
  { environment, shares, signal }: AsOfOptions,
): Promise<ItemsAt> {
  const place = view.newFolder()
  await view.files.makeFolder(place)
  const store = await environment.openStore(place, shares.storeBytes, false)
  const close = async () => {
    await store.close()
    await view.files.remove(place)
  }
  try {
    const { state, at } = await stateAsOf(view, category, {
      asOf,
      store,
      commitBytes: shares.commitBytes,
      signal,
    })
    return { at, items: () => stateItems(state), close }
  } catch (error) {
    await close()
    throw error
  }
}
