// The parcel of an item: its measures and its shipping cost. Both belong to the model, so that the
// items of a group agree. An item without shipping has neither.

import { DRAW } from './draws'
import { between, mix, pick } from './hash'
import { type Item, modelOf } from './item'
import type { Carrier } from './marketplaces'
import { money } from './pricing'

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
