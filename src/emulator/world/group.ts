// Which items form a group. The members of a group are far apart in a file: group g holds the items
// g, g + stride, g + 2·stride, … so a group is found from an item, and its items from a group,
// without a list of either. model.ts has what they share.

import { between, DRAW, fraction, mix } from './hash'
import { itemGroupId, itemKey, legacyItemId, type Place } from './place'

export interface OrphanShares {
  /**
   * The share of groups without a record in the group files, although items name them. From 0 to 1.
   * Default: 0.
   */
  readonly itemsWithoutGroup: number
  /**
   * The number of records that no item names, as a share of the possible groups. From 0 to 1.
   * Default: 0.
   */
  readonly groupsWithoutItems: number
}

/** The record of a group. */
export interface ItemGroup {
  readonly place: Place
  readonly group: number
  readonly key: number
  readonly itemGroupId: string
  /**
   * The number of items that ever name it, at the positions from 0. It is 1 for a record that no
   * item names.
   */
  readonly positions: number
}

/** What belongs to an item by its place in a listing and a group; {@link Item} has the meanings. */
interface Standing {
  readonly itemId: string
  readonly legacyItemId: string
  readonly groupId: string
  readonly modelKey: number
  readonly position: number
}

/** How the items of the places of a world belong together. */
export interface Grouping {
  /** The number of the first group without items; those of the others are lower. */
  readonly end: number
  /** Returns the key of what happens to an item. Items of one listing have the same. */
  lifeKey(place: Place, index: number): number
  standingOf(place: Place, index: number): Standing
  /** Yields the numbers of all possible groups with items, in rising order. */
  numbers(place: Place): Iterable<number>
  /** Yields the indices of the items that name this group, active or not, in rising order. */
  members(place: Place, group: number): Iterable<number>
  groupId(place: Place, group: number): string
}

/** Yields the numbers of the groups that have records without items. */
export function* orphanGroups(
  { end }: Grouping,
  items: number,
  { groupsWithoutItems }: OrphanShares,
) {
  const count = Math.round(Math.ceil(items / MAX_MEMBERS) * groupsWithoutItems)
  for (let n = 0; n < count; n++) yield end + n
}

/** Returns whether the group files leave out the record of this group. */
export function isWithheld(place: Place, group: number, { itemsWithoutGroup }: OrphanShares) {
  return fraction(mix(groupKey(place, group), DRAW.groupMissing)) < itemsWithoutGroup
}

export function groupRecord(groups: Grouping, place: Place, group: number): ItemGroup {
  const key = groupKey(place, group)
  const positions = Math.max(1, [...groups.members(place, group)].length)
  return { place, group, key, itemGroupId: groups.groupId(place, group), positions }
}

export function groupKey(place: Place, group: number): number {
  return mix(mix(place.key, DRAW.grouped), group)
}

const MAX_MEMBERS = 6
const GROUPED_SHARE = 0.4

/** The groups of a plain world, whose items are listings of their own. */
export class Groups implements Grouping {
  readonly end: number
  readonly #items: number

  constructor(items: number) {
    this.#items = items
    this.end = Math.ceil(items / MAX_MEMBERS)
  }

  readonly lifeKey = itemKey
  readonly groupId = itemGroupId

  standingOf(place: Place, index: number): Standing {
    const legacyId = legacyItemId(place, index)
    const group = index % this.end
    const key = groupKey(place, group)
    const position = Math.floor(index / this.end)
    const isMember = position < sizeOf(key)
    return {
      itemId: `v1|${legacyId}|0`,
      legacyItemId: legacyId,
      groupId: isMember ? itemGroupId(place, group) : '',
      modelKey: isMember ? key : itemKey(place, index),
      position: isMember ? position : 0,
    }
  }

  *numbers(): Generator<number, void, void> {
    for (let group = 0; group < this.end; group++) yield group
  }

  *members(place: Place, group: number): Generator<number, void, void> {
    const count = group < this.end ? sizeOf(groupKey(place, group)) : 0
    for (let n = 0; n < count && group + n * this.end < this.#items; n++) yield group + n * this.end
  }
}

/** Returns the number of items of a group, provided that the world has enough items. */
function sizeOf(key: number): number {
  return fraction(mix(key, DRAW.grouped)) < GROUPED_SHARE
    ? between(mix(key, DRAW.groupSize), 2, MAX_MEMBERS)
    : 0
}
