// The columns of the item group feed: three that its interface names (item-feeds.md, section 2.6),
// the others and the order from service-notes.md, section 6.4.

import type { Columns } from './feed-schema'
import { itemColumns } from './item-columns'

const DOCUMENT = 'item-feeds.md, section 2.6'
const NOTES = 'service-notes.md, section 6.4'

export const itemGroupColumns = {
  itemGroupId: { type: 'text', required: true, source: DOCUMENT },
  itemGroupType: { type: 'text', source: NOTES },
  title: itemColumns.title,
  variesByLocalizedAspects: { type: 'aspects', source: DOCUMENT },
  imageUrl: itemColumns.imageUrl,
  additionalImageUrls: { type: 'text', source: DOCUMENT },
  imageAlteringProhibited: itemColumns.imageAlteringProhibited,
} as const satisfies Columns
