// The columns after the documented ones, in the order of service-notes.md, section 6.3, as one
// table. The documents mention the hazmat columns without their names, so this world has names of
// its own.

import { aspectOf, conditionDescriptorsCell, inferredAspectsCell } from './aspects'
import { campaignPayload } from './campaigns'
import type { Column } from './column'
import { DRAW } from './draws'
import { COLOR, DEPARTMENT, FABRIC, type Feature, PATTERN, SIZE } from './features'
import { mix } from './hash'
import { itemAdditionalImages, itemImage } from './images'
import { type Item, modelOf } from './item'
import * as parcel from './parcels'
import { legacyItemId } from './place'
import { money, originalCents, priceCents } from './pricing'
import * as special from './special-goods'
import * as trade from './trade-numbers'

/** The gender and the age group for each value of the aspect Department. */
const DEPARTMENTS: ReadonlyMap<string, readonly [gender: string, ageGroup: string]> = new Map([
  ['Men', ['male', 'adult']],
  ['Women', ['female', 'adult']],
  ['Unisex Adults', ['unisex', 'adult']],
  ['Boys', ['male', 'kids']],
  ['Girls', ['female', 'kids']],
  ['Baby', ['unisex', 'infant']],
])

const TAKE_BACK_LABEL = 'Electronics take-back'
const TAKE_BACK_DESCRIPTION =
  'The seller takes back an old device of the same type, free of charge, when the new one is delivered.'

const discounted = (item: Item, text: (original: number) => string) => {
  const original = originalCents(item)
  return original === undefined ? '' : text(original)
}
const currency = (item: Item) => item.place.facts.currency
const aspect = (feature: Feature) => (item: Item) => aspectOf(item, feature)
const department = (item: Item, which: 0 | 1) =>
  DEPARTMENTS.get(aspectOf(item, DEPARTMENT))?.[which] ?? ''
const webUrl = (item: Item) =>
  `https://${item.place.facts.webHost}/itm/${legacyItemId(item.place, item.index)}`

function alerts(item: Item): string {
  if (modelOf(item).seller.isAway) return 'SELLER_AWAY'
  return mix(item.modelKey, DRAW.alert) % 200 === 0 ? 'DELAYED_DELIVERY' : ''
}

export const ITEM_TAIL_COLUMNS: readonly Column<Item>[] = [
  { name: 'inferredEpid', cell: trade.inferredEpid },
  { name: 'inferredGtin', cell: trade.inferredGtin },
  { name: 'inferredBrand', cell: trade.inferredBrand },
  { name: 'inferredMpn', cell: trade.inferredMpn },
  { name: 'inferredLocalizedAspects', cell: inferredAspectsCell },
  { name: 'additionalImageUrls', cell: item => itemAdditionalImages(modelOf(item)) },
  { name: 'originalPriceValue', cell: item => discounted(item, money) },
  { name: 'originalPriceCurrency', cell: item => discounted(item, () => currency(item)) },
  {
    name: 'discountAmount',
    cell: item => discounted(item, original => money(original - priceCents(item))),
  },
  {
    name: 'discountPercentage',
    cell: item =>
      discounted(item, original => String(Math.round(100 - (100 * priceCents(item)) / original))),
  },
  { name: 'energyEfficiencyClass', cell: special.energyEfficiencyClass },
  { name: 'qualifiedPrograms', cell: special.qualifiedPrograms },
  { name: 'lotSize', cell: special.lotSize },
  { name: 'lengthUnitOfMeasure', cell: parcel.lengthUnit },
  { name: 'packageWidth', cell: item => parcel.side(item, 0) },
  { name: 'packageHeight', cell: item => parcel.side(item, 1) },
  { name: 'packageLength', cell: item => parcel.side(item, 2) },
  { name: 'weightUnitOfMeasure', cell: parcel.weightUnit },
  { name: 'packageWeight', cell: parcel.weight },
  { name: 'shippingCarrierCode', cell: item => parcel.carrier(item)?.[0] ?? '' },
  { name: 'shippingServiceCode', cell: item => parcel.carrier(item)?.[1] ?? '' },
  { name: 'shippingType', cell: item => parcel.carrier(item)?.[2] ?? '' },
  { name: 'shippingCost', cell: parcel.shippingCost },
  { name: 'shippingCostType', cell: parcel.costType },
  { name: 'additionalShippingCostPerUnit', cell: parcel.costPerUnitMore },
  {
    name: 'quantityUsedForEstimate',
    cell: item => (parcel.costType(item) === 'CALCULATED' ? '1' : ''),
  },
  { name: 'unitPrice', cell: special.unitPrice },
  { name: 'unitPricingMeasure', cell: special.unitPricingMeasure },
  { name: 'legacyItemId', cell: item => legacyItemId(item.place, item.index) },
  { name: 'alerts', cell: alerts },
  { name: 'sellerAccountType', cell: item => modelOf(item).seller.accountType },
  { name: 'tyreLabelImageUrl', cell: special.tyreLabelImageUrl },
  { name: 'priorityListingPayload', cell: (item, at) => campaignPayload(item.key, at - 1) },
  { name: 'itemCreationDate', cell: item => new Date(item.listedAt).toISOString() },
  { name: 'itemWebUrl', cell: webUrl },
  { name: 'defaultImageUrl', cell: item => itemImage(modelOf(item), item.position) },
  {
    name: 'itemAffiliateWebUrl',
    cell: item => (modelOf(item).seller.isAffiliate ? `${webUrl(item)}?campaign=feed` : ''),
  },
  { name: 'ageGroup', cell: item => department(item, 1) },
  { name: 'color', cell: aspect(COLOR) },
  { name: 'pattern', cell: aspect(PATTERN) },
  { name: 'size', cell: aspect(SIZE) },
  { name: 'gender', cell: item => department(item, 0) },
  { name: 'material', cell: aspect(FABRIC) },
  { name: 'totalUnits', cell: special.totalUnits },
  { name: 'ecoParticipationFeeValue', cell: special.ecoFee },
  {
    name: 'ecoParticipationFeeCurrency',
    cell: item => (special.ecoFee(item) === '' ? '' : currency(item)),
  },
  { name: 'takeBackPolicyLabel', cell: item => (special.takesBack(item) ? TAKE_BACK_LABEL : '') },
  {
    name: 'takeBackPolicyDescription',
    cell: item => (special.takesBack(item) ? TAKE_BACK_DESCRIPTION : ''),
  },
  { name: 'hazmatPictograms', cell: item => special.hazmatOf(item)?.pictograms.join('|') ?? '' },
  { name: 'hazmatSignalWord', cell: item => special.hazmatOf(item)?.signalWord ?? '' },
  { name: 'hazmatStatements', cell: item => special.hazmatOf(item)?.statements.join('|') ?? '' },
  { name: 'repairScore', cell: special.repairScore },
  { name: 'conditionDescriptors', cell: conditionDescriptorsCell },
  { name: 'sellerUserId', cell: item => modelOf(item).seller.userId },
]
