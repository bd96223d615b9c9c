// The cells about the goods themselves. The numbers of the trade: Global Trade Item Numbers with
// their check digit, manufacturer's part numbers, catalog products; when the seller left a column
// empty, the inferred column beside it sometimes has a value. Then the cells that only some kinds
// of items fill: goods that are sold by content or in lots, goods with a required label, and
// dangerous goods. The marketplace says which laws apply. Then the cells made of aspects, each
// piece Base64 on its own (item-feeds.md, section 2.4; service-notes.md, sections 6.2 and 6.3);
// names and most values repeat over a file, so their encoded form is made once.

import { base64, type Content, DIMENSIONS, type Feature, type Traits, WORDS } from './goods'
import { between, DRAW, mix, opaque, pick } from './hash'
import { type Item, modelOf } from './item'
import { axisValue, featureValue, type Model, modelAt, variationPairs } from './model'
import { money, priceCents } from './offer'

/**
 * Returns the number of an item. Items of a group have different numbers. In a market the same
 * variation of the same product has the same number, whoever sells it.
 */
export function gtin(item: Item): string {
  const hash = mix(item.listingKey, DRAW.gtin)
  return hash % 100 < 60 ? tradeNumber(variationHash(item, hash)) : ''
}

export function inferredGtin(item: Item): string {
  const hash = mix(item.key, DRAW.inferred)
  return gtin(item) === '' && hash % 4 === 0 ? tradeNumber(variationHash(item, hash)) : ''
}

function variationHash(item: Item, plain: number): number {
  return item.place.market ? mix(mix(modelOf(item).product, DRAW.gtin), item.position) : plain
}

