// The items of a category: each with its newest row, its priority and the record of its group.

import type { Row } from '../../codec/row'
import { anObject, withMethods } from '../../options'
import type { ItemGroupColumns, ItemSnapshotColumns } from '../../schema/feed-schemas'
import type { MergedItem } from '../../state/merge/merge-state'
import type { CategoryState } from '../folder/category-state'

export interface StateItem extends MergedItem<ItemSnapshotColumns> {
  /**
   * The record of the item's group; null where the item has no group, and where the record has not
   * arrived.
   */
  readonly group: Row<ItemGroupColumns> | null
}

/** Yields the items in key order, in blocks of at most a few hundred. */
export async function* stateItems({
  items,
  groups,
}: CategoryState): AsyncGenerator<StateItem[], void, void> {
  for await (const block of items.entries()) {
    const groupIds = block.map(({ row }) => row.text('primaryItemGroupId'))
    const wanted = [...new Set(groupIds.filter(id => id !== ''))]
    const records = await groups.rows(wanted)
    const byId = new Map(wanted.map((id, n) => [id, records[n]]))
    yield block.map((item, n) => ({ ...item, group: byId.get(groupIds[n]!) ?? null }))
  }
}

/**
 * Returns the item as a plain object with typed cells: the columns of its row, and `priority` and
 * `group`, which may be null.
 * @throws FeedError OPTION_INVALID
 */
export function stateItemObject(item: StateItem): Record<string, unknown> {
  const { row, priority, group } = anObject('item', item)
  withMethods('item.row', row, ['toObject'])
  return {
    ...row.toObject(),
    priority: priority?.toObject() ?? null,
    group: group?.toObject() ?? null,
  }
}
