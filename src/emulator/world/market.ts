// What is drawn otherwise in a market than in a plain world: which product a listing offers, its
// title, and its prices. Products are those of a catalog, which all marketplaces of a world share,
// and a few of them are offered by many sellers; other listings offer something of their own.

import { departmentOf } from './goods'
import { DRAW, fraction, mix, mixText, often, pick, ranked } from './hash'
import { inventedName, type Language, modelCode } from './vocabulary'

/** What a place of a market has that a place of a plain world lacks. */
type Market = ReturnType<typeof makeMarket>

const CATALOG_SHARE = 0.6
const ITEMS_A_PRODUCT = 8

export function makeMarket(seed: number, categoryId: string, items: number, language: Language) {
  const isWorn = departmentOf(categoryId).leaves.every(({ kind }) =>
    kind.features.some(({ role }) => role === 'Department'),
  )
  return {
    /** The share of listings with one item. Clothes are the goods that have variations. */
    singleShare: isWorn ? 0.2 : 0.7 + 0.25 * fraction(mixText(2, categoryId)),
    language,
    catalogKey: mixText(mixText(DRAW.product, String(seed)), categoryId),
    products: Math.ceil(items / ITEMS_A_PRODUCT),
  }
}

/** Returns the key of the product of a listing, which is its own key outside the catalog. */
export function productKey({ catalogKey, products }: Market, key: number): number {
  const draw = mix(key, DRAW.product)
  return fraction(draw) < CATALOG_SHARE
    ? mix(catalogKey, ranked(mix(draw, DRAW.product), products, 2))
    : key
}

/**
 * A title has the brand, the series and perhaps the number of a product, and the words of a seller;
 * three in a hundred need quotes, and as many have text outside ASCII.
 */
export function marketTitle(
  { language }: Market,
  key: number,
  product: number,
  brand: string,
  noun: string,
): string {
  const [made, own] = [mix(product, DRAW.titleWords), mix(key, DRAW.titleWords)]
  const style = mix(own, 4)
  const words = [brand, inventedName(made)]
  if (made % 5 < 2) words.push(modelCode(made))
  if (own % 4 > 0) words.push(often(language.adjectives, mix(own, 1)))
  words.push(noun)
  if (own % 3 > 0) words.push(language.noun(mix(own, 2)))
  if (own % 7 > 3) words.push(pick(language.adjectives, mix(own, 3)))
  if (style % 100 < 3) words.push(`${2 + ((style >>> 8) % 58)}"`)
  else if (style % 100 < 6) words.push(pick(language.foreign, style >>> 8))
  return words.join(' ')
}

/** The cents of prices, which make a scale: each point of it is a price. */
const CENTS = [0, 25, 49, 50, 79, 90, 95, 99]
/** The places of cents in the scale, the most frequent first. */
const USUAL = [7, 6, 0, 3, 2, 5, 4, 1]

export function scaledCents(point: number): number {
  return Math.floor(point / CENTS.length) * 100 + CENTS[point % CENTS.length]!
}

/**
 * Returns the lowest price of a listing in points. Most prices of a kind are near the geometric
 * middle of its range, and the offers of one product differ by a quarter.
 */
export function basePoint(
  cents: readonly [low: number, high: number],
  key: number,
  product: number,
) {
  const [made, own] = [mix(product, DRAW.price), mix(key, DRAW.price)]
  const height = (fraction(made) + fraction(mix(made, 1)) + fraction(mix(made, 2))) / 3
  const price = cents[0] * (cents[1] / cents[0]) ** height * (0.8 + 0.45 * fraction(own))
  return Math.max(1, Math.floor(price / 100) * CENTS.length + often(USUAL, mix(own, 1)))
}

/** Returns the points between two of the prices that a listing has. Those of dear goods keep their cents. */
export function pointStep(point: number): number {
  return point < 35 * CENTS.length
    ? Math.max(1, Math.floor(point / 70))
    : Math.max(1, Math.floor(point / 560)) * CENTS.length
}
