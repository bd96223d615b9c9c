// The model of an item: all that it shares with the other items of its group. An item on its own
// has a model of its own. variations.ts has the differences within a group (colour, size), and
// item-life.ts and pricing.ts have the changes.

import type { Leaf } from './departments'
import { DRAW } from './draws'
import { base64, type Feature } from './features'
import { fraction, mix, pick } from './hash'
import type { Condition } from './kinds'
import type { Place } from './place'
import { type Seller, sellerOf } from './sellers'
import { ADJECTIVES, FOREIGN, SPECIAL } from './words'

export interface Model {
  readonly place: Place
  /** The hash that every draw of this model starts from. */
  readonly key: number
  readonly leaf: Leaf
  readonly seller: Seller
  /** The brand that the title names. */
  readonly brand: string
  /** False when the seller left the column and the aspect of the brand empty. */
  readonly isBrandDeclared: boolean
  readonly condition: Condition
  readonly title: string
  /** The start positions of the axes in their lists of values; see variations.ts. */
  readonly axisDraw: number
  readonly featureDraw: number
  /**
   * The position of the undeclared feature among those of the kind. It is at least the number of
   * features when the seller declared all.
   */
  readonly undeclared: number
  /** The lowest price of its items, in hundredths, before their differences. */
  readonly baseCents: number
}

function makeModel(place: Place, key: number): Model {
  const { leaves } = place.department
  const leaf = leaves[mix(key, DRAW.categoryLeaf) % leaves.length]!
  const { brands, conditions, cents, features } = leaf.kind
  const brandDraw = mix(key, DRAW.brand)
  const brand = pick(brands, brandDraw)
  const featureDraw = mix(key, DRAW.aspects)
  return {
    place,
    key,
    leaf,
    seller: sellerOf(place.facts, mix(key, DRAW.seller)),
    brand,
    isBrandDeclared: (brandDraw >>> 8) % 100 < 93,
    condition: pick(conditions, mix(key, DRAW.condition)),
    title: modelTitle(key, brand, leaf.kind.nouns),
    axisDraw: mix(key, DRAW.axes),
    featureDraw,
    undeclared: (featureDraw >>> 4) % (features.length + 3),
    baseCents: Math.floor(cents[0] + (cents[1] - cents[0]) * fraction(mix(key, DRAW.price)) ** 3),
  }
}

/**
 * The title of a model: a brand, what it makes, and a number or a flourish. It is the title of a
 * group, and the titles of its items begin with it. Some have text that the TSV dialect must quote,
 * and some have text outside ASCII.
 */
function modelTitle(key: number, brand: string, nouns: readonly string[]): string {
  const words = mix(key, DRAW.titleWords)
  return `${brand} ${pick(ADJECTIVES, words)} ${pick(nouns, words >>> 6)}${flourish(mix(key, DRAW.titleStyle))}`
}

/** Three titles in a hundred need quotes, and twelve have text outside ASCII. */
function flourish(style: number): string {
  const share = style % 100
  if (share < 3) return ` ${pick(SPECIAL, style >>> 8)}`
  return share < 15 ? ` ${pick(FOREIGN, style >>> 8)}` : ` ${1 + ((style >>> 8) % 900)}`
}

let last: Model | undefined

/**
 * Returns the model of a key, which is that of a group or of a single item. The last model is kept,
 * because all cells of a row use it.
 */
export function modelAt(place: Place, key: number): Model {
  if (last === undefined || last.key !== key || last.place !== place) last = makeModel(place, key)
  return last
}

/** Returns the index of the value that the model has of a feature. */
export function featureValue(model: Model, feature: Feature, n: number): number {
  return mix(model.featureDraw, n) % feature.values.length
}

const ENCODED_BRANDS = new Map<string, string>()

export function encodedBrand({ brand }: Model): string {
  let encoded = ENCODED_BRANDS.get(brand)
  if (encoded === undefined) ENCODED_BRANDS.set(brand, (encoded = base64(brand)))
  return encoded
}
