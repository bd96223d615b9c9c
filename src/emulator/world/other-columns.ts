// The columns of the three other feeds (item-feeds.md, sections 2.6 to 2.8; service-notes.md,
// sections 6.4 to 6.6).

import type { CampaignChangeKind } from './campaigns'
import type { Column } from './column'
import type { ItemGroup } from './groups'
import { groupAdditionalImages, imageAlteringProhibited, itemImage } from './images'
import type { Item, ItemChange } from './item'
import { ITEM_COLUMNS } from './item-columns'
import { modelAt } from './models'
import { variesByCell } from './variations'

/** A change of the campaigns of an item on one day. */
export interface CampaignChange {
  readonly item: Item
  readonly kinds: readonly CampaignChangeKind[]
  /** The tracking payload. Empty when the item has left. */
  readonly payload: string
}

const modelOf = ({ place, key }: ItemGroup) => modelAt(place, key)

export const GROUP_COLUMNS: readonly Column<ItemGroup>[] = [
  { name: 'itemGroupId', cell: group => group.itemGroupId },
  { name: 'itemGroupType', cell: () => 'SELLER_DEFINED_VARIATIONS' },
  { name: 'title', cell: group => modelOf(group).title },
  {
    name: 'variesByLocalizedAspects',
    cell: group => variesByCell(modelOf(group), group.positions),
  },
  { name: 'imageUrl', cell: group => itemImage(modelOf(group), 0) },
  {
    name: 'additionalImageUrls',
    cell: group => groupAdditionalImages(modelOf(group), group.positions),
  },
  { name: 'imageAlteringProhibited', cell: group => imageAlteringProhibited(modelOf(group)) },
]

export const PRIORITY_COLUMNS: readonly Column<CampaignChange>[] = [
  { name: 'itemId', cell: change => change.item.itemId },
  { name: 'priorityListingPayload', cell: change => change.payload },
  { name: 'changeMetadata', cell: change => change.kinds.join('|') },
]

const SNAPSHOT_LEAD: readonly string[] = ['itemId', 'availability']

/**
 * The columns of the snapshot feed, which include those of the item feed. An ended item fills only
 * the first two.
 */
export function snapshotColumns(
  itemColumns: readonly Column<Item>[],
): readonly Column<ItemChange>[] {
  const rest = itemColumns.filter(
    column => !SNAPSHOT_LEAD.includes(column.name) && column.name !== 'itemCreationDate',
  )
  const availability = ITEM_COLUMNS.find(column => column.name === 'availability')!
  return [
    { name: 'itemId', cell: change => change.item.itemId },
    {
      name: 'availability',
      cell: (change, at) =>
        change.item.active ? availability.cell(change.item, at) : 'UNAVAILABLE',
    },
    ...rest.map(column => whileActive(column.name, (change, at) => column.cell(change.item, at))),
    whileActive('itemSnapshotDate', change => new Date(change.item.changedAt).toISOString()),
    whileActive('itemCreationDate', change => new Date(change.item.listedAt).toISOString()),
    whileActive('changeMetadata', change => change.kinds.join('|')),
  ]
}

function whileActive(name: string, cell: Column<ItemChange>['cell']): Column<ItemChange> {
  return { name, cell: (change, at) => (change.item.active ? cell(change, at) : '') }
}
