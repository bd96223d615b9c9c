// Rows that have little in common: every title is quoted and its own, identifiers, addresses and
// prices are too, aspects and lists of regions are drawn anew for each row, and nearly every cell
// has a value. The columns are those of the item feed, with conditionDescriptors in the place of
// acceptedPaymentMethods, which the service leaves empty: so the file has every kind of cell.

import { documentedItemColumns } from '../../src/engine/schema/item-columns'
import { Draws } from './draws'
import { regionsCell } from './regions'
import { rowsShape } from './rows-shape'
import { CONDITIONS, flag, LEAVES, SELLERS } from './sellers'
import { base64, SMALL, vocabulary, WORDS } from './words'

const START_MS = Date.parse('2026-03-01T00:00:00Z')
const MONTH_MINUTES = 30 * 24 * 60

/** What aspects are called, and the values that each shares with other rows. */
const NAMES = vocabulary(60, 3, 6).map(name => ({
  name: base64(name),
  values: vocabulary(5 + (name.charCodeAt(1) % 7), 3, 6).map(base64),
}))
const LABELS = vocabulary(8, 5, 9).map(base64)
const FOREIGN = ['Größe', 'café', 'Österreich', 'señal', 'façade', 'żółty', 'Ελλάδα', '日本製']
const SIGNS = ['12"', 'C:\\', '& more', '50%', "3'", '\\']
const COUNTRIES =
  'AT AU BE CA CH CN CZ DE DK ES FI FR GB GR HU IE IL IN IT JP KR MX NL NO PL SE US'.split(' ')
const REGIONS = ['AFRICA', 'ASIA', 'EUROPE', 'OCEANIA', 'NORTH_AMERICA', 'SOUTH_AMERICA']

interface Item {
  readonly row: number
  readonly seller: (typeof SELLERS)[number]
  readonly leaf: (typeof LEAVES)[number]
  readonly condition: (typeof CONDITIONS)[number]
}

const CELLS: Readonly<Record<string, (draws: Draws, item: Item) => string>> = {
  itemId: (draws, { row }) => `v1|${110_000_000_000 + row * 7 + draws.below(7)}|0`,
  title,
  imageUrl: (draws, { row }) =>
    `https://i.img.example/${draws.letters(SMALL, 3)}${row.toString(36)}.jpg`,
  category: (_, { leaf }) => leaf.path,
  categoryId: (_, { leaf }) => leaf.id,
  buyingOptions: draws => draws.of(['FIXED_PRICE', 'AUCTION', 'FIXED_PRICE,BEST_OFFER']),
  sellerUsername: (_, { seller }) => seller.username,
  sellerFeedbackPercentage: (_, { seller }) => seller.percentage,
  sellerFeedbackScore: (_, { seller }) => seller.score,
  gtin: (draws, { row }) =>
    draws.oneIn(20) ? '' : `${4_000_000_000_000 + row * 1000 + draws.below(1000)}`,
  brand: draws => draws.often(WORDS),
  mpn: draws => `MP-${draws.between(1000, 9999)}`,
  epid: draws => (draws.oneIn(20) ? '' : `${draws.between(100_000, 999_999)}`),
  conditionId: (_, { condition }) => condition.id,
  condition: (_, { condition }) => condition.text,
  priceValue: draws => `${draws.below(3000)}.${draws.between(10, 99)}`,
  priceCurrency: draws => draws.of(['USD', 'EUR', 'GBP']),
  primaryItemGroupId: (draws, { row }) =>
    draws.oneIn(20) ? '' : `${210_000_000 + Math.floor(row / 4)}`,
  primaryItemGroupType: () => 'SELLER',
  itemEndDate: draws => new Date(START_MS + draws.below(MONTH_MINUTES) * 60_000).toISOString(),
  sellerItemRevision: draws => `${draws.below(100)}`,
  itemLocationCountry: draws => draws.often(COUNTRIES),
  localizedAspects,
  sellerTrustLevel: (_, { seller }) => seller.trust,
  availability: draws => (draws.oneIn(8) ? 'UNAVAILABLE' : 'AVAILABLE'),
  imageAlteringProhibited: flag,
  estimatedAvailableQuantity: draws => `${draws.below(500)}`,
  availabilityThresholdType: () => 'MORE_THAN',
  availabilityThreshold: draws => `${draws.below(30)}`,
  returnsAccepted: (_, { seller }) => seller.accepts,
  returnPeriodValue: (_, { seller }) => seller.days,
  returnPeriodUnit: () => 'DAY',
  refundMethod: (_, { seller }) => seller.refund,
  returnMethod: (_, { seller }) => seller.returnMethod,
  returnShippingCostPayer: (_, { seller }) => seller.payer,
  conditionDescriptors,
  deliveryOptions: (_, { seller }) => seller.delivery,
  shipToIncludedRegions: shipTo,
  shipToExcludedRegions: shipTo,
}

const COLUMNS = Object.keys(documentedItemColumns).map(name =>
  name === 'acceptedPaymentMethods' ? 'conditionDescriptors' : name,
)

export const varied = rowsShape({
  bytesPerRow: 700,
  columns: COLUMNS,
  quoted: ['title'],
  rows: variedRows,
})

function* variedRows(seed: number, items: number): Generator<string[], void, void> {
  const draws = new Draws(seed)
  const makers = COLUMNS.map(name => CELLS[name]!)
  for (let row = 0; row < items; row++) {
    const item = {
      row,
      seller: draws.often(SELLERS),
      leaf: draws.often(LEAVES),
      condition: draws.of(CONDITIONS),
    }
    yield makers.map(make => make(draws, item))
  }
}

/** One in ten has letters outside ASCII, one in ten a quote, a backslash or another sign. */
function title(draws: Draws, { row }: Item): string {
  const words = draws.list(draws.between(5, 8), () => draws.often(WORDS))
  if (draws.oneIn(10)) words[draws.below(words.length)] = draws.of(FOREIGN)
  if (draws.oneIn(10)) words.push(draws.of(SIGNS))
  return `${words.join(' ')} ${row.toString(36)}`
}

/** Three to fourteen pairs; every third has a value of its own, one in six begins a label. */
function localizedAspects(draws: Draws): string {
  const pairs = draws.list(draws.between(3, 14), () => {
    const label = draws.oneIn(6) ? `${draws.of(LABELS)}|` : ''
    const { name, values } = draws.often(NAMES)
    return `${label}${name}:${draws.oneIn(3) ? ownValue(draws) : draws.often(values)}`
  })
  return pairs.join(';')
}

function ownValue(draws: Draws): string {
  return base64(`${draws.below(1000)} ${draws.of(['cm', 'kg', 'Größe'])}`)
}

function conditionDescriptors(draws: Draws): string {
  const { name, values } = draws.often(NAMES)
  return `${name}:${draws.list(draws.between(1, 2), () => draws.of(values)).join('|')}`
}

/** Runs of countries and single regions, each drawn, in the order of their names. */
function shipTo(draws: Draws): string {
  let isIn = draws.oneIn(2)
  const countries = COUNTRIES.filter(() => {
    if (draws.oneIn(5)) isIn = !isIn
    return isIn
  })
  const regions = REGIONS.filter(() => draws.oneIn(4))
  return regionsCell(countries, regions)
}
