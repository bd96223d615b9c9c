// The documented columns of the item feed as one table: name and cell, in the order of
// item-feeds.md, section 2.2. Columns that no longer have values are empty. item-tail-columns.ts
// has the columns that follow them in real files.

import { aspectsCell } from './aspects'
import type { Column } from './column'
import { DRAW } from './draws'
import { mix, pick } from './hash'
import { imageAlteringProhibited, itemImage } from './images'
import { type Item, modelOf } from './item'
import { AVAILABILITY_THRESHOLD, hidesQuantity, money, priceCents, quantity } from './pricing'
import * as trade from './trade-numbers'
import { variationText } from './variations'
import { ENDINGS, SPECIAL } from './words'

const EMPTY = () => ''
const sellerOf = (item: Item) => modelOf(item).seller

/** The 39 columns of item-feeds.md, section 2.2. */
export const ITEM_COLUMNS: readonly Column<Item>[] = [
  { name: 'itemId', cell: item => item.itemId },
  { name: 'title', cell: itemTitle },
  { name: 'imageUrl', cell: item => itemImage(modelOf(item), item.position) },
  { name: 'category', cell: item => modelOf(item).leaf.path },
  { name: 'categoryId', cell: item => modelOf(item).leaf.categoryId },
  { name: 'buyingOptions', cell: EMPTY },
  { name: 'sellerUsername', cell: item => sellerOf(item).username },
  { name: 'sellerFeedbackPercentage', cell: item => sellerOf(item).feedbackPercentage },
  { name: 'sellerFeedbackScore', cell: item => sellerOf(item).feedbackScore },
  { name: 'gtin', cell: trade.gtin },
  { name: 'brand', cell: trade.brand },
  { name: 'mpn', cell: trade.mpn },
  { name: 'epid', cell: trade.epid },
  { name: 'conditionId', cell: item => modelOf(item).condition[0] },
  { name: 'condition', cell: item => modelOf(item).condition[1] },
  { name: 'priceValue', cell: item => money(priceCents(item)) },
  { name: 'priceCurrency', cell: item => item.place.facts.currency },
  { name: 'primaryItemGroupId', cell: item => item.groupId },
  { name: 'primaryItemGroupType', cell: EMPTY },
  {
    name: 'itemEndDate',
    cell: item => (item.endDate === undefined ? '' : new Date(item.endDate).toISOString()),
  },
  { name: 'sellerItemRevision', cell: item => String(item.sellerRevision) },
  {
    name: 'itemLocationCountry',
    cell: item => pick(item.place.facts.itemCountries, mix(item.modelKey, DRAW.country)),
  },
  { name: 'localizedAspects', cell: aspectsCell },
  { name: 'sellerTrustLevel', cell: item => sellerOf(item).trustLevel },
  {
    name: 'availability',
    cell: item => (quantity(item) === 0 ? 'TEMPORARILY_UNAVAILABLE' : 'AVAILABLE'),
  },
  { name: 'imageAlteringProhibited', cell: item => imageAlteringProhibited(modelOf(item)) },
  {
    name: 'estimatedAvailableQuantity',
    cell: item => (hidesQuantity(item) ? '' : String(quantity(item))),
  },
  { name: 'availabilityThresholdType', cell: item => (hidesQuantity(item) ? 'MORE_THAN' : '') },
  {
    name: 'availabilityThreshold',
    cell: item => (hidesQuantity(item) ? String(AVAILABILITY_THRESHOLD) : ''),
  },
  { name: 'returnsAccepted', cell: item => (sellerOf(item).returnsAccepted ? 'true' : 'false') },
  {
    name: 'returnPeriodValue',
    cell: item => (sellerOf(item).returnsAccepted ? String(sellerOf(item).returnDays) : ''),
  },
  { name: 'returnPeriodUnit', cell: item => (sellerOf(item).returnsAccepted ? 'DAY' : '') },
  { name: 'refundMethod', cell: EMPTY },
  { name: 'returnMethod', cell: EMPTY },
  {
    name: 'returnShippingCostPayer',
    cell: item => (sellerOf(item).returnsAccepted ? sellerOf(item).returnPayer : ''),
  },
  { name: 'acceptedPaymentMethods', cell: EMPTY },
  { name: 'deliveryOptions', cell: item => sellerOf(item).deliveryOptions },
  { name: 'shipToIncludedRegions', cell: item => sellerOf(item).shipTo.included },
  { name: 'shipToExcludedRegions', cell: item => sellerOf(item).shipTo.excluded },
]

/** A column that no document names. It comes before {@link BEFORE_UNKNOWN}. */
export const UNKNOWN_ITEM_COLUMN: Column<Item> = {
  name: 'RestockingFeePercentage',
  cell: item => (sellerOf(item).returnsAccepted && sellerOf(item).returnDays === 14 ? '20.0' : ''),
}

export const BEFORE_UNKNOWN = 'returnShippingCostPayer'

/**
 * Returns the title of an item: that of its model, then its variations, then words that the seller
 * changes from time to time, and for some items text that the TSV dialect must quote.
 */
function itemTitle(item: Item): string {
  const ending = pick(ENDINGS, mix(mix(item.key, DRAW.titleChange), item.titleChanges))
  const version = item.titleChanges === 0 ? '' : ` v${item.titleChanges + 1}`
  const model = modelOf(item)
  const title = `${model.title} ${variationText(model, item.position)} ${ending}${version}`
  if (item.titleQuotes === 'removed') return title.replaceAll(/["\\\t]/g, '')
  return item.titleQuotes === 'added'
    ? `${title} ${pick(SPECIAL, mix(item.key, DRAW.titleStyle) >>> 8)}`
    : title
}
