// The columns of the hourly item snapshot feed: those of an item, the snapshot's date and what changed in the hour.
// A row whose availability is UNAVAILABLE fills only itemId and availability.

import type { Columns } from './feed-schema'
import { itemColumns } from './item-columns'

const DOCUMENT = 'item-feeds.md, section 2.7'
const NOTES = 'service-notes.md, section 6.5'

const { itemId, availability, ...otherItemColumns } = itemColumns

export const itemSnapshotColumns = {
  itemId,
  availability,
  ...otherItemColumns,
  itemSnapshotDate: { type: 'timestamp', source: DOCUMENT },
  itemCreationDate: { type: 'timestamp', source: DOCUMENT },
  /** PRICE_CHANGE, QUANTITY_CHANGE, TITLE_CHANGE, DELETED, NEW, ENDED and new values. */
  changeMetadata: { type: 'pipeList', source: NOTES },
} as const satisfies Columns
