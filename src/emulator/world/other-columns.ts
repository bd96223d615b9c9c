// The columns of the three other feeds (document 2 names some, service-notes.md the rest).

import { colorPair } from './aspects'
import type { CampaignChangeKind } from './campaigns'
import { DRAW } from './draws'
import type { ItemGroup } from './groups'
import { mix, opaque } from './hash'
import type { Item, ItemChange } from './item'
import { type Column, ITEM_COLUMNS } from './item-columns'
import { groupTitle } from './titles'

/** What happened to an item's place in campaigns on one day. */
export interface CampaignChange {
  readonly item: Item
  readonly kinds: readonly CampaignChangeKind[]
  /** Empty once it has left. */
  readonly payload: string
}

export const GROUP_COLUMNS: readonly Column<ItemGroup>[] = [
  { name: 'itemGroupId', cell: group => group.itemGroupId },
  { name: 'itemGroupType', cell: () => 'SELLER_DEFINED_VARIATIONS' },
  { name: 'title', cell: group => groupTitle(group.key) },
  { name: 'variesByLocalizedAspects', cell: group => group.colors.map(colorPair).join(';') },
  { name: 'imageUrl', cell: group => groupImage(group, 0) },
  {
    name: 'additionalImageUrls',
    cell: group =>
      group.colors
        .slice(1)
        .map((_, i) => groupImage(group, i + 1))
        .join('|'),
  },
  { name: 'imageAlteringProhibited', cell: group => (mix(group.key, DRAW.imageFlag) % 10 === 0 ? 'true' : 'false') },
]

export const PRIORITY_COLUMNS: readonly Column<CampaignChange>[] = [
  { name: 'itemId', cell: change => change.item.itemId },
  { name: 'priorityListingPayload', cell: change => change.payload },
  { name: 'changeMetadata', cell: change => change.kinds.join('|') },
]

const SNAPSHOT_LEAD: readonly string[] = ['itemId', 'availability']

/** The snapshot feed's columns around those of the item feed. An ended item fills only the two first ones. */
export function snapshotColumns(itemColumns: readonly Column<Item>[]): readonly Column<ItemChange>[] {
  const rest = itemColumns.filter(column => !SNAPSHOT_LEAD.includes(column.name) && column.name !== 'itemCreationDate')
  const availability = ITEM_COLUMNS.find(column => column.name === 'availability')!
  return [
    { name: 'itemId', cell: change => change.item.itemId },
    { name: 'availability', cell: (change, at) => (change.item.active ? availability.cell(change.item, at) : 'UNAVAILABLE') },
    ...rest.map(column => whileActive(column.name, (change, at) => column.cell(change.item, at))),
    whileActive('itemSnapshotDate', change => new Date(change.item.changedAt).toISOString()),
    whileActive('itemCreationDate', change => new Date(change.item.listedAt).toISOString()),
    whileActive('changeMetadata', change => change.kinds.join('|')),
  ]
}

function whileActive(name: string, cell: Column<ItemChange>['cell']): Column<ItemChange> {
  return { name, cell: (change, at) => (change.item.active ? cell(change, at) : '') }
}

function groupImage(group: ItemGroup, number: number): string {
  return `https://i.img.example/images/g/${opaque(mix(mix(group.key, DRAW.groupImages), number), 4)}/s-l1600.jpg`
}
