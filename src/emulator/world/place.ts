// One category of one marketplace: the facts that all of its items share, and the identifiers made
// from its number. markets.json has what differs between marketplaces: currency, locations of items
// and sellers, carriers, and labels that the law requires. A world has no other marketplaces,
// because their currency is not known.

import { optionInvalid } from '../../engine/index'
import { departmentOf } from './goods'
import { DRAW, mix, mixText } from './hash'
import { makeMarket } from './market'
import markets from './markets.json'
import { languageOf, marketDepartment, PLAIN_VOCABULARY } from './vocabulary'

/** The characters of worlds. */
export const WORLD_SHAPES = ['plain', 'market'] as const
export type WorldShape = (typeof WORLD_SHAPES)[number]

export type Carrier = readonly [carrier: string, service: string, type: string]

/** Names a category of a marketplace. A missing part means the first one of the world. */
export interface PlaceName {
  readonly marketplaceId?: string
  readonly categoryId?: string
}

export type Place = ReturnType<typeof makePlace>

export type MarketplaceFacts = (typeof MARKETPLACES)[number]

const MARKETPLACES = markets.marketplaces.map(({ country, currency, neighbours, ...given }) => ({
  /** The country (ISO 3166-1 alpha-2). */
  country,
  /** The currency (ISO 4217) of all amounts of an item. */
  currency,
  /** The countries of its items. The home country occurs several times. */
  itemCountries: [country, country, country, ...neighbours],
  webHost: given.webHost ?? `www.market.example.${country.toLowerCase()}`,
  /** Whether the laws on labels of the European Union and its neighbours apply. */
  europeanLabels: given.europeanLabels ?? false,
  /** Whether lengths are in inches and weights in pounds. */
  imperial: given.imperial ?? false,
  carriers: markets.carriers[given.carriers === 'us' ? 'us' : 'other'] as unknown as Carrier[],
}))

/**
 * Returns the facts of `MKT_US` and its like: the country code follows the last underscore.
 * @throws FeedError OPTION_INVALID
 */
export function marketplaceFacts(marketplaceId: string): MarketplaceFacts {
  const named = marketplaceId.slice(marketplaceId.lastIndexOf('_') + 1)
  const found = MARKETPLACES.find(({ country }) => country === named)
  if (found !== undefined) return found
  const known = MARKETPLACES.map(({ country }) => country)
    .sort()
    .join(', ')
  throw optionInvalid('marketplaces', `identifiers that end in one of ${known}`, marketplaceId)
}

/** Identifiers have 12 digits: 1, two for the place, nine for the index. */
const ID_BASE = 110_000_000_000
const GROUP_ID_BASE = ID_BASE + 800_000_000_000
const PLACE_STEP = 1_000_000_000
/** The distance between neighbours. Identifiers have gaps and still rise with the index. */
const ID_GAP = 16

export const MAX_PLACES = 80
export const MAX_ITEMS = 50_000_000

export function makePlace(
  { seed, items, shape }: { seed: number; items: number; shape: WorldShape },
  marketplaceId: string,
  categoryId: string,
  ordinal: number,
) {
  const facts = marketplaceFacts(marketplaceId)
  const language = shape === 'market' ? languageOf(facts.country) : undefined
  const key = mixText(mixText(mixText(ordinal, String(seed)), marketplaceId), categoryId)
  return {
    marketplaceId,
    categoryId,
    /** Its number among the places of the world. It makes identifiers unique across places. */
    ordinal,
    key,
    facts,
    /** Undefined in a plain world. */
    market: language && makeMarket(seed, categoryId, items, language),
    vocabulary: language ?? PLAIN_VOCABULARY,
    department: language ? marketDepartment(categoryId, language) : departmentOf(categoryId),
  }
}

export function itemKey(place: Place, index: number): number {
  return mix(mix(place.key, DRAW.item), index)
}

/** Returns the identifier of a listing whose first or only item this is. It rises with the index. */
export function legacyItemId(place: Place, index: number): string {
  return identifier(place, index, ID_BASE, mix(itemKey(place, index), DRAW.id))
}

/** Returns the identifier of a group, which rises with the number of the group. */
export function itemGroupId(place: Place, group: number): string {
  return identifier(place, group, GROUP_ID_BASE, mix(mix(place.key, DRAW.group), group))
}

function identifier({ ordinal }: Place, index: number, base: number, draw: number): string {
  return String(base + ordinal * PLACE_STEP + index * ID_GAP + (draw % ID_GAP))
}
