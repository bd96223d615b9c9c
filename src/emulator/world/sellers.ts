// Sellers: a few thousand of them, known by the same name and feedback in every marketplace. In
// each marketplace a seller has one return policy and one shipping policy for all of its items
// there.

import { DRAW } from './draws'
import { between, fraction, mix, opaque, pick } from './hash'
import type { MarketplaceFacts } from './marketplaces'
import { NO_SHIPPING, type ShipToPolicy, shipToPolicies } from './ship-to-policies'

const SELLERS = 4_000

const NAMES: readonly string[] =
  'best alt green max trade shop nord old mega fine toy home luna rail pixel otto'.split(' ')
const PICKUP_ONLY = 'SELLER_ARRANGED_LOCAL_PICKUP'
const DELIVERY: readonly string[] = [
  'SHIP_TO_HOME',
  'SHIP_TO_HOME',
  'SHIP_TO_HOME',
  'SHIP_TO_HOME,SELLER_ARRANGED_LOCAL_PICKUP',
  'SHIP_TO_HOME,PICKUP_DROP_OFF',
  'SHIP_TO_HOME,IN_STORE_PICKUP',
  PICKUP_ONLY,
]
/**
 * Lowest shares of positive feedback, in tenths of a percent, of the two trust levels that have a
 * name.
 */
const TOP_RATED_FROM = 980
const ABOVE_STANDARD_FROM = 960
/** A seller with at least this feedback score is a business. */
const BUSINESS_FROM = 1_000

export interface Seller {
  readonly username: string
  readonly userId: string
  readonly feedbackPercentage: string
  readonly feedbackScore: string
  readonly trustLevel: string
  readonly accountType: 'BUSINESS' | 'INDIVIDUAL'
  readonly returnsAccepted: boolean
  readonly returnDays: number
  readonly returnPayer: 'BUYER' | 'SELLER'
  readonly deliveryOptions: string
  /** False when the buyer has to fetch the item. */
  readonly ships: boolean
  readonly shipTo: ShipToPolicy
  readonly isAffiliate: boolean
  readonly isAway: boolean
}

/** The sellers of a marketplace are made once, at most {@link SELLERS}. */
const made = new Map<MarketplaceFacts, Seller[]>()

/** Returns the seller of a draw. */
export function sellerOf(facts: MarketplaceFacts, draw: number): Seller {
  let sellers = made.get(facts)
  if (sellers === undefined) made.set(facts, (sellers = []))
  const number = draw % SELLERS
  return (sellers[number] ??= makeSeller(facts, number))
}

function makeSeller(facts: MarketplaceFacts, number: number): Seller {
  const key = mix(number, DRAW.seller)
  const name = mix(key, DRAW.sellerName)
  const returns = mix(key, DRAW.sellerReturns)
  const permille = 1_000 - between(mix(key, DRAW.sellerPercent), 0, 50)
  const score = Math.floor(10 ** (1 + 4 * fraction(mix(key, DRAW.sellerScore))))
  const deliveryOptions = pick(DELIVERY, mix(key, DRAW.sellerDelivery))
  const ships = deliveryOptions !== PICKUP_ONLY
  return {
    username: `${pick(NAMES, name)}${name % 3 === 0 ? '_' : '-'}${opaque(name, 1).toLowerCase()}${number}`,
    userId: opaque(mix(key, DRAW.sellerId), 3),
    feedbackPercentage: (permille / 10).toFixed(1),
    feedbackScore: String(score),
    trustLevel:
      permille >= TOP_RATED_FROM
        ? 'TOP_RATED'
        : permille >= ABOVE_STANDARD_FROM
          ? 'ABOVE_STANDARD'
          : '',
    accountType: score >= BUSINESS_FROM ? 'BUSINESS' : 'INDIVIDUAL',
    returnsAccepted: returns % 4 !== 0,
    returnDays: pick([14, 30, 30, 60], returns >>> 4),
    returnPayer: (returns >>> 8) % 3 === 0 ? 'SELLER' : 'BUYER',
    deliveryOptions,
    ships,
    shipTo: ships ? pick(shipToPolicies(facts.country), mix(key, DRAW.sellerRegions)) : NO_SHIPPING,
    isAffiliate: mix(key, DRAW.sellerAffiliate) % 5 < 3,
    isAway: mix(key, DRAW.sellerAway) % 50 === 0,
  }
}
