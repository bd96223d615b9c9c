// The model of an item: all that it shares with the other items of its group. An item on its own
// has a model of its own. What an item has beside it is in variations.ts (its colour, its size),
// item-life.ts and pricing.ts (what changes).

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
  /** False where the seller left the brand's column and aspect empty. */
  readonly isBrandDeclared: boolean
  readonly condition: Condition
  readonly title: string
  /** Where in their lists of values the kind's axes begin; see variations.ts. */
  readonly axisDraw: number
  readonly featureDraw: number
  /**
   * Position in the kind's features of one that the seller did not declare; the number of features
   * or more where there is none.
   */
  readonly undeclared: number
  /** The lowest price that its items can have before they differ, in hundredths. */
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
 * group, and the titles of its items begin with it. Some hold what the TSV dialect must quote, some
 * text outside ASCII.
 */
function modelTitle(key: number, brand: string, nouns: readonly string[]): string {
  const words = mix(key, DRAW.titleWords)
  return `${brand} ${pick(ADJECTIVES, words)} ${pick(nouns, words >>> 6)}${flourish(mix(key, DRAW.titleStyle))}`
}

/** Three titles in a hundred get something to quote here; twelve leave ASCII. */
function flourish(style: number): string {
  const share = style % 100
  if (share < 3) return ` ${pick(SPECIAL, style >>> 8)}`
  return share < 15 ? ` ${pick(FOREIGN, style >>> 8)}` : ` ${1 + ((style >>> 8) % 900)}`
}

let last: Model | undefined

/**
 * The model that a key stands for: a group's or, for an item on its own, the item's. The last one
 * is kept, as all cells of a row ask for it.
 */
export function modelAt(place: Place, key: number): Model {
  if (last === undefined || last.key !== key || last.place !== place) last = makeModel(place, key)
  return last
}

/** Which value of a feature the model has. */
export function featureValue(model: Model, feature: Feature, n: number): number {
  return mix(model.featureDraw, n) % feature.values.length
}

const ENCODED_BRANDS = new Map<string, string>()

export function encodedBrand({ brand }: Model): string {
  let encoded = ENCODED_BRANDS.get(brand)
  if (encoded === undefined) ENCODED_BRANDS.set(brand, (encoded = base64(brand)))
  return encoded
}
