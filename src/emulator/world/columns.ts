// The columns of the four feeds as tables: names and cells, in the order of the files. The columns
// of the item feed are those of item-feeds.md, section 2.2, where columns that no longer have
// values are empty; then those that follow in real files (service-notes.md, section 6.3). The
// documents mention the hazmat columns without their names, so this world has names of its own. The
// three other feeds are those of item-feeds.md, sections 2.6 to 2.8, and service-notes.md, sections
// 6.4 to
// 6.6.

import { WEARERS } from './goods'
import * as goods from './goods-cells'
import type { ItemGroup } from './group'
import { DRAW, mix, pick } from './hash'
import { type Item, type ItemChange, modelOf } from './item'
import { type CampaignChangeKind, campaignPayload } from './item-life'
import {
  groupAdditionalImages,
  imageAlteringProhibited,
  itemAdditionalImages,
  itemImage,
  type Model,
  modelAt,
  variationText,
  variesByCell,
} from './model'
import * as offer from './offer'

/**
 * A column and how its cell is made from a record. Cells are the values before any quoting; an
 * empty cell means null. The cell shows all changes up to `at`, in milliseconds since the epoch:
 * the state of a record says when it last changed, and a few cells (those about campaigns) change
 * without it.
 */
export interface Column<Of> {
  readonly name: string
  cell(of: Of, at: number): string
}

/** A change of the campaigns of an item on one day. */
export interface CampaignChange {
  readonly item: Item
  readonly kinds: readonly CampaignChangeKind[]
  /** The tracking payload. Empty when the item has left. */
  readonly payload: string
}

/** Makes columns from their names and cells. */
function columns<Of>(table: Readonly<Record<string, Column<Of>['cell']>>): readonly Column<Of>[] {
  return Object.entries(table).map(([name, cell]) => ({ name, cell }))
}

const EMPTY = () => ''
const sellerOf = (item: Item) => modelOf(item).seller
const currency = (item: Item) => item.place.facts.currency
const image = (item: Item) => itemImage(modelOf(item), item.position)
const imageFlag = (item: Item) => imageAlteringProhibited(modelOf(item))
const isoTime = (time: number | undefined) =>
  time === undefined ? '' : new Date(time).toISOString()
/** A cell about hidden quantities, which is empty where the quantity shows. */
const hidden = (text: string) => (item: Item) => (offer.hidesQuantity(item) ? text : '')
/** A cell about returns, which is empty for a seller that does not accept them. */
const returned = (text: (seller: ReturnType<typeof sellerOf>) => string) => (item: Item) =>
  sellerOf(item).returnsAccepted ? text(sellerOf(item)) : ''

/** The 39 columns of item-feeds.md, section 2.2. */
export const ITEM_COLUMNS = columns<Item>({
  itemId: item => item.itemId,
  title: itemTitle,
  imageUrl: image,
  category: item => modelOf(item).leaf.path,
  categoryId: item => modelOf(item).leaf.categoryId,
  buyingOptions: EMPTY,
  sellerUsername: item => sellerOf(item).username,
  sellerFeedbackPercentage: item => sellerOf(item).feedbackPercentage,
  sellerFeedbackScore: item => sellerOf(item).feedbackScore,
  gtin: goods.gtin,
  brand: goods.brand,
  mpn: goods.mpn,
  epid: goods.epid,
  conditionId: item => modelOf(item).condition[0],
  condition: item => {
    const [, text] = modelOf(item).condition
    return item.place.market?.language.term(text) ?? text
  },
  priceValue: item => offer.money(offer.priceCents(item)),
  priceCurrency: currency,
  primaryItemGroupId: item => item.groupId,
  primaryItemGroupType: EMPTY,
  itemEndDate: item => isoTime(item.endDate),
  sellerItemRevision: item => String(item.sellerRevision),
  itemLocationCountry: item =>
    pick(item.place.facts.itemCountries, mix(item.modelKey, DRAW.country)),
  localizedAspects: goods.aspectsCell,
  sellerTrustLevel: item => sellerOf(item).trustLevel,
  availability,
  imageAlteringProhibited: imageFlag,
  estimatedAvailableQuantity: item =>
    offer.hidesQuantity(item) ? '' : String(offer.quantity(item)),
  availabilityThresholdType: hidden('MORE_THAN'),
  availabilityThreshold: hidden(String(offer.AVAILABILITY_THRESHOLD)),
  returnsAccepted: item => String(sellerOf(item).returnsAccepted),
  returnPeriodValue: returned(seller => String(seller.returnDays)),
  returnPeriodUnit: returned(() => 'DAY'),
  refundMethod: EMPTY,
  returnMethod: EMPTY,
  returnShippingCostPayer: returned(seller => seller.returnPayer),
  acceptedPaymentMethods: EMPTY,
  deliveryOptions: item => sellerOf(item).deliveryOptions,
  shipToIncludedRegions: item => sellerOf(item).shipTo.included,
  shipToExcludedRegions: item => sellerOf(item).shipTo.excluded,
})

