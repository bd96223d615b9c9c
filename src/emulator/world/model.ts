// What the items of a group share, and how they differ. The shared properties are the model, which
// follows from the key of the group; an item on its own has a model of its own. The differences
// (colour, size) follow from the position in the group. item-life.ts and offer.ts have the changes.

import { type Feature, WORDS } from './goods'
import { DRAW, fraction, mix, often, opaque, pick, ranked } from './hash'
import { basePoint, marketTitle, productKey, scaledCents } from './market'
import type { Place } from './place'
import { sellerOf } from './sellers'

/** What the items of a group share. */
export type Model = ReturnType<typeof makeModel>

function makeModel(place: Place, key: number) {
  const { market } = place
  const product = market === undefined ? key : productKey(market, key)
  const choose = market === undefined ? pick : often
  const leaf = choose(place.department.leaves, mix(product, DRAW.categoryLeaf))
  const { brands, conditions, cents, features } = leaf.kind
  const brand = choose(brands, mix(product, DRAW.brand))
  const point = market && basePoint(cents, key, product)
  return {
    place,
    /** The hash that every draw of this model starts from. */
    key,
    /** The hash of the facts that all offers of one product share. In a plain world it is the key. */
    product,
    leaf,
    seller: sellerOf(place.facts, mix(key, DRAW.seller), market !== undefined),
    /** The brand that the title names. */
    brand,
    /** False when the seller left the column and the aspect of the brand empty. */
    isBrandDeclared: (mix(key, DRAW.brand) >>> 8) % 100 < 93,
    condition: choose(conditions, mix(key, DRAW.condition)),
    title:
      market === undefined
        ? modelTitle(key, brand, leaf.kind.nouns)
        : marketTitle(market, key, product, brand, leaf.kind.nouns[0]!),
    /** The start positions of the axes in their lists of values; see {@link axisValue}. */
    axisDraw: mix(product, DRAW.axes),
    featureDraw: mix(product, DRAW.aspects),
    /**
     * The position of the undeclared feature among those of the kind. It is at least the number of
     * features when the seller declared all.
     */
    undeclared: (mix(key, DRAW.aspects) >>> 4) % (features.length + 3),
    /** In a market, the place of its lowest price on the scale of prices. */
    point,
    /** The lowest price of its items, in hundredths, before their differences. */
    baseCents:
      point === undefined
        ? Math.floor(cents[0] + (cents[1] - cents[0]) * fraction(mix(key, DRAW.price)) ** 3)
        : scaledCents(point),
  }
}

/**
 * The title of a model: a brand, what it makes, and a number or a flourish. It is the title of a
 * group, and the titles of its items begin with it. Some have text that the TSV dialect must quote,
 * and some have text outside ASCII.
 */
function modelTitle(key: number, brand: string, nouns: readonly string[]): string {
  const words = mix(key, DRAW.titleWords)
  return `${brand} ${pick(WORDS.adjectives, words)} ${pick(nouns, words >>> 6)}${flourish(mix(key, DRAW.titleStyle))}`
}

/** Three titles in a hundred need quotes, and twelve have text outside ASCII. */
function flourish(style: number): string {
  const share = style % 100
  if (share < 3) return ` ${pick(WORDS.quoted, style >>> 8)}`
  return share < 15 ? ` ${pick(WORDS.foreign, style >>> 8)}` : ` ${1 + ((style >>> 8) % 900)}`
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
  const hash = mix(model.featureDraw, n)
  const count = feature.values.length
  return model.place.market === undefined ? hash % count : ranked(hash, count, 2)
}

/**
 * Returns the index of the value that the item at this position has on an axis. Each position in a
 * group has a value, or a pair of values, of its own. With two axes the first takes two or three
 * values, in a market up to five, and the second changes when those are used up.
 */
export function axisValue(
  { place, leaf, axisDraw }: Model,
  axis: number,
  position: number,
): number {
  const { axes } = leaf.kind
  const count = axes[axis]!.values.length
  const first = (axis === 0 ? axisDraw : axisDraw >>> 8) % count
  if (axes.length === 1) return (first + position) % count
  const breadth = place.market ? 3 + ((axisDraw >>> 16) % 3) : 2 + ((axisDraw >>> 16) % 2)
  return (first + (axis === 0 ? position % breadth : Math.floor(position / breadth))) % count
}

/** Returns the variations in words, for the title. */
export function variationText(model: Model, position: number): string {
  return model.leaf.kind.axes
    .map((axis, n) => axis.values[axisValue(model, n, position)]!)
    .join(' ')
}

/** Returns the encoded pairs of an item. */
export function variationPairs(model: Model, position: number): string {
  return model.leaf.kind.axes
    .map((axis, n) => axis.encodedName + axis.encodedValues[axisValue(model, n, position)]!)
    .join(';')
}

/**
 * Returns the cell variesByLocalizedAspects of a group: the encoded pairs of the axes whose values
 * differ among its positions. A group of one item names its first axis.
 */
export function variesByCell(model: Model, positions: number): string {
  const pairs = model.leaf.kind.axes.flatMap((axis, n) => {
    const values = new Set(
      Array.from({ length: positions }, (_, position) => axisValue(model, n, position)),
    )
    const isNamed = values.size > 1 || (positions === 1 && n === 0)
    return isNamed ? Array.from(values, value => axis.encodedName + axis.encodedValues[value]!) : []
  })
  return pairs.join(';')
}

const SHARED_IMAGES = 1_000

/**
 * An item shows the image of its look (its value of the first axis), then images that the whole
 * model shares; a group shows one image of each look, then the shared ones.
 */
export function itemImage(model: Model, position: number): string {
  return address(model, axisValue(model, 0, position))
}

export function itemAdditionalImages(model: Model): string {
  return sharedImages(model).join('|')
}

export function groupAdditionalImages(model: Model, positions: number): string {
  const images = Array.from({ length: positions }, (_, position) => itemImage(model, position))
  // Positions that look the same share an image, and the group itself shows the first.
  const [, ...others] = new Set(images)
  return [...others, ...sharedImages(model)].join('|')
}

export function imageAlteringProhibited({ key }: Model): string {
  return mix(key, DRAW.imageFlag) % 10 === 0 ? 'true' : 'false'
}

function sharedImages(model: Model): string[] {
  return Array.from({ length: mix(model.key, DRAW.groupImages) % 4 }, (_, i) =>
    address(model, SHARED_IMAGES + i),
  )
}

function address({ key }: Model, number: number): string {
  return `https://i.img.example/images/g/${opaque(mix(mix(key, DRAW.image), number), 4)}/s-l1600.jpg`
}
