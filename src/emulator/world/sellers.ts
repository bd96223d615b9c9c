// Sellers: a few thousand of them, each with one name, score, return policy and shipping policy for all of its items.

import { DRAW } from './draws'
import { between, fraction, mix, opaque, pick } from './hash'
import type { Item } from './item'

const SELLERS = 4_000

const NAMES: readonly string[] = [
  'best',
  'alt',
  'green',
  'max',
  'trade',
  'shop',
  'nord',
  'old',
  'mega',
  'fine',
  'toy',
  'home',
  'luna',
  'rail',
  'pixel',
  'otto',
]
const TRUST: readonly string[] = ['TOP_RATED', 'TOP_RATED', 'ABOVE_STANDARD', 'ABOVE_STANDARD', '']
const DELIVERY: readonly string[] = [
  'SHIP_TO_HOME',
  'SHIP_TO_HOME',
  'SHIP_TO_HOME',
  'SHIP_TO_HOME,SELLER_ARRANGED_LOCAL_PICKUP',
  'SHIP_TO_HOME,PICKUP_DROP_OFF',
  'SELLER_ARRANGED_LOCAL_PICKUP',
]

const INCLUDED: readonly string[] = [
  'REGION:WORLDWIDE;',
  'COUNTRY:AT|BE|CH|DE|FR|IT|NL;REGION:EURO_UNION;',
  'COUNTRY:US;',
  'COUNTRY:CA|GB|US;REGION:EUROPE|OCEANIA;',
  'REGION:AMERICAS|EUROPE;',
  'COUNTRY:AU|JP|NZ|US;REGION:ASIA|EUROPE|MIDDLE_EAST;',
  'COUNTRY:DE;REGION:WORLDWIDE;',
  '',
]

const COUNTRIES: readonly string[] = [
  'AF',
  'AG',
  'AI',
  'AL',
  'AN',
  'AO',
  'BB',
  'BD',
  'BI',
  'BO',
  'BR',
  'BY',
  'CD',
  'CN',
  'CU',
  'DZ',
  'EG',
  'ET',
  'GE',
  'GN',
  'HT',
  'ID',
  'IN',
  'IQ',
  'IR',
  'KP',
  'LB',
  'LY',
  'MA',
  'MM',
  'NG',
  'PK',
  'RU',
  'SD',
  'SO',
  'SY',
  'UA',
  'VE',
  'YE',
  'ZW',
]
const REGIONS: readonly string[] = ['AFRICA', 'ASIA', 'CENTRAL_AMERICA_AND_CARIBBEAN', 'MIDDLE_EAST', 'SOUTHEAST_ASIA', 'SOUTH_AMERICA']

/** A hundred different excluded lists, alphabetical as documented. */
const EXCLUDED: readonly string[] = Array.from({ length: 100 }, (_, i) => excludedList(mix(i, DRAW.sellerExcluded)))

export interface Seller {
  readonly username: string
  readonly feedbackPercentage: string
  readonly feedbackScore: string
  readonly trustLevel: string
  readonly returnsAccepted: boolean
  readonly returnDays: number
  readonly returnPayer: 'BUYER' | 'SELLER'
  readonly deliveryOptions: string
  readonly included: string
  readonly excluded: string
}

/** Sellers are the same in every place: made once, {@link SELLERS} at most. */
const made = new Map<number, Seller>()

export function sellerOf(item: Item): Seller {
  const number = mix(item.key, DRAW.seller) % SELLERS
  let seller = made.get(number)
  if (seller === undefined) made.set(number, (seller = makeSeller(mix(number, DRAW.seller))))
  return seller
}

function makeSeller(key: number): Seller {
  const name = mix(key, DRAW.sellerName)
  const returns = mix(key, DRAW.sellerReturns)
  return {
    username: `${pick(NAMES, name)}${name % 3 === 0 ? '_' : '-'}${opaque(name, 1).toLowerCase()}${name % 100}`,
    feedbackPercentage: (100 - between(mix(key, DRAW.sellerPercent), 0, 50) / 10).toFixed(1),
    feedbackScore: String(Math.floor(10 ** (1 + 4 * fraction(mix(key, DRAW.sellerScore))))),
    trustLevel: pick(TRUST, mix(key, DRAW.sellerTrust)),
    returnsAccepted: returns % 4 !== 0,
    returnDays: pick([14, 30, 30, 60], returns >>> 4),
    returnPayer: (returns >>> 8) % 3 === 0 ? 'SELLER' : 'BUYER',
    deliveryOptions: pick(DELIVERY, mix(key, DRAW.sellerDelivery)),
    included: pick(INCLUDED, mix(key, DRAW.sellerRegions)),
    excluded: pick(EXCLUDED, mix(key, DRAW.sellerExcluded)),
  }
}

function excludedList(hash: number): string {
  if (hash % 10 === 0) return ''
  const countries = COUNTRIES.filter((_, i) => mix(hash, i) % 3 === 0)
  const regions = hash % 3 === 0 ? [] : REGIONS.filter((_, i) => mix(hash, 100 + i) % 3 === 0)
  return list('COUNTRY', countries) + list('REGION', regions)
}

function list(name: string, values: readonly string[]): string {
  return values.length === 0 ? '' : `${name}:${values.join('|')};`
}