/** A column that no document names. It comes before {@link BEFORE_UNKNOWN}. */
export const UNKNOWN_ITEM_COLUMN: Column<Item> = {
  name: 'RestockingFeePercentage',
  cell: returned(seller => (seller.returnDays === 14 ? '20.0' : '')),
}

export const BEFORE_UNKNOWN = 'returnShippingCostPayer'

const TAKE_BACK_LABEL = 'Electronics take-back'
const TAKE_BACK_DESCRIPTION =
  'The seller takes back an old device of the same type, free of charge, when the new one is delivered.'

const discounted = (item: Item, text: (original: number) => string) => {
  const original = offer.originalCents(item)
  return original === undefined ? '' : text(original)
}
const aspect = (name: string) => (item: Item) => goods.aspectOf(item, name)
/** Every language has the values of the aspect Department in the order of the table. */
const wearer = (which: 0 | 1) => (item: Item) =>
  Object.values(WEARERS)[goods.aspectAt(item, 'Department')?.number ?? -1]?.[which] ?? ''
const webUrl = (item: Item) => `https://${item.place.facts.webHost}/itm/${item.legacyItemId}`

/** The columns after the documented ones. */
export const ITEM_TAIL_COLUMNS = columns<Item>({
  inferredEpid: goods.inferredEpid,
  inferredGtin: goods.inferredGtin,
  inferredBrand: goods.inferredBrand,
  inferredMpn: goods.inferredMpn,
  inferredLocalizedAspects: goods.inferredAspectsCell,
  additionalImageUrls: item => itemAdditionalImages(modelOf(item)),
  originalPriceValue: item => discounted(item, offer.money),
  originalPriceCurrency: item => discounted(item, () => currency(item)),
  discountAmount: item =>
    discounted(item, original => offer.money(original - offer.priceCents(item))),
  discountPercentage: item =>
    discounted(item, original =>
      String(Math.round(100 - (100 * offer.priceCents(item)) / original)),
    ),
  energyEfficiencyClass: goods.energyEfficiencyClass,
  qualifiedPrograms: goods.qualifiedPrograms,
  lotSize: goods.lotSize,
  lengthUnitOfMeasure: offer.lengthUnit,
  packageWidth: item => offer.side(item, 0),
  packageHeight: item => offer.side(item, 1),
  packageLength: item => offer.side(item, 2),
  weightUnitOfMeasure: offer.weightUnit,
  packageWeight: offer.weight,
  shippingCarrierCode: item => offer.carrier(item)?.[0] ?? '',
  shippingServiceCode: item => offer.carrier(item)?.[1] ?? '',
  shippingType: item => offer.carrier(item)?.[2] ?? '',
  shippingCost: offer.shippingCost,
  shippingCostType: offer.costType,
  additionalShippingCostPerUnit: offer.costPerUnitMore,
  quantityUsedForEstimate: item => (offer.costType(item) === 'CALCULATED' ? '1' : ''),
  unitPrice: goods.unitPrice,
  unitPricingMeasure: goods.unitPricingMeasure,
  legacyItemId: item => item.legacyItemId,
  alerts,
  sellerAccountType: item => sellerOf(item).accountType,
  tyreLabelImageUrl: goods.tyreLabelImageUrl,
  priorityListingPayload: (item, at) => campaignPayload(item.key, at - 1),
  itemCreationDate: item => isoTime(item.listedAt),
  itemWebUrl: webUrl,
  defaultImageUrl: image,
  itemAffiliateWebUrl: item => (sellerOf(item).isAffiliate ? `${webUrl(item)}?campaign=feed` : ''),
  ageGroup: wearer(1),
  color: aspect('Color'),
  pattern: aspect('Pattern'),
  size: aspect('Size'),
  gender: wearer(0),
  material: aspect('Material'),
  totalUnits: goods.totalUnits,
  ecoParticipationFeeValue: goods.ecoFee,
  ecoParticipationFeeCurrency: item => (goods.ecoFee(item) === '' ? '' : currency(item)),
  takeBackPolicyLabel: item => (goods.takesBack(item) ? TAKE_BACK_LABEL : ''),
  takeBackPolicyDescription: item => (goods.takesBack(item) ? TAKE_BACK_DESCRIPTION : ''),
  hazmatPictograms: item => goods.traits(item).hazmat?.pictograms.join('|') ?? '',
  hazmatSignalWord: item => goods.traits(item).hazmat?.signalWord ?? '',
  hazmatStatements: item => goods.traits(item).hazmat?.statements.join('|') ?? '',
  repairScore: goods.repairScore,
  conditionDescriptors: goods.conditionDescriptorsCell,
  sellerUserId: item => sellerOf(item).userId,
})

