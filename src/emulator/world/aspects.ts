// The cells made of aspects: localizedAspects, inferredLocalizedAspects, conditionDescriptors, each
// piece Base64 on its own (item-feeds.md, section 2.4; service-notes.md, sections 6.2 and 6.3), and
// single values of aspects for columns of their own. Names and most values repeat over a file;
// their encoded form is made once.

import { DRAW } from './draws'
import { base64, DIMENSIONS, type Feature } from './features'
import { between, mix, opaque, pick } from './hash'
import { type Item, modelOf } from './item'
import { encodedBrand, featureValue, type Model } from './models'
import { axisValue, variationPairs } from './variations'
import { ADJECTIVES, ENDINGS, FOREIGN } from './words'

const LABELS = [
  'Product Key Features',
  'Product Identifiers',
  'Item Specifics',
  'Angaben für Käufer',
].map(text => `${base64(text)}|`)
const DIMENSIONS_LABEL = `${base64('Dimensions')}|`
const BRAND_NAME = `${base64('Brand')}:`
const NOTE_NAME = `${base64('Seller Notes')}:`

/** The aspects in which the items of a group differ come before the shared ones. */
export function aspectsCell(item: Item): string {
  const model = modelOf(item)
  const { features } = model.leaf.kind
  const shape = mix(model.key, DRAW.aspectShape)
  // Some cells name no label at all, and some end in a semicolon.
  let cell = shape % 100 < 12 ? '' : pick(LABELS, shape >>> 8)
  if (model.isBrandDeclared) cell += `${BRAND_NAME}${encodedBrand(model)};`
  cell += variationPairs(model, item.position)
  for (let n = 0; n < features.length; n++)
    if (n !== model.undeclared) cell += `;${sharedPair(model, n)}`
  if (shape % 100 >= 70) cell += `;${NOTE_NAME}${base64(note(model))}`
  if (shape % 100 >= 25) cell += `;${DIMENSIONS_LABEL}${dimensions(model)}`
  return shape % 100 >= 97 ? `${cell};` : cell
}

/** Returns the aspect that the seller did not declare, in two of three cases. */
export function inferredAspectsCell(item: Item): string {
  const model = modelOf(item)
  if (model.undeclared >= model.leaf.kind.features.length || model.featureDraw % 3 === 0) return ''
  return sharedPair(model, model.undeclared)
}

/** Returns the value of an aspect of the item, if the item has it and the seller declared it. */
export function aspectOf(item: Item, { name }: Feature): string {
  const model = modelOf(item)
  const { axes, features } = model.leaf.kind
  for (let n = 0; n < axes.length; n++)
    if (axes[n]!.name === name) return axes[n]!.values[axisValue(model, n, item.position)]!
  for (let n = 0; n < features.length; n++) {
    const feature = features[n]!
    if (feature.name === name && n !== model.undeclared)
      return feature.values[featureValue(model, feature, n)]!
  }
  return ''
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

function note({ key }: Model): string {
  const hash = mix(key, DRAW.freeText)
  const foreign = hash % 8 === 0 ? ` ${pick(FOREIGN, hash >>> 4)}` : ''
  return `${pick(ADJECTIVES, hash)}, ${pick(ENDINGS, hash >>> 5)} no. ${between(hash, 1, 9_999)}${foreign} ${opaque(hash, 1)}`
}

const pieces = (texts: readonly string[]) => texts.map(base64)
const GRADER_NAME = `${base64('Professional Grader')}:`
const GRADE_NAME = `${base64('Grade')}:`
const CERTIFICATE_NAME = `${base64('Certification Number')}:`
const CARD_CONDITION_NAME = `${base64('Card Condition')}:`
const GRADERS = pieces(['North Grading Office', 'Card Proof', 'Kartenprüfstelle Süd'])
/** A grade is a number, or a number and its name. */
const GRADES = ['7', '8', '8.5', '9|Mint', '9.5|Gem Mint', '10|Pristine'].map(grade =>
  pieces(grade.split('|')).join('|'),
)
const CARD_CONDITIONS = pieces([
  'Near mint or better',
  'Lightly played',
  'Moderately played',
  'Heavily played',
])

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
