// The price and the quantity of an item, which are the values that change most. Each change leads
// to another value, and so do as many changes as an hour can hold, so that every change in a
// snapshot is visible.

import { DRAW } from './draws'
import { between, mix } from './hash'
import { type Item, modelOf } from './item'

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
  const { baseCents } = modelOf(item)
  const draw = mix(item.key, DRAW.priceChange)
  const step = 2 * ((draw >>> 5) % (PRICE_LEVELS / 2)) + 1
  const level = (draw + step * item.priceChanges) % PRICE_LEVELS
  return baseCents + level * Math.max(1, Math.floor(baseCents / 70))
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
