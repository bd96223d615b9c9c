// The cells that only some kinds of items fill: goods that are sold by content or in lots, goods
// with a required label, and dangerous goods. The marketplace says which laws apply.

import { DRAW } from './draws'
import { between, mix, opaque, pick } from './hash'
import { type Item, modelOf } from './item'
import type { Content, Hazmat, Traits } from './kinds'
import { money, priceCents } from './pricing'

const draw = (item: Item, what: number) => mix(item.modelKey, what)
const traits = (item: Item): Traits => modelOf(item).leaf.kind.traits
const isFrance = ({ place }: Item) => place.facts.country === 'FR'

/** The lowest price, in hundredths, at which the service authenticates an item. */
const AUTHENTICATED_FROM_CENTS = 10_000
/** The grams or millilitres to which a unit price refers. */
const PRICED_AMOUNT = 100

export function qualifiedPrograms(item: Item): string {
  return traits(item).authenticated && modelOf(item).baseCents >= AUTHENTICATED_FROM_CENTS
    ? 'AUTHENTICITY_GUARANTEE'
    : ''
}

/** Returns the number of items in a lot. */
export function lotSize(item: Item): string {
  const hash = draw(item, DRAW.lot)
  return traits(item).lots && hash % 4 === 0 ? String(between(hash, 2, 25)) : ''
}

/** Returns the number of bottles or bags that are sold together. */
export function totalUnits(item: Item): string {
  return traits(item).content === undefined ? '' : String(units(item))
}

export function unitPrice(item: Item): string {
  const { content } = traits(item)
  if (content === undefined) return ''
  return money(
    Math.round((priceCents(item) * PRICED_AMOUNT) / (amount(item, content) * units(item))),
  )
}

export function unitPricingMeasure(item: Item): string {
  const { content } = traits(item)
  return content === undefined ? '' : `${PRICED_AMOUNT} ${content.unit}`
}

function amount(item: Item, { amounts }: Content): number {
  return pick(amounts, draw(item, DRAW.content))
}

function units(item: Item): number {
  return pick([1, 1, 1, 2, 3, 6], draw(item, DRAW.content) >>> 8)
}

/** Returns a class from A to G. The classes above A no longer exist. */
export function energyEfficiencyClass(item: Item): string {
  if (!traits(item).energyLabel || !item.place.facts.europeanLabels) return ''
  return 'ABCDEFG'.charAt(draw(item, DRAW.energy) % 7)
}

export function tyreLabelImageUrl(item: Item): string {
  if (!traits(item).tyre || !item.place.facts.europeanLabels) return ''
  return `https://i.img.example/tyre-labels/${opaque(draw(item, DRAW.tyre), 2)}.png`
}

/** Returns the recycling fee that French law requires. */
export function ecoFee(item: Item): string {
  return traits(item).electronics && isFrance(item)
    ? money(between(draw(item, DRAW.fee), 2, 1_200))
    : ''
}

/** Returns the repair score of French law, from 1.0 to 10.0. */
export function repairScore(item: Item): string {
  return traits(item).electronics && isFrance(item)
    ? (between(draw(item, DRAW.repair), 10, 100) / 10).toFixed(1)
    : ''
}

export function takesBack(item: Item): boolean {
  return (
    traits(item).electronics === true &&
    item.place.facts.europeanLabels &&
    modelOf(item).seller.accountType === 'BUSINESS'
  )
}

export function hazmatOf(item: Item): Hazmat | undefined {
  return traits(item).hazmat
}
