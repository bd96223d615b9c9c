// Which items form a group. Members stand far apart in a file: group g holds the items g, g + stride, g + 2·stride, …
// so a group is found from an item, and its items from a group, without a list of either.

import { DRAW } from './draws'
import { between, fraction, mix, pick } from './hash'
import { itemGroupId, itemKey, type Place } from './place'
import { COLORS } from './words'

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
  /** The values of the aspect that varies, one for each different one among the members. */
  readonly colors: readonly string[]
}

const MAX_MEMBERS = 6
const GROUPED_SHARE = 0.45

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

  /** The identifier of an item's group, or ''. */
  groupIdOf(place: Place, index: number): string {
    const group = index % this.stride
    return Math.floor(index / this.stride) < this.#size(place, group) ? itemGroupId(place, group) : ''
  }

  /** Indices of the items that name this group, active or not, rising. */
  *members(place: Place, group: number): Generator<number, void, void> {
    if (group >= this.stride) return
    const size = this.#size(place, group)
    for (let i = 0, index = group; i < size && index < this.#items; i++, index += this.stride) yield index
  }

  /** True when the group files leave this group's record out. */
  isWithheld(place: Place, group: number): boolean {
    return group < this.stride && fraction(mix(groupKey(place, group), DRAW.groupMissing)) < this.#orphans.itemsWithoutGroup
  }

  record(place: Place, group: number): ItemGroup {
    const colors = Array.from(this.members(place, group), index => colorOf(itemKey(place, index)))
    if (colors.length === 0) colors.push(colorOf(groupKey(place, group)))
    return { place, group, key: groupKey(place, group), itemGroupId: itemGroupId(place, group), colors: [...new Set(colors)] }
  }

  #size(place: Place, group: number): number {
    const key = groupKey(place, group)
    return fraction(mix(key, DRAW.grouped)) < GROUPED_SHARE ? between(mix(key, DRAW.groupSize), 1, MAX_MEMBERS) : 0
  }
}

function groupKey(place: Place, group: number): number {
  return mix(mix(place.key, DRAW.grouped), group)
}

/** An item's colour: one of its aspects, and what varies within its group. */
export function colorOf(key: number): string {
  return pick(COLORS, mix(key, DRAW.color))
}
