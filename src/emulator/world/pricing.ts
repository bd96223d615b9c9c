// What an item costs and how many there are: the values that change most.

import { DRAW } from './draws'
import { between, fraction, mix } from './hash'
import type { Item } from './item'

/** The threshold of document 2, "availabilityThreshold". */
export const AVAILABILITY_THRESHOLD = 10

/** In hundredths of the currency, never below 1. */
export function priceCents(item: Item): number {
  const base = 100 + 60_000 * fraction(mix(item.key, DRAW.price)) ** 3
  const factor = 0.8 + 0.4 * fraction(mix(mix(item.key, DRAW.priceChange), item.priceChanges))
  return Math.floor(base * factor)
}

/** The price before a discount in hundredths, for items that are discounted. */
export function originalCents(item: Item): number | undefined {
  const hash = mix(mix(item.key, DRAW.discount), item.priceChanges)
  return hash % 5 === 0 ? Math.ceil((priceCents(item) * 100) / (100 - between(hash, 5, 60))) : undefined
}

/** How many are for sale; 0 is sold out for now. */
export function quantity(item: Item): number {
  const hash = mix(mix(item.key, DRAW.quantity), item.quantityChanges)
  if (hash % 25 === 0) return 0
  return hash % 2 === 0 ? between(hash, 1, AVAILABILITY_THRESHOLD) : between(hash, AVAILABILITY_THRESHOLD + 1, 400)
}

/** The seller shows "more than 10" in place of a number. Only above the threshold. */
export function hidesQuantity(item: Item): boolean {
  return mix(item.key, DRAW.threshold) % 3 !== 0 && quantity(item) > AVAILABILITY_THRESHOLD
}

export function money(cents: number): string {
  const rest = cents % 100
  return `${Math.floor(cents / 100)}.${rest < 10 ? '0' : ''}${rest}`
}