const modelOfGroup = ({ place, key }: ItemGroup) => modelAt(place, key)

export const GROUP_COLUMNS = columns<ItemGroup>({
  itemGroupId: group => group.itemGroupId,
  itemGroupType: () => 'SELLER_DEFINED_VARIATIONS',
  title: group => modelOfGroup(group).title,
  variesByLocalizedAspects: group => variesByCell(modelOfGroup(group), group.positions),
  imageUrl: group => itemImage(modelOfGroup(group), 0),
  additionalImageUrls: group => groupAdditionalImages(modelOfGroup(group), group.positions),
  imageAlteringProhibited: group => imageAlteringProhibited(modelOfGroup(group)),
})

export const PRIORITY_COLUMNS = columns<CampaignChange>({
  itemId: change => change.item.itemId,
  priorityListingPayload: change => change.payload,
  changeMetadata: change => change.kinds.join('|'),
})

/**
 * The columns of the snapshot feed, which include those of the item feed. An ended item fills only
 * the first two.
 */
export function snapshotColumns(
  itemColumns: readonly Column<Item>[],
): readonly Column<ItemChange>[] {
  const moved = ['itemId', 'availability', 'itemCreationDate']
  return [
    { name: 'itemId', cell: ({ item }) => item.itemId },
    {
      name: 'availability',
      cell: ({ item }) => (item.active ? availability(item) : 'UNAVAILABLE'),
    },
    ...itemColumns
      .filter(({ name }) => !moved.includes(name))
      .map(({ name, cell }) => whileActive(name, (change, at) => cell(change.item, at))),
    whileActive('itemSnapshotDate', ({ item }) => isoTime(item.changedAt)),
    whileActive('itemCreationDate', ({ item }) => isoTime(item.listedAt)),
    whileActive('changeMetadata', ({ kinds }) => kinds.join('|')),
  ]
}

function whileActive(name: string, cell: Column<ItemChange>['cell']): Column<ItemChange> {
  return { name, cell: (change, at) => (change.item.active ? cell(change, at) : '') }
}

function availability(item: Item): string {
  return offer.quantity(item) === 0 ? 'TEMPORARILY_UNAVAILABLE' : 'AVAILABLE'
}

function alerts(item: Item): string {
  if (sellerOf(item).isAway) return 'SELLER_AWAY'
  return mix(item.modelKey, DRAW.alert) % 200 === 0 ? 'DELAYED_DELIVERY' : ''
}

/**
 * Returns the title of an item: that of its model, in a plain world its variations, then words that
 * the seller changes from time to time, and for some items text that the TSV dialect must quote.
 */
function itemTitle(item: Item): string {
  const model = modelOf(item)
  const title = `${model.title} ${item.place.market ? marketEnding(item) : plainEnding(item, model)}`
  if (item.titleQuotes === 'removed') return title.replaceAll(/["\\\t]/g, '')
  return item.titleQuotes === 'added'
    ? `${title} ${pick(item.place.vocabulary.quoted, mix(item.listingKey, DRAW.titleStyle) >>> 8)}`
    : title
}

function plainEnding(item: Item, model: Model): string {
  const { endings } = item.place.vocabulary
  const ending = pick(endings, mix(mix(item.key, DRAW.titleChange), item.titleChanges))
  const version = item.titleChanges === 0 ? '' : ` v${item.titleChanges + 1}`
  return `${variationText(model, item.position)} ${ending}${version}`
}

/** Every change leads to another ending, and so do as many as an hour can hold. */
function marketEnding({ place, listingKey, titleChanges }: Item): string {
  const { endings } = place.vocabulary
  const draw = mix(listingKey, DRAW.titleChange)
  const step = 1 + ((draw >>> 8) % (endings.length - 1))
  return endings[((draw % endings.length) + step * titleChanges) % endings.length]!
}
