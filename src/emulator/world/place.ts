// One category of one marketplace: the facts that all of its items share, and the identifiers made
// from its number.

import { type Department, departmentOf } from './departments'
import { DRAW } from './draws'
import { mix, mixText } from './hash'
import { type MarketplaceFacts, marketplaceFacts } from './marketplaces'

/** Names a category of a marketplace. A missing part means the first one of the world. */
export interface PlaceName {
  readonly marketplaceId?: string
  readonly categoryId?: string
}

export interface Place {
  readonly marketplaceId: string
  readonly categoryId: string
  /** Its number among the places of the world. It makes identifiers unique across places. */
  readonly ordinal: number
  readonly key: number
  readonly facts: MarketplaceFacts
  readonly department: Department
}

/** Identifiers have 12 digits: 1, two for the place, nine for the index. */
const ID_BASE = 110_000_000_000
const PLACE_STEP = 1_000_000_000
/** The distance between neighbours. Identifiers have gaps and still rise with the index. */
const ID_GAP = 16

export const MAX_PLACES = 80
export const MAX_ITEMS = 50_000_000

export function makePlace(
  seed: number,
  marketplaceId: string,
  categoryId: string,
  ordinal: number,
): Place {
  const key = mixText(mixText(mixText(ordinal, String(seed)), marketplaceId), categoryId)
  return {
    marketplaceId,
    categoryId,
    ordinal,
    key,
    facts: marketplaceFacts(marketplaceId),
    department: departmentOf(categoryId),
  }
}

export function itemKey(place: Place, index: number): number {
  return mix(mix(place.key, DRAW.item), index)
}

export function legacyItemId(place: Place, index: number): string {
  return String(
    ID_BASE +
      place.ordinal * PLACE_STEP +
      index * ID_GAP +
      (mix(itemKey(place, index), DRAW.id) % ID_GAP),
  )
}

/** `v1|<id>|0`. It rises with the index, as a number and in UTF-8 bytes. */
export function itemId(place: Place, index: number): string {
  return `v1|${legacyItemId(place, index)}|0`
}

/** Returns the identifier of a group, which rises with the number of the group. */
export function itemGroupId(place: Place, group: number): string {
  return String(
    ID_BASE +
      800_000_000_000 +
      place.ordinal * PLACE_STEP +
      group * ID_GAP +
      (mix(mix(place.key, DRAW.group), group) % ID_GAP),
  )
}
