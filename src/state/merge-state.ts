// The merged state of a category: for every item the newest row and, apart from it, the newest priority row.
// Two registers an item, because a priority row says nothing about the item's row and neither replaces the other.

import type { Version, VersionOf } from '../codec/merge/version-order'
import type { Row } from '../codec/row'
import type { AnyBatch } from '../codec/row-image'
import type { Columns, FeedSchema } from '../schema/feed-schema'
import { type ItemPriorityColumns, type ItemSnapshotColumns, itemPrioritySchema } from '../schema/feed-schemas'
import type { KeyedStore } from './keyed-store'
import { type Change, RegisterSet } from './register-set'

/** A change of an item's row or of its priority. */
export type MergeChange<C extends Columns = ItemSnapshotColumns> = Change<'item', C> | Change<'priority', ItemPriorityColumns>

/** An item as it stands after the merge. */
export interface MergedItem<C extends Columns = ItemSnapshotColumns> {
  readonly itemId: string
  readonly row: Row<C>
  /** The newest row of the priority feed about this item. */
  readonly priority: Row<ItemPriorityColumns> | null
  /** Of `row`. */
  readonly version: Version
}

export interface MergeStateOptions<C extends Columns> {
  readonly store: KeyedStore
  readonly schema: FeedSchema<C>
  readonly versionOf?: VersionOf | undefined
}

export class MergeState<C extends Columns> {
  readonly #items: RegisterSet<'item', C>
  readonly #priorities: RegisterSet<'priority', ItemPriorityColumns>

  constructor({ store, schema, versionOf }: MergeStateOptions<C>) {
    this.#items = new RegisterSet({ part: 'item', store, prefix: 'i', schema, versionOf })
    this.#priorities = new RegisterSet({ part: 'priority', store, prefix: 'p', schema: itemPrioritySchema, versionOf })
  }

  /** Merges a batch, all or nothing. @throws FeedError KEY_MISSING, VERSION_MISSING, CELL_INVALID, STATE_LIMIT */
  merge(batch: AnyBatch): Promise<readonly MergeChange<C>[]> {
    return batch.file.feed === 'item_priority' ? this.#priorities.merge(batch) : this.#items.merge(batch)
  }

  /** Blocks of the items that are there, in key order. Removed items, and priorities of items never seen, are left out. */
  async *entries(): AsyncGenerator<MergedItem<C>[], void, void> {
    for await (const block of this.#items.entries()) {
      const priorities = await this.#priorities.rows(block.map(({ itemId }) => itemId))
      const items: MergedItem<C>[] = []
      for (const [n, { itemId, row, version }] of block.entries()) {
        if (row !== null) items.push({ itemId, row, priority: priorities[n]!, version })
      }
      if (items.length > 0) yield items
    }
  }
}