/** 13 digits, the last of which makes the weighted sum a multiple of ten (EAN-13). */
function tradeNumber(hash: number): string {
  const digits = `40${String(hash).padStart(10, '0')}`
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (digits.charCodeAt(i) - 48) * (i % 2 === 0 ? 1 : 3)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

export function mpn(item: Item): string {
  const hash = mix(modelOf(item).product, DRAW.mpn)
  return hash % 100 < 30 ? item.place.vocabulary.noNumber : hash % 100 < 80 ? partNumber(hash) : ''
}

export function inferredMpn(item: Item): string {
  const hash = mix(modelOf(item).product, DRAW.mpn)
  return hash % 100 >= 90 ? partNumber(hash) : ''
}

function partNumber(hash: number): string {
  return `${opaque(hash, 1).toUpperCase()}-${hash % 1000}`
}

export function epid(item: Item): string {
  const hash = mix(item.modelKey, DRAW.epid)
  return hash % 100 < 40 ? productNumber(item, hash) : ''
}

export function inferredEpid(item: Item): string {
  const hash = mix(item.modelKey, DRAW.epid)
  return hash % 100 >= 85 ? productNumber(item, hash) : ''
}

/** In a market, what is not in the catalog has no number. */
function productNumber({ place, modelKey }: Item, plain: number): string {
  const { product } = modelAt(place, modelKey)
  if (place.market && product === modelKey) return ''
  return String(place.market ? mix(product, DRAW.epid) : plain).padStart(10, '2')
}

export function brand(item: Item): string {
  const model = modelOf(item)
  return model.isBrandDeclared ? model.brand : ''
}

export function inferredBrand(item: Item): string {
  const model = modelOf(item)
  return model.isBrandDeclared ? '' : model.brand
}

const draw = (item: Item, what: number) => mix(item.modelKey, what)
export const traits = (item: Item): Traits => modelOf(item).leaf.kind.traits
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

const DIMENSIONS_LABEL = `${base64('Dimensions')}|`

/** The aspects in which the items of a group differ come before the shared ones. */
export function aspectsCell(item: Item): string {
  const model = modelOf(item)
  const { features } = model.leaf.kind
  const { labels, brandName, noteName } = item.place.vocabulary
  const shape = mix(model.key, DRAW.aspectShape)
  // Some cells name no label at all, and some end in a semicolon.
  let cell = shape % 100 < 12 ? '' : pick(labels, shape >>> 8)
  if (model.isBrandDeclared) cell += `${brandName}${base64(model.brand)};`
  cell += variationPairs(model, item.position)
  for (let n = 0; n < features.length; n++)
    if (n !== model.undeclared) cell += `;${sharedPair(model, n)}`
  if (shape % 100 >= 70) cell += `;${noteName}${base64(note(model))}`
  if (shape % 100 >= 25 && !item.place.market) cell += `;${DIMENSIONS_LABEL}${dimensions(model)}`
  return shape % 100 >= 97 ? `${cell};` : cell
}

/** Returns the aspect that the seller did not declare, in two of three cases. */
export function inferredAspectsCell(item: Item): string {
  const model = modelOf(item)
  if (model.undeclared >= model.leaf.kind.features.length || model.featureDraw % 3 === 0) return ''
  return sharedPair(model, model.undeclared)
}

/** Returns the value of an aspect of the item, if the item has it and the seller declared it. */
export function aspectOf(item: Item, role: string): string {
  return aspectAt(item, role)?.value ?? ''
}

/** Returns the value with its number among those of the aspect. */
export function aspectAt(item: Item, role: string): { value: string; number: number } | undefined {
  const model = modelOf(item)
  const { axes, features } = model.leaf.kind
  const valueAt = ({ values }: Feature, number: number) => ({ value: values[number]!, number })
  for (let n = 0; n < axes.length; n++)
    if (axes[n]!.role === role) return valueAt(axes[n]!, axisValue(model, n, item.position))
  for (let n = 0; n < features.length; n++) {
    const feature = features[n]!
    if (feature.role === role && n !== model.undeclared)
      return valueAt(feature, featureValue(model, feature, n))
  }
  return undefined
}

function sharedPair(model: Model, n: number): string {
  const feature = model.leaf.kind.features[n]!
  return feature.encodedName + feature.encodedValues[featureValue(model, feature, n)]!
}

function dimensions({ featureDraw }: Model): string {
  return `${drawnPair(DIMENSIONS[featureDraw % 3]!, mix(featureDraw, 10))};${drawnPair(DIMENSIONS[(featureDraw + 1) % 3]!, mix(featureDraw, 11))}`
}

function drawnPair(from: Feature, hash: number): string {
  return from.encodedName + pick(from.encodedValues, hash)
}

function note({ place, key }: Model): string {
  const hash = mix(key, DRAW.freeText)
  const { adjectives, endings } = place.vocabulary
  if (place.market)
    return `${pick(adjectives, hash)}, ${pick(endings, hash >>> 8)}, ${place.market.language.noun(mix(hash, 0))}`
  const foreign = hash % 8 === 0 ? ` ${pick(WORDS.foreign, hash >>> 4)}` : ''
  return `${pick(WORDS.adjectives, hash)}, ${pick(WORDS.endings, hash >>> 5)} no. ${between(hash, 1, 9_999)}${foreign} ${opaque(hash, 1)}`
}

const GRADER_NAME = `${base64('Professional Grader')}:`
const GRADE_NAME = `${base64('Grade')}:`
const CERTIFICATE_NAME = `${base64('Certification Number')}:`
const CARD_CONDITION_NAME = `${base64('Card Condition')}:`
const GRADERS = WORDS.graders.map(base64)
/** A grade is a number, or a number and its name. */
const GRADES = WORDS.grades.map(grade => grade.split('|').map(base64).join('|'))
const CARD_CONDITIONS = WORDS.wear.map(base64)

/**
 * A graded card names the grader, the grade and a number. Any other card names its degree of wear.
 */
export function conditionDescriptorsCell(item: Item): string {
  const model = modelOf(item)
  if (!model.leaf.kind.traits.card) return ''
  const hash = mix(model.key, DRAW.grading)
  if (model.condition[1] !== 'Graded') return CARD_CONDITION_NAME + pick(CARD_CONDITIONS, hash)
  const certificate = base64(String(10_000_000 + (mix(item.key, DRAW.certificate) % 90_000_000)))
  return `${GRADER_NAME}${pick(GRADERS, hash)};${GRADE_NAME}${pick(GRADES, hash >>> 4)};${CERTIFICATE_NAME}${certificate}`
}
