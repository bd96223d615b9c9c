// The columns of the item priority feed, which no interface names (service-notes.md, section 6.6).

import type { Columns } from './feed-schema'
import { itemColumns } from './item-columns'

const NOTES = 'service-notes.md, section 6.6'

export const itemPriorityColumns = {
  itemId: itemColumns.itemId,
  priorityListingPayload: itemColumns.priorityListingPayload,
  /** ADDED_TO_CAMPAIGN, REMOVED_FROM_CAMPAIGN, TRACKING_PAYLOAD_REFRESHED and new values. */
  changeMetadata: { type: 'pipeList', source: NOTES },
} as const satisfies Columns
