// The cells that only some kinds of items fill: goods that are sold by their content, in lots, with
// a label that the law wants, or dangerous ones. Which laws hold is a fact of the marketplace.

import { DRAW } from './draws'
import { between, mix, opaque, pick } from './hash'
import { type Item, modelOf } from './item'
import type { Content, Hazmat, Traits } from './kinds'
import { money, priceCents } from './pricing'

const draw = (item: Item, what: number) => mix(item.modelKey, what)
const traits = (item: Item): Traits => modelOf(item).leaf.kind.traits
const isFrance = ({ place }: Item) => place.facts.country === 'FR'

/** From this price on, in hundredths, the service above authenticates what it authenticates. */
const AUTHENTICATED_FROM_CENTS = 10_000
/** Grams or millilitres that a unit price is of. */
const PRICED_AMOUNT = 100

export function qualifiedPrograms(item: Item): string {
  return traits(item).authenticated && modelOf(item).baseCents >= AUTHENTICATED_FROM_CENTS
    ? 'AUTHENTICITY_GUARANTEE'
    : ''
}

/** How many items a lot holds. */
export function lotSize(item: Item): string {
  const hash = draw(item, DRAW.lot)
  return traits(item).lots && hash % 4 === 0 ? String(between(hash, 2, 25)) : ''
}

/** How many bottles or bags are sold together. */
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

/** A+ to G are gone: A to G. */
export function energyEfficiencyClass(item: Item): string {
  if (!traits(item).energyLabel || !item.place.facts.europeanLabels) return ''
  return 'ABCDEFG'.charAt(draw(item, DRAW.energy) % 7)
}

export function tyreLabelImageUrl(item: Item): string {
  if (!traits(item).tyre || !item.place.facts.europeanLabels) return ''
  return `https://i.img.example/tyre-labels/${opaque(draw(item, DRAW.tyre), 2)}.png`
}

/** A fee for recycling: French law. */
export function ecoFee(item: Item): string {
  return traits(item).electronics && isFrance(item)
    ? money(between(draw(item, DRAW.fee), 2, 1_200))
    : ''
}

/** From 1.0 to 10.0: French law. */
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
