// Sellers: a few thousand of them, known by the same name and feedback in every marketplace. In
// each marketplace a seller has one return policy and one shipping policy for all of its items
// there. A shipping policy is a pair of an included and an excluded list (item-feeds.md, section
// 2.5). An excluded list never names an entry of the included list, and a policy without included
// regions excludes nothing. markets.json has the names, the ways of delivery and the places.

import { between, DRAW, fraction, mix, opaque, pick, ranked } from './hash'
import markets from './markets.json'
import type { MarketplaceFacts } from './place'
import { inventedName } from './vocabulary'

const SELLERS = 4_000
/** Those of a market have the numbers after the others, the ones with the most items first. */
const MARKET_SELLERS = 12_000

const PICKUP_ONLY = 'SELLER_ARRANGED_LOCAL_PICKUP'
/**
 * Lowest shares of positive feedback, in tenths of a percent, of the two trust levels that have a
 * name.
 */
const TOP_RATED_FROM = 980
const ABOVE_STANDARD_FROM = 960
/** A seller with at least this feedback score is a business. */
const BUSINESS_FROM = 1_000

type Seller = ReturnType<typeof makeSeller>

/** The sellers of a marketplace are made once. */
const made = new Map<MarketplaceFacts, Seller[]>()

/** Returns the seller of a draw. */
export function sellerOf(facts: MarketplaceFacts, draw: number, isMarket: boolean): Seller {
  let sellers = made.get(facts)
  if (sellers === undefined) made.set(facts, (sellers = []))
  const number = isMarket ? SELLERS + ranked(draw, MARKET_SELLERS) : draw % SELLERS
  return (sellers[number] ??= makeSeller(facts, number))
}

function makeSeller(facts: MarketplaceFacts, number: number) {
  const key = mix(number, DRAW.seller)
  const name = mix(key, DRAW.sellerName)
  const returns = mix(key, DRAW.sellerReturns)
  const permille = 1_000 - between(mix(key, DRAW.sellerPercent), 0, 50)
  const rank = (number - SELLERS) / MARKET_SELLERS
  const isMarket = rank >= 0
  const size = fraction(mix(key, DRAW.sellerScore))
  // In a market, sellers of many items have more feedback.
  const score = Math.floor(10 ** (1 + 4 * (isMarket ? (size + 1 - Math.cbrt(rank)) / 2 : size)))
  const deliveryOptions = pick(markets.delivery, mix(key, DRAW.sellerDelivery))
  const ships = deliveryOptions !== PICKUP_ONLY
  return {
    username: isMarket
      ? `${inventedName(name)}${pick(['', '_', '-', '.'], name)}${inventedName(mix(name, 1))}${number.toString(36)}`.toLowerCase()
      : `${pick(markets.sellerNames, name)}${name % 3 === 0 ? '_' : '-'}${opaque(name, 1).toLowerCase()}${number}`,
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
    /** False when the buyer has to fetch the item. */
    ships,
    shipTo: ships ? policy(facts.country, mix(key, DRAW.sellerRegions), isMarket) : NO_SHIPPING,
    isAffiliate: mix(key, DRAW.sellerAffiliate) % 5 < 3,
    isAway: mix(key, DRAW.sellerAway) % 50 === 0,
  }
}

/** `home` in the lists of countries stands for the seller's country. */
const REACHES = markets.reaches.map(reach => ({
  ...reach,
  exceptCountries: (reach.exceptCountries as (keyof typeof markets.countries)[]).flatMap(
    name => markets.countries[name],
  ),
}))

/** The number of different policies of one home country. In a market each seller has its own. */
const POLICIES_A_HOME = 140

/** The policy of a seller that does not ship. */
const NO_SHIPPING = { included: '', excluded: '' }

function policy(home: string, draw: number, isMarket: boolean) {
  const hash = isMarket ? draw : mix(draw % POLICIES_A_HOME, 0)
  const { countries, regions, exceptCountries, exceptRegions } = pick(REACHES, hash)
  const drawn = (names: readonly string[], salt: number) =>
    names.filter((_, i) => mix(hash, salt + i) % 3 === 0)
  const share = fraction(mix(hash, 0))
  const anywhere = (salt: number, part: number) =>
    markets.all.split(' ').filter((_, i) => fraction(mix(hash, salt + i)) < share * part)
  const included = countries.map(country => (country === 'home' ? home : country))
  if (isMarket && countries.length > 1) included.push(...anywhere(1_000, 0.4))
  const isRefined = hash % 10 !== 0
  const except =
    isMarket && exceptCountries.length > 0 ? anywhere(2_000, 0.8) : drawn(exceptCountries, 1)
  const excluded = isRefined
    ? except.filter(country => country !== home && !included.includes(country))
    : []
  return {
    included: cell(included, regions),
    excluded: cell(excluded, isRefined && mix(hash, 0) % 3 !== 0 ? drawn(exceptRegions, 100) : []),
  }
}

function cell(countries: readonly string[], regions: readonly string[]): string {
  return list('COUNTRY', countries) + list('REGION', regions)
}

function list(name: string, values: readonly string[]): string {
  return values.length === 0 ? '' : `${name}:${[...new Set(values)].sort().join('|')};`
}
