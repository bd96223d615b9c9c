// The schemas of the four feeds (item-feeds.md, section 2). Their columns stand in one file each.

import { defineSchema, type FeedName, type FeedSchema } from './feed-schema'
import { itemColumns } from './item-columns'
import { itemGroupColumns } from './item-group-columns'
import { itemPriorityColumns } from './item-priority-columns'
import { itemSnapshotColumns } from './item-snapshot-columns'

// By way of Pick each type keeps its name, which an editor then shows in place of the whole table.
export type ItemColumns = Pick<typeof itemColumns, keyof typeof itemColumns>
export type ItemGroupColumns = Pick<typeof itemGroupColumns, keyof typeof itemGroupColumns>
export type ItemSnapshotColumns = Pick<typeof itemSnapshotColumns, keyof typeof itemSnapshotColumns>
export type ItemPriorityColumns = Pick<typeof itemPriorityColumns, keyof typeof itemPriorityColumns>

/** All active or newly listed items. Key: itemId. */
export const itemSchema: FeedSchema<ItemColumns> = defineSchema('item', itemColumns)
/** Parent records of items with variations. Key: itemGroupId. */
export const itemGroupSchema: FeedSchema<ItemGroupColumns> = defineSchema('item_group', itemGroupColumns)
/** Items changed in one hour. Key: itemId. */
export const itemSnapshotSchema: FeedSchema<ItemSnapshotColumns> = defineSchema('item_snapshot', itemSnapshotColumns)
/** Changes in the status of priority items in one day. Key: itemId. */
export const itemPrioritySchema: FeedSchema<ItemPriorityColumns> = defineSchema('item_priority', itemPriorityColumns)

const schemas = {
  item: itemSchema,
  item_group: itemGroupSchema,
  item_snapshot: itemSnapshotSchema,
  item_priority: itemPrioritySchema,
} as const satisfies Record<FeedName, FeedSchema>

/** The schema of a feed by its path name. */
export function schemaOf<F extends FeedName>(feed: F): (typeof schemas)[F] {
  return schemas[feed]
}
