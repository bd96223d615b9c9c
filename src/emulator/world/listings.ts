// The listings of a market, whose items stand together. The items of a place are cut into blocks of
// one length, and each block into listings, so the listing of an item is found from its block alone.
// A listing of several items is a group: its items have the identifier of the listing, and the third
// part of theirs says which variation it is.

import type { Grouping, ItemGroup, Membership, OrphanShares } from './group'
import { DRAW, fraction, mix } from './hash'
import { itemKey, legacyItemId, type Place } from './place'

const BLOCK = 96
const SINGLE_SHARE = 0.7
const MAX_VARIATIONS = 24

/** The listing of each item of a block: where it begins in the block, and how many items it has. */
interface Block {
  readonly place: Place
  readonly start: number
  readonly firsts: Uint8Array
  readonly sizes: Uint8Array
}

interface Listing {
  /** The index of its first item. */
  readonly first: number
  readonly size: number
}

export class Listings implements Grouping {
  readonly #items: number
  readonly #orphans: OrphanShares
  #last: Block | undefined

  constructor(items: number, orphans: OrphanShares) {
    this.#items = items
    this.#orphans = orphans
  }

  lifeKey(place: Place, index: number): number {
    const { first, size } = this.#listing(place, index)
    return size === 1 ? itemKey(place, first) : groupKey(place, first)
  }

  listingOf(place: Place, index: number): readonly [listingId: string, variationId: string] {
    const { first, size } = this.#listing(place, index)
    return [legacyItemId(place, first), size === 1 ? '0' : variationId(place, index)]
  }

  membershipOf(place: Place, index: number): Membership | undefined {
    const { first, size } = this.#listing(place, index)
    if (size === 1) return undefined
    return {
      itemGroupId: legacyItemId(place, first),
      key: groupKey(place, first),
      position: index - first,
    }
  }

  *numbers(place: Place): Generator<number, void, void> {
    for (let index = 0; index < this.#items; ) {
      const { size } = this.#listing(place, index)
      if (size > 1) yield index
      index += size
    }
  }

  *orphans(): Generator<number, void, void> {
    const end = this.#items + Math.round((this.#items / 6) * this.#orphans.groupsWithoutItems)
    for (let group = this.#items; group < end; group++) yield group
  }

  *members(place: Place, group: number): Generator<number, void, void> {
    const end = Math.min(this.#items, group + this.#listing(place, group).size)
    for (let index = group; index < end; index++) yield index
  }

  isWithheld(place: Place, group: number): boolean {
    const hash = mix(groupKey(place, group), DRAW.groupMissing)
    return fraction(hash) < this.#orphans.itemsWithoutGroup
  }

  record(place: Place, group: number): ItemGroup {
    const { size } = this.#listing(place, group)
    return {
      place,
      group,
      key: groupKey(place, group),
      itemGroupId: legacyItemId(place, group),
      positions: Math.max(1, Math.min(size, this.#items - group)),
    }
  }

  #listing(place: Place, index: number): Listing {
    const at = index % BLOCK
    const block = this.#block(place, index - at)
    return { first: block.start + block.firsts[at]!, size: block.sizes[at]! }
  }

  /** The last block is kept, because the items of a place are asked for in their order. */
  #block(place: Place, start: number): Block {
    if (this.#last?.place === place && this.#last.start === start) return this.#last
    const [firsts, sizes] = [new Uint8Array(BLOCK), new Uint8Array(BLOCK)]
    for (let at = 0; at < BLOCK; ) {
      const size = Math.min(drawSize(place, start + at), BLOCK - at)
      firsts.fill(at, at, at + size)
      sizes.fill(size, at, at + size)
      at += size
    }
    this.#last = { place, start, firsts, sizes }
    return this.#last
  }
}

/** Most listings have one item. The others have two or more, large numbers less often. */
function drawSize(place: Place, first: number): number {
  const draw = fraction(mix(mix(place.key, DRAW.groupSize), first))
  if (draw < SINGLE_SHARE) return 1
  return Math.floor(2 * (MAX_VARIATIONS / 2) ** ((draw - SINGLE_SHARE) / (1 - SINGLE_SHARE)))
}

function groupKey(place: Place, first: number): number {
  return mix(mix(place.key, DRAW.grouped), first)
}

/** It has as many digits as that of a listing, and is never that of one. */
function variationId(place: Place, index: number): string {
  return String(300_000_000_000 + Number(legacyItemId(place, index)))
}
