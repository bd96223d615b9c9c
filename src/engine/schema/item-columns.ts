// The columns of an item, shared by the item feed and the item snapshot feed: first those of
// item-feeds.md, section 2.2, then those of service-notes.md, section 6.3, both in the order of
// their tables. A column is text unless a page gives a type, a form or, for amounts, a number. This
// is one piece because it is one table.

import {
  aspects,
  boolean,
  conditionDescriptors,
  decimal,
  int32,
  list,
  regions,
  text,
  timestamp,
} from './column-kinds'
import type { Columns } from './feed-schema'

const DOCUMENT = 'item-feeds.md, section 2.2'
const NOTES = 'service-notes.md, section 6.3'
const NO_VALUES = 'no longer returns values, scheduled for deprecation'

export const documentedItemColumns = {
  itemId: text({ required: true, source: DOCUMENT }),
  title: text({ source: DOCUMENT }),
  imageUrl: text({ source: DOCUMENT }),
  category: list('|', text(), { source: DOCUMENT }),
  categoryId: text({ source: DOCUMENT }),
  buyingOptions: list(',', text(), { deprecated: NO_VALUES, source: DOCUMENT }),
  sellerUsername: text({ source: DOCUMENT }),
  sellerFeedbackPercentage: text({ source: DOCUMENT }),
  sellerFeedbackScore: text({ source: DOCUMENT }),
  gtin: text({ aliases: ['the service'], source: DOCUMENT }),
  brand: text({ source: DOCUMENT }),
  mpn: text({ source: DOCUMENT }),
  epid: text({ source: DOCUMENT }),
  conditionId: text({ source: DOCUMENT }),
  condition: text({ source: DOCUMENT }),
  priceValue: decimal({ source: DOCUMENT }),
  priceCurrency: text({ source: DOCUMENT }),
  primaryItemGroupId: text({ source: DOCUMENT }),
  primaryItemGroupType: text({ deprecated: NO_VALUES, source: DOCUMENT }),
  itemEndDate: timestamp({ source: DOCUMENT }),
  sellerItemRevision: text({ source: DOCUMENT }),
  itemLocationCountry: text({ source: DOCUMENT }),
  localizedAspects: aspects({ source: DOCUMENT }),
  sellerTrustLevel: text({ source: DOCUMENT }),
  availability: text({ source: DOCUMENT }),
  imageAlteringProhibited: boolean({ source: DOCUMENT }),
  estimatedAvailableQuantity: int32({ source: DOCUMENT }),
  availabilityThresholdType: text({ source: DOCUMENT }),
  availabilityThreshold: int32({ source: DOCUMENT }),
  returnsAccepted: boolean({ source: DOCUMENT }),
  returnPeriodValue: int32({ source: DOCUMENT }),
  returnPeriodUnit: text({ source: DOCUMENT }),
  refundMethod: text({ deprecated: NO_VALUES, source: DOCUMENT }),
  returnMethod: text({ deprecated: NO_VALUES, source: DOCUMENT }),
  returnShippingCostPayer: text({ source: DOCUMENT }),
  acceptedPaymentMethods: text({
    deprecated: 'returned empty, scheduled for deprecation',
    source: DOCUMENT,
  }),
  deliveryOptions: list(',', text(), { source: DOCUMENT }),
  shipToIncludedRegions: regions({ source: DOCUMENT }),
  shipToExcludedRegions: regions({ source: DOCUMENT }),
} satisfies Columns

/**
 * Seen in real files after the documented ones. The hazmat columns between
 * takeBackPolicyDescription and repairScore are not named: they read as text.
 */
const notedItemColumns = {
  inferredEpid: text({ source: NOTES }),
  inferredGtin: text({ source: NOTES }),
  inferredBrand: text({ source: NOTES }),
  inferredMpn: text({ source: NOTES }),
  inferredLocalizedAspects: aspects({ source: NOTES }),
  additionalImageUrls: text({ source: NOTES }),
  originalPriceValue: decimal({ source: NOTES }),
  originalPriceCurrency: text({ source: NOTES }),
  discountAmount: decimal({ source: NOTES }),
  discountPercentage: decimal({ source: NOTES }),
  energyEfficiencyClass: text({ source: NOTES }),
  qualifiedPrograms: text({ source: NOTES }),
  lotSize: text({ source: NOTES }),
  lengthUnitOfMeasure: text({ source: NOTES }),
  packageWidth: text({ source: NOTES }),
  packageHeight: text({ source: NOTES }),
  packageLength: text({ source: NOTES }),
  weightUnitOfMeasure: text({ source: NOTES }),
  packageWeight: text({ source: NOTES }),
  shippingCarrierCode: text({ source: NOTES }),
  shippingServiceCode: text({ source: NOTES }),
  shippingType: text({ source: NOTES }),
  shippingCost: decimal({ source: NOTES }),
  shippingCostType: text({ source: NOTES }),
  additionalShippingCostPerUnit: decimal({ source: NOTES }),
  quantityUsedForEstimate: text({ source: NOTES }),
  unitPrice: text({ source: NOTES }),
  unitPricingMeasure: text({ source: NOTES }),
  legacyItemId: text({ source: NOTES }),
  alerts: text({ source: NOTES }),
  sellerAccountType: text({ source: NOTES }),
  tyreLabelImageUrl: text({ source: NOTES }),
  priorityListingPayload: text({ source: NOTES }),
  itemCreationDate: timestamp({ source: NOTES }),
  itemWebUrl: text({ source: NOTES }),
  defaultImageUrl: text({ source: NOTES }),
  itemAffiliateWebUrl: text({ source: NOTES }),
  ageGroup: text({ source: NOTES }),
  color: text({ source: NOTES }),
  pattern: text({ source: NOTES }),
  size: text({ source: NOTES }),
  gender: text({ source: NOTES }),
  material: text({ source: NOTES }),
  totalUnits: text({ source: NOTES }),
  ecoParticipationFeeValue: decimal({ source: NOTES }),
  ecoParticipationFeeCurrency: text({ source: NOTES }),
  takeBackPolicyLabel: text({ source: NOTES }),
  takeBackPolicyDescription: text({ source: NOTES }),
  repairScore: text({ source: NOTES }),
  conditionDescriptors: conditionDescriptors({ source: NOTES }),
  sellerUserId: text({ source: NOTES }),
} satisfies Columns

export const itemColumns = {
  ...documentedItemColumns,
  ...notedItemColumns,
} satisfies Columns
