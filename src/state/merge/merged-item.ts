// What a merge gives: the changes that rows make, and the items after them.

import type {
  Columns,
  ItemPriorityColumns,
  ItemSnapshotColumns,
  Row,
  Version,
} from '../../engine/index'
import type { Change } from './row-change'

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
