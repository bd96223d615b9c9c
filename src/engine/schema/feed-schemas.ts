// The schemas of the four feeds (item-feeds.md, section 2), and the columns of three of them.
// item-columns.ts has the columns of an item.

import { is } from '../options'
import { aspects, list, text, timestamp } from './column-kinds'
import type { Columns, FeedName, FeedSchema } from './feed-schema'
import { itemColumns } from './item-columns'

/**
 * The columns of an item group. The interface names three of them; service-notes.md, section 6.4,
 * has the others and the order.
 */
export const itemGroupColumns = {
  itemGroupId: text({ required: true, source: 'item-feeds.md, section 2.6' }),
  itemGroupType: text({ source: 'service-notes.md, section 6.4' }),
  title: itemColumns.title,
  variesByLocalizedAspects: aspects({ source: 'item-feeds.md, section 2.6' }),
  imageUrl: itemColumns.imageUrl,
  additionalImageUrls: text({ source: 'item-feeds.md, section 2.6' }),
  imageAlteringProhibited: itemColumns.imageAlteringProhibited,
} satisfies Columns

const { itemId, availability, ...otherItemColumns } = itemColumns

/**
 * The columns of an item, the snapshot's date and what changed in the hour. A row whose
 * availability is UNAVAILABLE fills only the first two.
 */
export const itemSnapshotColumns = {
  itemId,
  availability,
  ...otherItemColumns,
  itemSnapshotDate: timestamp({ source: 'item-feeds.md, section 2.7' }),
  itemCreationDate: timestamp({ source: 'item-feeds.md, section 2.7' }),
  /** PRICE_CHANGE, QUANTITY_CHANGE, TITLE_CHANGE, DELETED, NEW, ENDED and new values. */
  changeMetadata: list('|', text(), { source: 'service-notes.md, section 6.5' }),
} satisfies Columns

/** The columns of the priority feed. The interface names none of them. */
export const itemPriorityColumns = {
  itemId: itemColumns.itemId,
  priorityListingPayload: itemColumns.priorityListingPayload,
  /** ADDED_TO_CAMPAIGN, REMOVED_FROM_CAMPAIGN, TRACKING_PAYLOAD_REFRESHED and new values. */
  changeMetadata: list('|', text(), { source: 'service-notes.md, section 6.6' }),
} satisfies Columns

// An editor shows the name of a type that is made by Pick, in place of the whole table.
export type ItemColumns = Pick<typeof itemColumns, keyof typeof itemColumns>
export type ItemGroupColumns = Pick<typeof itemGroupColumns, keyof typeof itemGroupColumns>
export type ItemSnapshotColumns = Pick<typeof itemSnapshotColumns, keyof typeof itemSnapshotColumns>
export type ItemPriorityColumns = Pick<typeof itemPriorityColumns, keyof typeof itemPriorityColumns>

/**
 * The feed of all active or newly listed items. The key is itemId.
 *
 * @example
 * ```ts
 * import { itemSchema } from 'feedmill'
 *
 * console.log(itemSchema.name, itemSchema.columns.priceValue.type)
 * // => item decimal
 * ```
 */
export const itemSchema: FeedSchema<ItemColumns> = { name: 'item', columns: itemColumns }
/** The feed of item groups, the parent records of variations. The key is itemGroupId. */
export const itemGroupSchema: FeedSchema<ItemGroupColumns> = {
  name: 'item_group',
  columns: itemGroupColumns,
}
/** The feed of items that changed in one hour. The key is itemId. */
export const itemSnapshotSchema: FeedSchema<ItemSnapshotColumns> = {
  name: 'item_snapshot',
  columns: itemSnapshotColumns,
}
/** The feed of changes in the status of priority items in one day. The key is itemId. */
export const itemPrioritySchema: FeedSchema<ItemPriorityColumns> = {
  name: 'item_priority',
  columns: itemPriorityColumns,
}

/** The schemas of the feeds by their path names. */
export const FEED_SCHEMAS = {
  item: itemSchema,
  item_group: itemGroupSchema,
  item_snapshot: itemSnapshotSchema,
  item_priority: itemPrioritySchema,
} as const satisfies Record<FeedName, FeedSchema>

/**
 * The schemas of the feeds by their path names.
 *
 * @example
 * ```ts
 * import { itemGroupSchema, schemaOf } from 'feedmill'
 *
 * console.log(schemaOf('item_group') === itemGroupSchema)
 * // => true
 * ```
 */
export function schemaOf<F extends FeedName>(feed: F): (typeof FEED_SCHEMAS)[F] {
  return FEED_SCHEMAS[is.choice(...(Object.keys(FEED_SCHEMAS) as F[]))('feed', feed)]
}
