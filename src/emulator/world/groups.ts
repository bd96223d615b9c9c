// Which items form a group. Members stand far apart in a file: group g holds the items g, g +
// stride, g + 2·stride, … so a group is found from an item, and its items from a group, without a
// list of either. What the items of a group have in common follows from the group's key
// (models.ts), what differs from an item's position in it (variations.ts).

import { DRAW } from './draws'
import { between, fraction, mix } from './hash'
import { itemGroupId, type Place } from './place'

export interface OrphanShares {
  /** Share of groups whose record the group files leave out, although items name them. 0 to 1. */
  readonly itemsWithoutGroup: number
  /** Records that no item names, as a share of the possible groups. 0 to 1. */
  readonly groupsWithoutItems: number
}

/** A group's record. */
export interface ItemGroup {
  readonly place: Place
  readonly group: number
  readonly key: number
  readonly itemGroupId: string
  /** Items that ever name it, at the positions from 0 up; 1 for a record that no item names. */
  readonly positions: number
}

/** The group of an item, and where in it the item stands. */
export interface Membership {
  readonly itemGroupId: string
  readonly key: number
  /** 0 to 5. */
  readonly position: number
}

const MAX_MEMBERS = 6
const GROUPED_SHARE = 0.4

export class Groups {
  /** Numbers below this may have members. */
  readonly stride: number
  readonly #items: number
  readonly #orphans: OrphanShares

  constructor(items: number, orphans: OrphanShares) {
    this.#items = items
    this.#orphans = orphans
    this.stride = Math.ceil(items / MAX_MEMBERS)
  }

  /** Numbers from `stride` to this hold records without items. */
  get limit(): number {
    return this.stride + Math.round(this.stride * this.#orphans.groupsWithoutItems)
  }

  /** The group of an item, or undefined for an item on its own. */
  membershipOf(place: Place, index: number): Membership | undefined {
    const group = index % this.stride
    const key = groupKey(place, group)
    const position = Math.floor(index / this.stride)
    return position < sizeOf(key)
      ? { itemGroupId: itemGroupId(place, group), key, position }
      : undefined
  }

  /** Indices of the items that name this group, active or not, rising. */
  *members(place: Place, group: number): Generator<number, void, void> {
    const count = this.#membersOf(place, group)
    for (let i = 0; i < count; i++) yield group + i * this.stride
  }

  /** True when the group files leave this group's record out. */
  isWithheld(place: Place, group: number): boolean {
    return (
      group < this.stride &&
      fraction(mix(groupKey(place, group), DRAW.groupMissing)) < this.#orphans.itemsWithoutGroup
    )
  }

  record(place: Place, group: number): ItemGroup {
    const positions = Math.max(1, this.#membersOf(place, group))
    return {
      place,
      group,
      key: groupKey(place, group),
      itemGroupId: itemGroupId(place, group),
      positions,
    }
  }

  #membersOf(place: Place, group: number): number {
    if (group >= this.stride) return 0
    return Math.min(sizeOf(groupKey(place, group)), Math.ceil((this.#items - group) / this.stride))
  }
}

/** How many items a group has where there are enough of them. */
function sizeOf(key: number): number {
  return fraction(mix(key, DRAW.grouped)) < GROUPED_SHARE
    ? between(mix(key, DRAW.groupSize), 2, MAX_MEMBERS)
    : 0
}

function groupKey(place: Place, group: number): number {
  return mix(mix(place.key, DRAW.grouped), group)
}
