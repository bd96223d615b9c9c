// Which items form a group. The members of a group are far apart in a file: group g holds the items
// g, g + stride, g + 2·stride, … so a group is found from an item, and its items from a group,
// without a list of either. The shared properties of the items follow from the key of the group
// (models.ts), and their differences from the position in it (variations.ts).

import { DRAW } from './draws'
import { between, fraction, mix } from './hash'
import { itemGroupId, type Place } from './place'

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

/** The group of an item, and the position of the item in it. */
export interface Membership {
  readonly itemGroupId: string
  readonly key: number
  /** The position, 0 to 5. */
  readonly position: number
}

const MAX_MEMBERS = 6
const GROUPED_SHARE = 0.4

export class Groups {
  /** Groups with a number below this may have members. */
  readonly stride: number
  readonly #items: number
  readonly #orphans: OrphanShares

  constructor(items: number, orphans: OrphanShares) {
    this.#items = items
    this.#orphans = orphans
    this.stride = Math.ceil(items / MAX_MEMBERS)
  }

  /** Groups with a number from `stride` to this have records without items. */
  get limit(): number {
    return this.stride + Math.round(this.stride * this.#orphans.groupsWithoutItems)
  }

  /** Returns the group of an item, or undefined for a single item. */
  membershipOf(place: Place, index: number): Membership | undefined {
    const group = index % this.stride
    const key = groupKey(place, group)
    const position = Math.floor(index / this.stride)
    return position < sizeOf(key)
      ? { itemGroupId: itemGroupId(place, group), key, position }
      : undefined
  }

  /** Yields the indices of the items that name this group, active or not, in rising order. */
  *members(place: Place, group: number): Generator<number, void, void> {
    const count = this.#membersOf(place, group)
    for (let i = 0; i < count; i++) yield group + i * this.stride
  }

  /** Returns whether the group files leave out the record of this group. */
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

/** Returns the number of items of a group, provided that the world has enough items. */
function sizeOf(key: number): number {
  return fraction(mix(key, DRAW.grouped)) < GROUPED_SHARE
    ? between(mix(key, DRAW.groupSize), 2, MAX_MEMBERS)
    : 0
}

function groupKey(place: Place, group: number): number {
  return mix(mix(place.key, DRAW.grouped), group)
}
