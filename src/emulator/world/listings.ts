// The listings of a market, whose items stand together. The items of a place are cut into blocks of
// one length, and each block into listings, so the listing of an item is found from its block alone.
// A listing of several items is a group: its items have the identifier of the listing, and the third
// part of theirs says which variation it is.

import { type Grouping, groupKey } from './group'
import { DRAW, fraction, mix } from './hash'
import { itemKey, legacyItemId, type Place } from './place'

const BLOCK = 96
const MAX_VARIATIONS = 24

export class Listings implements Grouping {
  readonly end: number
  #last: ReturnType<typeof blockAt> | undefined

  constructor(items: number) {
    this.end = items
  }

  readonly groupId = legacyItemId

  lifeKey(place: Place, index: number): number {
    const { first, size } = this.#listing(place, index)
    return size === 1 ? itemKey(place, first) : groupKey(place, first)
  }

  standingOf(place: Place, index: number) {
    const { first, size } = this.#listing(place, index)
    const listingId = legacyItemId(place, first)
    return {
      itemId: `v1|${listingId}|${size === 1 ? 0 : variationId(place, index)}`,
      legacyItemId: listingId,
      groupId: size === 1 ? '' : listingId,
      modelKey: this.lifeKey(place, index),
      position: index - first,
    }
  }

  *numbers(place: Place): Generator<number, void, void> {
    for (let index = 0; index < this.end; ) {
      const { size } = this.#listing(place, index)
      if (size > 1) yield index
      index += size
    }
  }

  *members(place: Place, group: number): Generator<number, void, void> {
    const end = Math.min(this.end, group + this.#listing(place, group).size)
    for (let index = group; index < end; index++) yield index
  }

  /** The last block is kept, because the items of a place are asked for in their order. */
  #listing(place: Place, index: number): { readonly first: number; readonly size: number } {
    const at = index % BLOCK
    const start = index - at
    if (this.#last?.place !== place || this.#last.start !== start)
      this.#last = blockAt(place, start)
    return { first: start + this.#last.firsts[at]!, size: this.#last.sizes[at]! }
  }
}

/** The listing of each item of a block: where it begins in the block, and how many items it has. */
function blockAt(place: Place, start: number) {
  const [firsts, sizes] = [new Uint8Array(BLOCK), new Uint8Array(BLOCK)]
  for (let at = 0; at < BLOCK; ) {
    const size = Math.min(drawSize(place, start + at), BLOCK - at)
    firsts.fill(at, at, at + size)
    sizes.fill(size, at, at + size)
    at += size
  }
  return { place, start, firsts, sizes }
}

/** A listing has one item, or two or more, and large numbers less often. */
function drawSize(place: Place, first: number): number {
  const draw = fraction(mix(mix(place.key, DRAW.groupSize), first))
  const { singleShare } = place.market!
  if (draw < singleShare) return 1
  return Math.floor(2 * (MAX_VARIATIONS / 2) ** ((draw - singleShare) / (1 - singleShare)))
}

/** It has as many digits as that of a listing, and is never that of one. */
function variationId(place: Place, index: number): string {
  return String(300_000_000_000 + Number(legacyItemId(place, index)))
}
