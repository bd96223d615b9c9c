// What a join gives: items with their groups, or groups with their items.

import type { Columns, Row } from '../../engine/index'
import type { Cluster } from './clusters'

export type JoinMode = 'items-with-group' | 'group-with-items'

/** One item with its group, or an item or group without a partner. */
export type JoinedItem<T, G extends Columns> =
  | { readonly kind: 'joined'; readonly item: T; readonly group: Row<G> }
  /** The item has no primaryItemGroupId. */
  | { readonly kind: 'ungrouped'; readonly item: T; readonly group: null }
  /** The item names a group that the groups' source does not have. */
  | { readonly kind: 'item-orphan'; readonly item: T; readonly group: null }
  /** No item names this group. */
  | { readonly kind: 'group-orphan'; readonly item: null; readonly group: Row<G> }

/**
 * One group with its items in order of arrival, or items or a group without a partner. The kinds
 * are those of {@link JoinedItem}.
 */
export type JoinedGroup<C extends Columns, G extends Columns> =
  | {
      readonly kind: 'joined' | 'group-orphan'
      readonly groupId: string
      readonly group: Row<G>
      readonly items: readonly Row<C>[]
    }
  | {
      readonly kind: 'item-orphan'
      readonly groupId: string
      readonly group: null
      readonly items: readonly Row<C>[]
    }
  | {
      readonly kind: 'ungrouped'
      readonly groupId: null
      readonly group: null
      readonly items: readonly Row<C>[]
    }

export type JoinOutput<
  M extends JoinMode,
  T,
  C extends Columns,
  G extends Columns,
> = M extends 'items-with-group' ? JoinedItem<T, G> : JoinedGroup<C, G>

export function joinedItem<T, G extends Columns>(
  item: T,
  groupId: string,
  group: Row<G> | undefined,
): JoinedItem<T, G> {
  if (group !== undefined) return { kind: 'joined', item, group }
  return { kind: groupId === '' ? 'ungrouped' : 'item-orphan', item, group: null }
}

export function joinedGroup<C extends Columns, G extends Columns>({
  groupId,
  group,
  items,
}: Cluster<G, C>): JoinedGroup<C, G> {
  if (group === null) return { kind: 'item-orphan', groupId, group, items }
  return { kind: items.length === 0 ? 'group-orphan' : 'joined', groupId, group, items }
}
