// The columns of an item, shared by the item feed and the item snapshot feed: first those of
// item-feeds.md, section 2.2, then those of service-notes.md, section 6.3, both in the order of
// their tables. A column is text unless a page gives a type, a form or, for amounts, a number. This
// is one piece because it is one table.

import type { Columns } from './feed-schema'

const DOCUMENT = 'item-feeds.md, section 2.2'
const NOTES = 'service-notes.md, section 6.3'
const NO_VALUES = 'no longer returns values, scheduled for deprecation'

export const documentedItemColumns = {
  itemId: { type: 'text', required: true, source: DOCUMENT },
  title: { type: 'text', source: DOCUMENT },
  imageUrl: { type: 'text', source: DOCUMENT },
  category: { type: 'pipeList', source: DOCUMENT },
  categoryId: { type: 'text', source: DOCUMENT },
  buyingOptions: { type: 'commaList', deprecated: NO_VALUES, source: DOCUMENT },
  sellerUsername: { type: 'text', source: DOCUMENT },
  sellerFeedbackPercentage: { type: 'text', source: DOCUMENT },
  sellerFeedbackScore: { type: 'text', source: DOCUMENT },
  gtin: { type: 'text', aliases: ['the service'], source: DOCUMENT },
  brand: { type: 'text', source: DOCUMENT },
  mpn: { type: 'text', source: DOCUMENT },
  epid: { type: 'text', source: DOCUMENT },
  conditionId: { type: 'text', source: DOCUMENT },
  condition: { type: 'text', source: DOCUMENT },
  priceValue: { type: 'decimal', source: DOCUMENT },
  priceCurrency: { type: 'text', source: DOCUMENT },
  primaryItemGroupId: { type: 'text', source: DOCUMENT },
  primaryItemGroupType: { type: 'text', deprecated: NO_VALUES, source: DOCUMENT },
  itemEndDate: { type: 'timestamp', source: DOCUMENT },
  sellerItemRevision: { type: 'text', source: DOCUMENT },
  itemLocationCountry: { type: 'text', source: DOCUMENT },
  localizedAspects: { type: 'aspects', source: DOCUMENT },
  sellerTrustLevel: { type: 'text', source: DOCUMENT },
  availability: { type: 'text', source: DOCUMENT },
  imageAlteringProhibited: { type: 'boolean', source: DOCUMENT },
  estimatedAvailableQuantity: { type: 'int32', source: DOCUMENT },
  availabilityThresholdType: { type: 'text', source: DOCUMENT },
  availabilityThreshold: { type: 'int32', source: DOCUMENT },
  returnsAccepted: { type: 'boolean', source: DOCUMENT },
  returnPeriodValue: { type: 'int32', source: DOCUMENT },
  returnPeriodUnit: { type: 'text', source: DOCUMENT },
  refundMethod: { type: 'text', deprecated: NO_VALUES, source: DOCUMENT },
  returnMethod: { type: 'text', deprecated: NO_VALUES, source: DOCUMENT },
  returnShippingCostPayer: { type: 'text', source: DOCUMENT },
  acceptedPaymentMethods: {
    type: 'text',
    deprecated: 'returned empty, scheduled for deprecation',
    source: DOCUMENT,
  },
  deliveryOptions: { type: 'commaList', source: DOCUMENT },
  shipToIncludedRegions: { type: 'regions', source: DOCUMENT },
  shipToExcludedRegions: { type: 'regions', source: DOCUMENT },
} as const satisfies Columns

/**
 * Seen in real files after the documented ones. The hazmat columns between
 * takeBackPolicyDescription and repairScore are not named: they read as text.
 */
const notedItemColumns = {
  inferredEpid: { type: 'text', source: NOTES },
  inferredGtin: { type: 'text', source: NOTES },
  inferredBrand: { type: 'text', source: NOTES },
  inferredMpn: { type: 'text', source: NOTES },
  inferredLocalizedAspects: { type: 'aspects', source: NOTES },
  additionalImageUrls: { type: 'text', source: NOTES },
  originalPriceValue: { type: 'decimal', source: NOTES },
  originalPriceCurrency: { type: 'text', source: NOTES },
  discountAmount: { type: 'decimal', source: NOTES },
  discountPercentage: { type: 'decimal', source: NOTES },
  energyEfficiencyClass: { type: 'text', source: NOTES },
  qualifiedPrograms: { type: 'text', source: NOTES },
  lotSize: { type: 'text', source: NOTES },
  lengthUnitOfMeasure: { type: 'text', source: NOTES },
  packageWidth: { type: 'text', source: NOTES },
  packageHeight: { type: 'text', source: NOTES },
  packageLength: { type: 'text', source: NOTES },
  weightUnitOfMeasure: { type: 'text', source: NOTES },
  packageWeight: { type: 'text', source: NOTES },
  shippingCarrierCode: { type: 'text', source: NOTES },
  shippingServiceCode: { type: 'text', source: NOTES },
  shippingType: { type: 'text', source: NOTES },
  shippingCost: { type: 'decimal', source: NOTES },
  shippingCostType: { type: 'text', source: NOTES },
  additionalShippingCostPerUnit: { type: 'decimal', source: NOTES },
  quantityUsedForEstimate: { type: 'text', source: NOTES },
  unitPrice: { type: 'text', source: NOTES },
  unitPricingMeasure: { type: 'text', source: NOTES },
  legacyItemId: { type: 'text', source: NOTES },
  alerts: { type: 'text', source: NOTES },
  sellerAccountType: { type: 'text', source: NOTES },
  tyreLabelImageUrl: { type: 'text', source: NOTES },
  priorityListingPayload: { type: 'text', source: NOTES },
  itemCreationDate: { type: 'timestamp', source: NOTES },
  itemWebUrl: { type: 'text', source: NOTES },
  defaultImageUrl: { type: 'text', source: NOTES },
  itemAffiliateWebUrl: { type: 'text', source: NOTES },
  ageGroup: { type: 'text', source: NOTES },
  color: { type: 'text', source: NOTES },
  pattern: { type: 'text', source: NOTES },
  size: { type: 'text', source: NOTES },
  gender: { type: 'text', source: NOTES },
  material: { type: 'text', source: NOTES },
  totalUnits: { type: 'text', source: NOTES },
  ecoParticipationFeeValue: { type: 'decimal', source: NOTES },
  ecoParticipationFeeCurrency: { type: 'text', source: NOTES },
  takeBackPolicyLabel: { type: 'text', source: NOTES },
  takeBackPolicyDescription: { type: 'text', source: NOTES },
  repairScore: { type: 'text', source: NOTES },
  conditionDescriptors: { type: 'conditionDescriptors', source: NOTES },
  sellerUserId: { type: 'text', source: NOTES },
} as const satisfies Columns

export const itemColumns = {
  ...documentedItemColumns,
  ...notedItemColumns,
} as const satisfies Columns
