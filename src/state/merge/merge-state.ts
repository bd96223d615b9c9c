// The merged state of a category: for every item the newest row and the newest priority row. An
// item has two registers, because a priority row does not replace the item's row.

import type { AnyBatch, Columns, FeedSchema, Row, Version, VersionOf } from '../../engine/index'
import {
  type ItemPriorityColumns,
  type ItemSnapshotColumns,
  itemPrioritySchema,
} from '../../engine/index'
import { compareKeys, type KeyedStore, type MaybePromise } from '../keyed-store'
import type { Change, ChangeOptions } from './register-change'
import { type KeptHead, type KeptRow, type MergeOptions, RegisterSet } from './register-set'

/** A change of an item's row or of its priority. */
export type MergeChange<C extends Columns = ItemSnapshotColumns> =
  | Change<'item', C>
  | Change<'priority', ItemPriorityColumns>

/** An item after the merge. */
export interface MergedItem<C extends Columns = ItemSnapshotColumns> {
  /** The key of the item. */
  readonly itemId: string
  /** The newest row of the item. */
  readonly row: Row<C>
  /** The item's newest row of the priority feed; null where there is none. */
  readonly priority: Row<ItemPriorityColumns> | null
  /** The version of `row`. */
  readonly version: Version
}

export interface MergeStateOptions<C extends Columns> {
  readonly store: KeyedStore
  readonly within?: string | undefined
  readonly schema: FeedSchema<C>
  readonly versionOf?: VersionOf | undefined
  readonly changes?: ChangeOptions | undefined
}

export class MergeState<C extends Columns> {
  readonly #items: RegisterSet<'item', C>
  readonly #priorities: RegisterSet<'priority', ItemPriorityColumns>

  constructor({ schema, ...options }: MergeStateOptions<C>) {
    this.#items = new RegisterSet({ part: 'item', prefix: 'i', schema, ...options })
    this.#priorities = new RegisterSet({
      part: 'priority',
      prefix: 'p',
      schema: itemPrioritySchema,
      ...options,
    })
  }

  /** Reads what {@link merge} needs, as {@link RegisterSet.open}. */
  async open(): Promise<void> {
    await this.#items.open()
    await this.#priorities.open()
  }

  /**
   * Merges a batch, as {@link RegisterSet.merge}. The state's own keys in the store begin with `i`,
   * `p` or `o`, behind the text `within`.
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID, STATE_LIMIT
   */
  merge(batch: AnyBatch, options?: MergeOptions): Promise<readonly MergeChange<C>[]> {
    return batch.file.feed === 'item_priority'
      ? this.#priorities.merge(batch, options)
      : this.#items.merge(batch, options)
  }

  /**
   * Removes the items whose newest row is older than a bootstrap that was merged before: the
   * bootstrap lacks them. A repeated call finds only the items that are left.
   * @returns blocks of changes
   */
  sweep(generated: Date): AsyncIterable<readonly MergeChange<C>[]> {
    return this.#items.sweep(generated)
  }

  /** Forgets that {@link sweep} has removed these items. */
  unsweep(itemIds: readonly string[], generated: Date): Promise<void> {
    return this.#items.unsweep(itemIds, generated)
  }

  /**
   * Forgets the removals from before a time, when no older row can arrive any more.
   * @returns the number of forgotten removals
   */
  compact(beforeMs: number): Promise<number> {
    return this.#items.compact(beforeMs)
  }

  /** Yields the items in key order without their rows, removed items included, in blocks. */
  heads(): AsyncIterable<readonly KeptHead[]> {
    return this.#items.heads()
  }

  /**
   * Yields the items in key order, in blocks. Removed items, and priorities of unknown items, are
   * left out.
   */
  async *entries(): AsyncGenerator<MergedItem<C>[], void, void> {
    const priorities = new InStep(this.#priorities.entries())
    try {
      for await (const block of this.#items.entries()) {
        const items: MergedItem<C>[] = []
        for (const { itemId, row, version } of block) {
          if (row !== null)
            items.push({ itemId, row, priority: await priorities.of(itemId), version })
        }
        if (items.length > 0) yield items
      }
    } finally {
      await priorities.close()
    }
  }
}

/** A second listing in key order, which is read in step with the first, in place of look-ups. */
class InStep<C extends Columns> {
  readonly #blocks: AsyncGenerator<KeptRow<C>[], void, void>
  #block: readonly KeptRow<C>[] = []
  #at = 0
  #ended = false

  constructor(blocks: AsyncGenerator<KeptRow<C>[], void, void>) {
    this.#blocks = blocks
  }

  /**
   * Returns the row of an item.
   * @param itemId in key order from call to call
   */
  of(itemId: string): MaybePromise<Row<C> | null> {
    for (; this.#at < this.#block.length; this.#at++) {
      const kept = this.#block[this.#at]!
      const order = compareKeys(kept.itemId, itemId)
      if (order >= 0) return order === 0 ? kept.row : null
    }
    return this.#ended ? null : this.#ofNextBlock(itemId)
  }

  async close(): Promise<void> {
    await this.#blocks.return()
  }

  async #ofNextBlock(itemId: string): Promise<Row<C> | null> {
    const { done, value } = await this.#blocks.next()
    this.#ended = done === true
    this.#block = value ?? []
    this.#at = 0
    return this.of(itemId)
  }
}
