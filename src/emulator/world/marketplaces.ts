// What differs between marketplaces: currency, locations of items and sellers, carriers, and labels
// that the law requires. A world has no other marketplaces, because their currency is not known.

import { optionInvalid } from '../../engine/index'

export interface MarketplaceFacts {
  /** The currency (ISO 4217) of all amounts of an item. */
  readonly currency: string
  /** The country (ISO 3166-1 alpha-2). */
  readonly country: string
  /** The countries of its items. The home country occurs several times. */
  readonly itemCountries: readonly string[]
  readonly webHost: string
  /** Whether the laws on labels of the European Union and its neighbours apply. */
  readonly europeanLabels: boolean
  /** Whether lengths are in inches and weights in pounds. */
  readonly imperial: boolean
  readonly carriers: readonly Carrier[]
}

export type Carrier = readonly [carrier: string, service: string, type: string]

/** The countries with the euro, including Croatia (2023) and Bulgaria (2026). */
const EURO_COUNTRIES = 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' ')

const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  DE: ['AT', 'PL', 'CN'],
  FR: ['BE', 'DE', 'CN'],
  IT: ['DE', 'CH', 'CN'],
  ES: ['PT', 'FR', 'CN'],
}

const US_CARRIERS: readonly Carrier[] = [
  ['USPS', 'USPSGroundAdvantage', 'STANDARD'],
  ['USPS', 'USPSPriority', 'EXPEDITED'],
  ['UPS', 'UPSGround', 'STANDARD'],
  ['', 'Other', 'ECONOMY'],
]
const OTHER_CARRIERS: readonly Carrier[] = [
  ['DHL', 'DHLParcel', 'STANDARD'],
  ['DHL', 'DHLExpress', 'EXPEDITED'],
  ['', 'StandardLetter', 'ECONOMY'],
]

function facts(
  country: string,
  currency: string,
  others: readonly string[],
  own: Partial<MarketplaceFacts> = {},
): MarketplaceFacts {
  return {
    country,
    currency,
    itemCountries: [country, country, country, ...others],
    webHost: `www.market.example.${country.toLowerCase()}`,
    europeanLabels: false,
    imperial: false,
    carriers: OTHER_CARRIERS,
    ...own,
  }
}

const EUROPEAN = { europeanLabels: true }

const MARKETPLACES: ReadonlyMap<string, MarketplaceFacts> = new Map(
  [
    facts('US', 'USD', ['CN', 'HK', 'CA'], {
      webHost: 'www.market.example',
      imperial: true,
      carriers: US_CARRIERS,
    }),
    ...EURO_COUNTRIES.map(country =>
      facts(country, 'EUR', NEIGHBOURS[country] ?? ['CN', 'HK'], EUROPEAN),
    ),
    facts('GB', 'GBP', ['IE', 'CN', 'DE'], EUROPEAN),
    facts('CH', 'CHF', ['DE', 'FR', 'CN'], EUROPEAN),
    facts('PL', 'PLN', ['DE', 'CN', 'CZ'], EUROPEAN),
    facts('SE', 'SEK', ['DK', 'DE', 'CN'], EUROPEAN),
    facts('AU', 'AUD', ['NZ', 'CN', 'HK']),
    facts('CA', 'CAD', ['US', 'CN', 'HK']),
    facts('HK', 'HKD', ['CN', 'SG', 'JP']),
    facts('IN', 'INR', ['CN', 'HK', 'SG']),
    facts('MY', 'MYR', ['SG', 'CN', 'HK']),
    facts('PH', 'PHP', ['CN', 'HK', 'SG']),
    facts('SG', 'SGD', ['MY', 'CN', 'HK']),
  ].map(entry => [entry.country, entry]),
)

/**
 * Returns the facts of `MKT_US` and its like: the country code follows the last underscore.
 * @throws FeedError OPTION_INVALID
 */
export function marketplaceFacts(marketplaceId: string): MarketplaceFacts {
  const found = MARKETPLACES.get(marketplaceId.slice(marketplaceId.lastIndexOf('_') + 1))
  if (found !== undefined) return found
  const known = [...MARKETPLACES.keys()].sort().join(', ')
  throw optionInvalid('marketplaces', `identifiers that end in one of ${known}`, marketplaceId)
}
