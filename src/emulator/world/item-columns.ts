// The item feed's columns as one table: name and cell, in the order of document 2, then the names that
// service-notes.md gives for what follows. It is one piece because the order is the table.
// Columns that no longer return values are empty, as documented.

import { aspectsCell, brandIndex } from './aspects'
import { campaignPayload } from './campaigns'
import { DRAW } from './draws'
import { between, mix, opaque, pick } from './hash'
import type { Item } from './item'
import { legacyItemId } from './place'
import { AVAILABILITY_THRESHOLD, hidesQuantity, money, originalCents, priceCents, quantity } from './pricing'
import { sellerOf } from './sellers'
import { itemTitle } from './titles'
import { BRANDS, LEAVES } from './words'

/**
 * A column and how its cell is made from a record. Cells are the values before any quoting; '' is null.
 * `at` is the moment, in milliseconds since the epoch, up to which everything that happened shows: the state of a record says when it
 * last changed, and a few cells (those about campaigns) change without it.
 */
export interface Column<Of> {
  readonly name: string
  cell(of: Of, at: number): string
}

const CONDITIONS: readonly (readonly [id: string, text: string])[] = [
  ['1000', 'New'],
  ['1000', 'New'],
  ['3000', 'Used'],
  ['1500', 'Open box'],
  ['2500', 'Seller refurbished'],
  ['7000', 'For parts or not working'],
]

const EMPTY = () => ''
const isoText = (ms: number) => new Date(ms).toISOString()
const itemImage = (item: Item) => `https://i.img.example/images/g/${opaque(mix(item.key, DRAW.image), 4)}/s-l1600.jpg`
const condition = (item: Item) => pick(CONDITIONS, mix(item.key, DRAW.condition))
const discounted = (item: Item, text: (original: number) => string) => {
  const original = originalCents(item)
  return original === undefined ? '' : text(original)
}

/** The 39 columns of document 2. */
export const ITEM_COLUMNS: readonly Column<Item>[] = [
  { name: 'itemId', cell: item => item.itemId },
  { name: 'title', cell: itemTitle },
  { name: 'imageUrl', cell: itemImage },
  { name: 'category', cell: item => pick(LEAVES, mix(item.key, DRAW.categoryLeaf)) },
  { name: 'categoryId', cell: item => String(10_000 + (mix(item.key, DRAW.categoryLeaf) % LEAVES.length) * 37) },
  { name: 'buyingOptions', cell: EMPTY },
  { name: 'sellerUsername', cell: item => sellerOf(item).username },
  { name: 'sellerFeedbackPercentage', cell: item => sellerOf(item).feedbackPercentage },
  { name: 'sellerFeedbackScore', cell: item => sellerOf(item).feedbackScore },
  { name: 'gtin', cell: gtin },
  { name: 'brand', cell: item => BRANDS[brandIndex(item)]! },
  { name: 'mpn', cell: mpn },
  { name: 'epid', cell: item => optionalNumber(mix(item.key, DRAW.epid), 40, 10) },
  { name: 'conditionId', cell: item => condition(item)[0] },
  { name: 'condition', cell: item => condition(item)[1] },
  { name: 'priceValue', cell: item => money(priceCents(item)) },
  { name: 'priceCurrency', cell: item => item.place.facts.currency },
  { name: 'primaryItemGroupId', cell: item => item.groupId },
  { name: 'primaryItemGroupType', cell: EMPTY },
  { name: 'itemEndDate', cell: item => (item.endDate === undefined ? '' : isoText(item.endDate)) },
  { name: 'sellerItemRevision', cell: item => String(item.sellerRevision) },
  { name: 'itemLocationCountry', cell: item => pick(item.place.facts.itemCountries, mix(item.key, DRAW.country)) },
  { name: 'localizedAspects', cell: aspectsCell },
  { name: 'sellerTrustLevel', cell: item => sellerOf(item).trustLevel },
  { name: 'availability', cell: item => (quantity(item) === 0 ? 'TEMPORARILY_UNAVAILABLE' : 'AVAILABLE') },
  { name: 'imageAlteringProhibited', cell: item => (mix(item.key, DRAW.imageFlag) % 10 === 0 ? 'true' : 'false') },
  { name: 'estimatedAvailableQuantity', cell: item => (hidesQuantity(item) ? '' : String(quantity(item))) },
  { name: 'availabilityThresholdType', cell: item => (hidesQuantity(item) ? 'MORE_THAN' : '') },
  { name: 'availabilityThreshold', cell: item => (hidesQuantity(item) ? String(AVAILABILITY_THRESHOLD) : '') },
  { name: 'returnsAccepted', cell: item => (sellerOf(item).returnsAccepted ? 'true' : 'false') },
  { name: 'returnPeriodValue', cell: item => (sellerOf(item).returnsAccepted ? String(sellerOf(item).returnDays) : '') },
  { name: 'returnPeriodUnit', cell: item => (sellerOf(item).returnsAccepted ? 'DAY' : '') },
  { name: 'refundMethod', cell: EMPTY },
  { name: 'returnMethod', cell: EMPTY },
  { name: 'returnShippingCostPayer', cell: item => (sellerOf(item).returnsAccepted ? sellerOf(item).returnPayer : '') },
  { name: 'acceptedPaymentMethods', cell: EMPTY },
  { name: 'deliveryOptions', cell: item => sellerOf(item).deliveryOptions },
  { name: 'shipToIncludedRegions', cell: item => sellerOf(item).included },
  { name: 'shipToExcludedRegions', cell: item => sellerOf(item).excluded },
]

