// What differs between marketplaces. Others than these work too, with the facts of the fallback.

export interface MarketplaceFacts {
  readonly currency: string
  readonly country: string
  /** Where its items are, the home country several times. */
  readonly itemCountries: readonly string[]
  readonly webHost: string
}

const FALLBACK: MarketplaceFacts = {
  currency: 'USD',
  country: 'US',
  itemCountries: ['US', 'US', 'US', 'CN', 'HK', 'CA'],
  webHost: 'www.market.example',
}

const MARKETPLACES: ReadonlyMap<string, MarketplaceFacts> = new Map([
  ['US', FALLBACK],
  ['GB', { currency: 'GBP', country: 'GB', itemCountries: ['GB', 'GB', 'GB', 'IE', 'CN', 'DE'], webHost: 'www.market.example.uk' }],
  ['DE', { currency: 'EUR', country: 'DE', itemCountries: ['DE', 'DE', 'DE', 'AT', 'PL', 'CN'], webHost: 'www.market.example.de' }],
  ['AU', { currency: 'AUD', country: 'AU', itemCountries: ['AU', 'AU', 'NZ', 'CN'], webHost: 'www.market.example.au' }],
  ['CA', { currency: 'CAD', country: 'CA', itemCountries: ['CA', 'CA', 'US', 'CN'], webHost: 'www.market.example.ca' }],
])

/** The facts of `MKT_US` and its like: the country code stands after the last underscore. */
export function marketplaceFacts(marketplaceId: string): MarketplaceFacts {
  return MARKETPLACES.get(marketplaceId.slice(marketplaceId.lastIndexOf('_') + 1)) ?? FALLBACK
}
