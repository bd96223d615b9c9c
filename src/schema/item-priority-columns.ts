// The columns of the item priority feed, which document 2 leaves to the service notes.

import type { Columns } from './feed-schema'
import { itemColumns } from './item-columns'

const NOTES = 'service-notes · Columns'

export const itemPriorityColumns = {
  itemId: itemColumns.itemId,
  priorityListingPayload: itemColumns.priorityListingPayload,
  /** ADDED_TO_CAMPAIGN, REMOVED_FROM_CAMPAIGN, TRACKING_PAYLOAD_REFRESHED and new values. */
  changeMetadata: { type: 'pipeList', source: NOTES },
} as const satisfies Columns