const FILLED_TAIL: readonly Column<Item>[] = [
  { name: 'inferredBrand', cell: item => (gtin(item) === '' ? BRANDS[brandIndex(item)]! : '') },
  { name: 'additionalImageUrls', cell: additionalImages },
  { name: 'originalPriceValue', cell: item => discounted(item, money) },
  { name: 'originalPriceCurrency', cell: item => discounted(item, () => item.place.facts.currency) },
  { name: 'discountAmount', cell: item => discounted(item, original => money(original - priceCents(item))) },
  { name: 'discountPercentage', cell: item => discounted(item, original => String(Math.round(100 - (100 * priceCents(item)) / original))) },
  { name: 'weightUnitOfMeasure', cell: item => (weight(item) === 0 ? '' : 'KILOGRAM') },
  { name: 'packageWeight', cell: item => (weight(item) === 0 ? '' : money(weight(item))) },
  { name: 'shippingCarrierCode', cell: item => pick(['USPS', 'DHL', 'UPS', ''], mix(item.key, DRAW.shipping)) },
  { name: 'shippingType', cell: item => (shippingCents(item) === 0 ? 'FREE' : 'FIXED') },
  { name: 'shippingCost', cell: item => money(shippingCents(item)) },
  { name: 'shippingCostType', cell: () => 'FIXED' },
  { name: 'legacyItemId', cell: item => legacyItemId(item.place, item.index) },
  { name: 'sellerAccountType', cell: item => (sellerOf(item).feedbackScore.length > 3 ? 'BUSINESS' : 'INDIVIDUAL') },
  { name: 'priorityListingPayload', cell: (item, at) => campaignPayload(item.key, at - 1) },
  { name: 'itemCreationDate', cell: item => isoText(item.listedAt) },
  { name: 'itemWebUrl', cell: item => `https://${item.place.facts.webHost}/itm/${legacyItemId(item.place, item.index)}` },
  { name: 'defaultImageUrl', cell: itemImage },
  { name: 'sellerUserId', cell: item => sellerOf(item).username },
]

const TAIL_ORDER: readonly string[] = (
  'inferredEpid inferredGtin inferredBrand inferredMpn inferredLocalizedAspects additionalImageUrls originalPriceValue originalPriceCurrency ' +
  'discountAmount discountPercentage energyEfficiencyClass qualifiedPrograms lotSize lengthUnitOfMeasure packageWidth packageHeight packageLength ' +
  'weightUnitOfMeasure packageWeight shippingCarrierCode shippingServiceCode shippingType shippingCost shippingCostType additionalShippingCostPerUnit ' +
  'quantityUsedForEstimate unitPrice unitPricingMeasure legacyItemId alerts sellerAccountType tyreLabelImageUrl priorityListingPayload itemCreationDate ' +
  'itemWebUrl defaultImageUrl itemAffiliateWebUrl ageGroup color pattern size gender material totalUnits ecoParticipationFeeValue ' +
  'ecoParticipationFeeCurrency takeBackPolicyLabel takeBackPolicyDescription repairScore conditionDescriptors sellerUserId'
).split(' ')

/** What follows the documented columns, in the order of service-notes.md; those without a value here are empty. */
export const ITEM_TAIL_COLUMNS: readonly Column<Item>[] = TAIL_ORDER.map(
  name => FILLED_TAIL.find(column => column.name === name) ?? { name, cell: EMPTY },
)

/** A column that no document names; it stands before {@link BEFORE_UNKNOWN}. */
export const UNKNOWN_ITEM_COLUMN: Column<Item> = {
  name: 'RestockingFeePercentage',
  cell: item => (sellerOf(item).returnsAccepted && sellerOf(item).returnDays === 14 ? '20.0' : ''),
}

export const BEFORE_UNKNOWN = 'returnShippingCostPayer'

function gtin(item: Item): string {
  const hash = mix(item.key, DRAW.gtin)
  if (hash % 100 >= 60) return ''
  const digits = `40${String(hash).padStart(10, '0')}`
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (digits.charCodeAt(i) - 48) * (i % 2 === 0 ? 1 : 3)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

function mpn(item: Item): string {
  const hash = mix(item.key, DRAW.mpn)
  return hash % 100 < 30 ? 'Does Not Apply' : hash % 100 < 80 ? `${opaque(hash, 1).toUpperCase()}-${hash % 1000}` : ''
}

function optionalNumber(hash: number, percent: number, digits: number): string {
  return hash % 100 < percent ? String(hash).padStart(digits, '2') : ''
}

function additionalImages(item: Item): string {
  const hash = mix(item.key, DRAW.image)
  return Array.from({ length: hash % 4 }, (_, i) => `https://i.img.example/images/g/${opaque(mix(hash, 50 + i), 4)}/s-l1600.jpg`).join('|')
}

/** Hundredths of a kilogram; 0 when it is not given. */
function weight(item: Item): number {
  const hash = mix(item.key, DRAW.weight)
  return hash % 2 === 0 ? between(hash, 5, 2_500) : 0
}

function shippingCents(item: Item): number {
  const hash = mix(item.key, DRAW.shipping)
  return hash % 3 === 0 ? 0 : between(hash, 199, 2_499)
}
