// A state folder opened to be read: what a category has, how far it is, and its items, of now or of
// an earlier time.

import {
  type Clock,
  clockMs,
  filePath,
  knownOptions,
  type OptionNames,
  optionInvalid,
} from '../../options'
import type { Category } from '../file-id'
import type { CategoryState } from '../folder/category-state'
import { type Environment, machineEnvironment } from '../folder/environment'
import type { LedgerEntry } from '../folder/ledger'
import type { StateOrigin } from '../folder/state-marker'
import { DEFAULT_MEMORY_BYTES, type MemoryShares, memoryShares } from '../memory-shares'
import { type CategoryPlan, planCategory } from '../plan/calendar'
import type { CalendarLimits } from '../plan/calendar-windows'
import { checkedSignal } from '../sync-options'
import { stateAsOf } from './history'
import { type StateItem, stateItems } from './state-items'
import { StateView } from './state-view'

export interface OpenStateOptions {
  /** The memory that the process is to stay within, about. Default 256 MiB, least 240 MiB. */
  readonly memoryBytes?: number
  /** Stops what a call is about, which then fails with the signal's reason. */
  readonly signal?: AbortSignal
  /** @internal */
  readonly environment?: Environment
}

const NAMES: OptionNames<OpenStateOptions> = { memoryBytes: true, signal: true, environment: true }

/** Bytes on the disk, about. */
export interface StateSizes {
  readonly store: number
  /** Files that are being fetched, or wait for their turn. */
  readonly spool: number
  /** Compressed files that are kept. */
  readonly files: number
  readonly changes: number
}

/** The items of one time. */
export interface ItemsAt {
  readonly at: Date
  /** In key order, in blocks of a few hundred at the most. */
  items(): AsyncIterable<readonly StateItem[]>
  /** Frees what an earlier time takes on the disk. */
  close(): Promise<void>
}

export class OpenCategory implements Category {
  readonly #state: CategoryState
  readonly #makeAsOf: (state: CategoryState, asOf: Date) => Promise<ItemsAt>

  constructor(
    state: CategoryState,
    makeAsOf: (state: CategoryState, asOf: Date) => Promise<ItemsAt>,
  ) {
    this.#state = state
    this.#makeAsOf = makeAsOf
  }

  get marketplace(): string {
    return this.#state.category.marketplace
  }

  get categoryId(): string {
    return this.#state.category.categoryId
  }

  /** The files that the state is made of, in the order in which they came into it. */
  get files(): readonly LedgerEntry[] {
    return this.#state.ledger.entries
  }

  /**
   * How far the state is, what it lacks and what comes next, at a time; that of the system's clock
   * where none is given.
   */
  plan(now?: Clock, limits?: Partial<CalendarLimits>): CategoryPlan {
    return planCategory({
      ...this.#state.category,
      now: new Date(clockMs('now', now)()),
      done: this.#state.ledger.done,
      ...(limits && { limits }),
    })
  }

  /** In key order, in blocks of a few hundred at the most. */
  items(): AsyncIterable<readonly StateItem[]> {
    return stateItems(this.#state)
  }

  /**
   * The items of an earlier time, made again from the files that are kept.
   * @throws FeedError STATE_HISTORY_MISSING
   */
  async asOf(time: Date): Promise<ItemsAt> {
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

  /** What the folder is of. */
  get origin(): StateOrigin {
    return this.#view.origin
  }

  async sizes(): Promise<StateSizes> {
    const { files, paths } = this.#view
    const [store, spool, kept, changes] = await Promise.all(
      [paths.store, paths.spools, paths.kept, paths.changes].map(path => files.bytesUnder(path)),
    )
    return { store: store!, spool: spool!, files: kept!, changes: changes! }
  }

  close(): Promise<void> {
    return this.#view.close()
  }
}

/**
 * Opens the state in a folder for reading, as it is now: what later runs write is not seen. Several
 * readers may have a folder open, and a run may begin while they read. A file that a run was
 * applying when it died is finished first.
 *
 * A reader keeps a small folder in `readers/` of the state folder until it is closed, and the
 * system's folder for temporary files has it where the state folder cannot be written. There, a
 * file that was being applied is STATE_IO: it cannot be finished.
 * @throws FeedError OPTION_INVALID, STATE_LOCKED while a run has the folder, STATE_FOREIGN,
 * STATE_CORRUPT, STATE_IO, DEPENDENCY_MISSING
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
    view.categories.map(category => new OpenCategory(category, asOf)),
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
