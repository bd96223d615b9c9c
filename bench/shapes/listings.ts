// Categories whose listings have variations, as the large ones do. The variations of a listing stand
// together. They share its identifier, title, image, seller, aspects, returns and regions; an aspect
// or two differ, and with them the third part of the identifier.

import { documentedItemColumns } from '../../src/engine/schema/item-columns'
import { Draws } from './draws'
import { COUNTRIES, REGIONS, regionsCell } from './regions'
import { rowsShape } from './rows-shape'
import { CONDITIONS, LEAVES, SELLERS } from './sellers'
import type { Shape } from './shape'
import { base64, vocabulary, WORDS } from './words'

type Range = readonly [least: number, most: number]

interface Varying {
  readonly name: string
  readonly values: readonly string[]
}

export interface Category {
  readonly bytesPerRow: number
  /** How many variations a listing has. */
  readonly variations: Range
  /** What they differ in: `inner` changes from row to row, `outer` when that begins anew. */
  readonly varying: { readonly outer: Varying; readonly inner: Varying }
  /** How many aspects they share. */
  readonly aspects: Range
  /** How many words a title has. */
  readonly titleWords: Range
  /** How many countries a seller ships to, and how many it excludes, about. */
  readonly included: Range
  readonly excluded: Range
}

type Cells = Readonly<Record<string, string>>

const COLUMNS = Object.keys(documentedItemColumns)
const START_MS = Date.parse('2026-03-01T00:00:00Z')
const MONTH_MS = 30 * 24 * 60 * 60_000
const DIGITS = '0123456789'
const IMAGE_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'
const ASPECT_NAMES = vocabulary(40, 5, 9)

type Seller = ReturnType<typeof sellersOf>[number]

export function categoryShape(category: Category): Shape {
  const sellers = sellersOf(category)
  return rowsShape({
    bytesPerRow: category.bytesPerRow,
    columns: COLUMNS,
    *rows(seed, rows) {
      const draws = new Draws(seed)
      let left = rows
      for (let listing = 0; left > 0; listing++) {
        const count = Math.min(left, draws.between(...category.variations))
        const listingId = `${110_000_000_000 + listing * 1_000_000 + draws.below(1_000_000)}`
        const shared = listingCells(draws, draws.often(sellers), category)
        for (const cells of variations(draws, listingId, count, category))
          yield COLUMNS.map(name => cells[name] ?? shared[name] ?? '')
        left -= count
      }
    },
  })
}

/** Each has one list of what it ships to, and one of what it excludes. */
function sellersOf({ included, excluded }: Category) {
  const draws = new Draws(SELLERS.length)
  return SELLERS.map(seller => ({
    ...seller,
    included: regionList(draws, included),
    excluded: regionList(draws, excluded),
  }))
}

/** What a listing has in all of its rows. */
function listingCells(draws: Draws, seller: Seller, category: Category): Cells {
  const leaf = draws.often(LEAVES)
  const condition = draws.often(CONDITIONS)
  const isEnding = draws.oneIn(4)
  return {
    title: title(draws, category),
    imageUrl: `https://i.img.example/images/g/${draws.letters(IMAGE_LETTERS, 16)}/s-l1600.jpg`,
    category: leaf.path,
    categoryId: leaf.id,
    sellerUsername: seller.username,
    sellerFeedbackPercentage: seller.percentage,
    sellerFeedbackScore: seller.score,
    brand: draws.often(WORDS),
    mpn: draws.oneIn(2) ? 'Does not apply' : draws.letters(DIGITS, 8),
    conditionId: condition.id,
    condition: condition.text,
    priceValue: price(draws),
    priceCurrency: 'USD',
    itemEndDate: isEnding ? new Date(START_MS + draws.below(MONTH_MS)).toISOString() : '',
    sellerItemRevision: `${draws.below(30)}`,
    itemLocationCountry: draws.often(COUNTRIES),
    sellerTrustLevel: seller.trust,
    availability: 'AVAILABLE',
    imageAlteringProhibited: 'false',
    returnsAccepted: seller.accepts,
    returnPeriodValue: seller.days,
    returnPeriodUnit: 'DAY',
    returnShippingCostPayer: seller.payer,
    deliveryOptions: seller.delivery,
    shipToIncludedRegions: seller.included,
    shipToExcludedRegions: seller.excluded,
  }
}

/** What each variation has beside what its listing has. */
function* variations(
  draws: Draws,
  listingId: string,
  count: number,
  category: Category,
): Generator<Cells, void, void> {
  const shared = sharedAspects(draws, category)
  const [first, second] = [draws.below(shared.length), draws.below(shared.length)]
  const hasGtins = draws.oneIn(2)
  const hasOwnPrices = draws.oneIn(4)
  const { outer, inner } = category.varying
  const begin = draws.below(outer.values.length)
  let variationId = draws.between(410_000_000_000, 699_000_000_000)
  for (let n = 0; n < count; n++) {
    const step = begin + Math.floor(n / inner.values.length)
    const pairs = [...shared]
    pairs.splice(first, 0, pair(outer.name, outer.values[step % outer.values.length]!))
    pairs.splice(second, 0, pair(inner.name, inner.values[n % inner.values.length]!))
    variationId += draws.between(1, 3)
    const quantity = draws.between(1, 20)
    yield {
      itemId: `v1|${listingId}|${count > 1 ? variationId : 0}`,
      primaryItemGroupId: count > 1 ? listingId : '',
      primaryItemGroupType: count > 1 ? 'SELLER_DEFINED_VARIATIONS' : '',
      localizedAspects: pairs.join(';'),
      ...(hasGtins && { gtin: draws.letters(DIGITS, 13) }),
      ...(hasOwnPrices && { priceValue: price(draws) }),
      // Above the threshold a seller may hide how many there are.
      ...(quantity > 10
        ? { availabilityThresholdType: 'MORE_THAN', availabilityThreshold: '10' }
        : { estimatedAvailableQuantity: `${quantity}` }),
    }
  }
}

function sharedAspects(draws: Draws, { aspects }: Category): string[] {
  const first = draws.below(ASPECT_NAMES.length)
  return Array.from({ length: draws.between(...aspects) }, (_, n) =>
    pair(ASPECT_NAMES[(first + n) % ASPECT_NAMES.length]!, words(draws, 1, 3)),
  )
}

function pair(name: string, value: string): string {
  return `${base64(name)}:${base64(value)}`
}

/** One in twenty has a quote, as of inches, and so is quoted. */
function title(draws: Draws, { titleWords }: Category): string {
  const text = words(draws, ...titleWords)
  return draws.oneIn(20) ? `${text} ${draws.between(2, 90)}"` : text
}

function words(draws: Draws, least: number, most: number): string {
  return draws.list(draws.between(least, most), () => draws.often(WORDS)).join(' ')
}

function price(draws: Draws): string {
  return `${draws.between(3, 120)}.${draws.of(['99', '95', '50', '00'])}`
}

function regionList(draws: Draws, length: Range): string {
  const wanted = draws.between(...length)
  const countries = COUNTRIES.filter(() => draws.below(COUNTRIES.length) < wanted)
  const regions = REGIONS.filter(() => draws.oneIn(3))
  return regionsCell(countries, regions)
}
