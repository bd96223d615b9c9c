// The items of a category as they are read back: each with its newest row, its priority and the
// record of its group.

import type { Row } from '../../codec/row'
import { anObject, withMethods } from '../../options'
import type { ItemGroupColumns, ItemSnapshotColumns } from '../../schema/feed-schemas'
import type { MergedItem } from '../../state/merge/merge-state'
import type { CategoryState } from '../folder/category-state'

export interface StateItem extends MergedItem<ItemSnapshotColumns> {
  /** Null where the item is in no group, and where the group's record has never come. */
  readonly group: Row<ItemGroupColumns> | null
}

/** Blocks of the items that are there, in key order, at most a few hundred each. */
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
 * The item as a plain object with typed cells: its row, its priority and its group, null where it
 * has none.
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
