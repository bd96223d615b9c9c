// The offer of an item: its price and quantity, which are the values that change most, and its
// parcel. Each change leads to another value, and so do as many changes as an hour can hold, so
// that every change in a snapshot is visible. The measures and the shipping cost of the parcel
// belong to the model, so that the items of a group agree. An item without shipping has neither.

import { between, DRAW, mix, pick, ranked } from './hash'
import { type Item, modelOf } from './item'
import { pointStep, scaledCents } from './market'
import type { Carrier } from './place'

/** The threshold of availabilityThreshold (item-feeds.md, section 2.2). */
export const AVAILABILITY_THRESHOLD = 10

/**
 * The number of different prices in a cycle. It is larger than the number of changes in an hour.
 */
const PRICE_LEVELS = 32
/** The number of different quantities. It is a prime, so that every step visits all of them. */
const QUANTITY_LEVELS = 61

/** Returns the price in hundredths of the currency, which is at least 1. */
export function priceCents(item: Item): number {
  const { baseCents, point } = modelOf(item)
  const draw = mix(item.listingKey, DRAW.priceChange)
  const step = 2 * ((draw >>> 5) % (PRICE_LEVELS / 2)) + 1
  if (point !== undefined) {
    const level = (step * item.priceChanges) % PRICE_LEVELS
    return scaledCents(point + ownPoints(item, draw) + level * pointStep(point))
  }
  const level = (draw + step * item.priceChanges) % PRICE_LEVELS
  return baseCents + level * Math.max(1, Math.floor(baseCents / 70))
}

/** In one listing of four, variations have prices of their own. */
function ownPoints(item: Item, draw: number): number {
  return item.groupId !== '' && draw % 4 === 0 ? 4 * ranked(mix(item.key, DRAW.price), 12) : 0
}

/** Returns the price before the discount in hundredths, for discounted items. */
export function originalCents(item: Item): number | undefined {
  const hash = mix(mix(item.key, DRAW.discount), item.priceChanges)
  return hash % 5 === 0
    ? Math.ceil((priceCents(item) * 100) / (100 - between(hash, 5, 60)))
    : undefined
}

/** Returns the quantity for sale. 0 means that the item is sold out for now. */
export function quantity(item: Item): number {
  const draw = mix(item.key, DRAW.quantity)
  if (usesThreshold(item)) {
    const hash = mix(draw, item.quantityChanges)
    // The quantity alternates between values above the threshold, which are hidden, and values up
    // to the threshold, which show.
    return (draw + item.quantityChanges) % 2 === 0
      ? between(hash, AVAILABILITY_THRESHOLD + 1, 400)
      : between(hash, 0, AVAILABILITY_THRESHOLD)
  }
  // In a market most sellers have few, and sometimes one or two more.
  if (item.isSteady && item.place.market)
    return (draw % 12 === 0 ? 0 : 1 + ranked(draw, 40, 4)) + (item.quantityChanges % 3)
  const step = 1 + ((draw >>> 8) % (QUANTITY_LEVELS - 1))
  const level = ((draw % QUANTITY_LEVELS) + step * item.quantityChanges) % QUANTITY_LEVELS
  return level <= 30 ? level : 30 + (level - 30) * 12
}

/**
 * Returns whether the seller shows "more than 10" instead of a number, which needs a quantity above
 * the threshold.
 */
export function hidesQuantity(item: Item): boolean {
  return usesThreshold(item) && quantity(item) > AVAILABILITY_THRESHOLD
}

/** A restless item shows every number: two changes in one hour could otherwise hide each other. */
function usesThreshold(item: Item): boolean {
  return item.isSteady && mix(item.key, DRAW.threshold) % 3 !== 0
}

export function money(cents: number): string {
  const rest = cents % 100
  return `${Math.floor(cents / 100)}.${rest < 10 ? '0' : ''}${rest}`
}

/** Grams and cubic centimetres make up a parcel's size; real parcels hold some air. */
const AIR = 3
const CM_PER_INCH = 2.54
const GRAMS_PER_POUND = 453.6

/** The width, the height and the length. */
export type Side = 0 | 1 | 2

export function lengthUnit(item: Item): string {
  return isMeasured(item) ? (item.place.facts.imperial ? 'INCH' : 'CENTIMETER') : ''
}

export function side(item: Item, which: Side): string {
  if (!isMeasured(item)) return ''
  const edge =
    Math.cbrt(grams(item) * AIR) * (1 + (mix(item.modelKey, DRAW.package + which) % 40) / 100)
  return (item.place.facts.imperial ? edge / CM_PER_INCH : edge).toFixed(1)
}

export function weightUnit(item: Item): string {
  return isWeighed(item) ? (item.place.facts.imperial ? 'POUND' : 'KILOGRAM') : ''
}

export function weight(item: Item): string {
  if (!isWeighed(item)) return ''
  const weighed = item.place.facts.imperial ? grams(item) / GRAMS_PER_POUND : grams(item) / 1_000
  return Math.max(0.01, weighed).toFixed(2)
}

export function carrier(item: Item): Carrier | undefined {
  return ships(item)
    ? pick(item.place.facts.carriers, mix(item.modelKey, DRAW.shipping) >>> 8)
    : undefined
}

/** FIXED for all buyers, or CALCULATED for each buyer. A calculated cost is an estimate. */
export function costType(item: Item): '' | 'FIXED' | 'CALCULATED' {
  if (!ships(item)) return ''
  return mix(item.modelKey, DRAW.shipping) % 5 === 4 ? 'CALCULATED' : 'FIXED'
}

export function shippingCost(item: Item): string {
  return ships(item) ? money(shippingCents(item)) : ''
}

/**
 * The cost of each further item in the same parcel, if the cost of the first is fixed and not zero.
 */
export function costPerUnitMore(item: Item): string {
  const cents = shippingCents(item)
  return costType(item) === 'FIXED' && cents > 0 ? money(Math.floor(cents / 4)) : ''
}

function shippingCents(item: Item): number {
  const hash = mix(item.modelKey, DRAW.shipping)
  return hash % 3 === 0 ? 0 : between(hash, 199, 1_299) + Math.floor(grams(item) / 20)
}

function ships(item: Item): boolean {
  return modelOf(item).seller.ships
}

/** Returns the weight in grams, which depends on the kind of item. */
function grams(item: Item): number {
  const [low, high] = modelOf(item).leaf.kind.grams
  return between(mix(item.modelKey, DRAW.weight), low, high)
}

function isWeighed(item: Item): boolean {
  return ships(item) && mix(item.modelKey, DRAW.package) % 2 === 0
}

function isMeasured(item: Item): boolean {
  return isWeighed(item) && mix(item.modelKey, DRAW.package) % 3 !== 0
}
