// The columns of the item group feed: three that document 2 names, the others from the service notes, in the notes' order.

import type { Columns } from './feed-schema'
import { itemColumns } from './item-columns'

const DOCUMENT = '2 · Item Group feed'
const NOTES = 'service-notes · Columns'

export const itemGroupColumns = {
  itemGroupId: { type: 'text', required: true, source: DOCUMENT },
  itemGroupType: { type: 'text', source: NOTES },
  title: itemColumns.title,
  variesByLocalizedAspects: { type: 'aspects', source: DOCUMENT },
  imageUrl: itemColumns.imageUrl,
  additionalImageUrls: { type: 'text', source: DOCUMENT },
  imageAlteringProhibited: itemColumns.imageAlteringProhibited,
} as const satisfies Columns
