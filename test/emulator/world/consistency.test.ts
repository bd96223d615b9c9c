// What a data engineer checks before trusting a feed: whether the cells of a file agree with each other, with the files beside it,
// and with what the columns are documented to mean (document 2, "Item feed columns").

import { describe, expect, test } from 'vitest'
import { tsvBytes } from '../../../src/emulator/feed-file'
import { HOUR_MS } from '../../../src/emulator/world/item-life'
import type { PlaceName } from '../../../src/emulator/world/place'
import { createWorld, type World } from '../../../src/emulator/world/world'
import {
  ColumnDecoder,
  type Columns,
  type FeedSchema,
  itemGroupSchema,
  itemSchema,
  itemSnapshotSchema,
  pipeline,
  TsvRowParser,
} from '../../../src/index'
import { aspectsOf, bootstrapGroups, bootstrapItems, type FileRecord, snapshotItems } from './world-files'

/** ISO 3166-1 alpha-2, as assigned today. */
const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN ' +
    'CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM ' +
    'HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ' +
    'ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
    'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI ' +
    'VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
)
/** Document 2, "Format of shipToIncludedRegions and shipToExcludedRegions". */
const REGIONS = new Set(
  (
    'AFRICA AMERICAS ANTARCTIC ARCTIC ASIA AUSTRALIA CENTRAL_AMERICA_AND_CARIBBEAN EUROPE EURO_UNION GREATER_CHINA MIDDLE_EAST NORTH_AMERICA ' +
    'OCEANIA REST_OF_ASIA SOUTHEAST_ASIA SOUTH_AMERICA WORLDWIDE'
  ).split(' '),
)
const CURRENCIES: Readonly<Record<string, string>> = {
  MKT_US: 'USD',
  MKT_GB: 'GBP',
  MKT_DE: 'EUR',
  MKT_FR: 'EUR',
  MKT_IT: 'EUR',
  MKT_ES: 'EUR',
  MKT_AU: 'AUD',
  MKT_CA: 'CAD',
}
/** Known top-level categories, and two that are only a number. */
const CATEGORIES: Readonly<Record<string, RegExp>> = {
  '220': /^Toys & Hobbies$/,
  '11450': /^Clothing, Shoes & Accessories$/,
  '11700': /^Home & Garden$/,
  '131090': /^Vehicle Parts & Accessories$/,
  '4711': /4711/,
  '999': /999/,
}

interface Chosen {
  readonly world: World
  readonly place: Required<PlaceName>
}

interface Files extends Chosen {
  readonly items: readonly FileRecord[]
  readonly groups: readonly FileRecord[]
}

/** Three seeds; each of the marketplaces and each of the categories with one of them at least. */
const CHOSEN: readonly Chosen[] = Object.keys(CURRENCIES).flatMap((marketplaceId, m) => {
  const categories = Object.keys(CATEGORIES)
  const two = [categories[m % categories.length]!, categories[(m + 2) % categories.length]!]
  const world = createWorld({ seed: [1, 77, 20_260_301][m % 3]!, items: 500, marketplaces: [marketplaceId], categories: two })
  return two.map(categoryId => ({ world, place: { marketplaceId, categoryId } }))
})

const FILES: readonly Files[] = CHOSEN.map(chosen => {
  return { ...chosen, items: bootstrapItems(chosen.world, chosen.place), groups: bootstrapGroups(chosen.world, chosen.place) }
})

const each = FILES.map(files => [`${files.place.marketplaceId}, category ${files.place.categoryId}`, files] as const)
const cents = (amount: string) => Math.round(100 * Number(amount))
const valuesOf = (records: readonly FileRecord[], column: string) => new Set(records.map(record => record[column]!))
const listed = (cell: string, part: string) => new RegExp(`${part}:([^;]*);`).exec(cell)?.[1]?.split('|') ?? []

function byValue(records: readonly FileRecord[], column: string): [value: string, records: FileRecord[]][] {
  const found = new Map<string, FileRecord[]>()
  for (const record of records) found.set(record[column]!, [...(found.get(record[column]!) ?? []), record])
  return [...found]
}

describe.each(each)('%s', (_, { place, items, groups }) => {
  const itemsOf = (groupId: string) => items.filter(item => item.primaryItemGroupId === groupId)

  test('every item stands in a leaf under the file’s top-level category', () => {
    expect(items.length).toBeGreaterThan(400)
    expect(valuesOf(items, 'categoryId').size).toBeGreaterThan(1)
    expect(items.filter(item => !CATEGORIES[place.categoryId]!.test(item.category!.split('|')[0]!))).toEqual([])
    for (const [id, inLeaf] of byValue(items, 'categoryId')) {
      expect([id, valuesOf(inLeaf, 'category').size]).toEqual([id, 1])
      expect([id, inLeaf[0]!.category!.split('|').length]).toEqual([id, 3])
    }
    expect(valuesOf(items, 'category').size).toBe(valuesOf(items, 'categoryId').size)
  })

  test('a brand makes what its categories hold, not everything', () => {
    const brandless = items.filter(item => item.brand === '')
    expect(brandless.length).toBeGreaterThan(0)
    expect(brandless.length).toBeLessThan(items.length / 5)
    for (const [, inLeaf] of byValue(items, 'categoryId')) expect(valuesOf(inLeaf, 'brand').size).toBeLessThanOrEqual(11)
    for (const { brand, inferredBrand, title } of items) expect(title!.startsWith(`${brand === '' ? inferredBrand : brand} `)).toBe(true)
  })

  test('a group is of one seller, one leaf category, one brand and one kind of thing', () => {
    const shared = ['sellerUsername', 'categoryId', 'category', 'brand', 'mpn', 'epid', 'conditionId', 'condition', 'priceCurrency']
    shared.push('itemLocationCountry', 'shippingCost', 'packageWeight', 'additionalImageUrls', 'imageAlteringProhibited')
    let several = 0
    for (const { itemGroupId } of groups) {
      const members = itemsOf(itemGroupId!)
      expect(members.length).toBeGreaterThan(0)
      if (members.length > 1) several++
      for (const column of shared) expect([itemGroupId, column, valuesOf(members, column).size]).toEqual([itemGroupId, column, 1])
    }
    expect(several).toBeGreaterThan(10)
  })

  test('the items of a group differ by the aspects that vary, all of them, and share the others', () => {
    for (const { itemGroupId, variesByLocalizedAspects } of groups) {
      const varied = aspectsOf(variesByLocalizedAspects!)
      const names = new Set(varied.map(([name]) => name))
      const members = itemsOf(itemGroupId!).map(item => aspectsOf(item.localizedAspects!))
      const sorted = (member: (readonly [string, string])[], varies: boolean) =>
        JSON.stringify(member.filter(([name]) => names.has(name) === varies))
      expect(new Set(members.map(member => sorted(member, false))).size).toBe(1)
      expect(new Set(members.map(member => sorted(member, true))).size).toBe(members.length)
      for (const [name, value] of members.flat().filter(([name]) => names.has(name))) expect(varied).toContainEqual([name, value])
      for (const member of members) for (const name of names) expect(member.filter(([other]) => other === name)).toHaveLength(1)
    }
  })

  test('the title of a group begins the titles of its items, and tells them apart with what varies', () => {
    for (const { itemGroupId, title } of groups) {
      const members = itemsOf(itemGroupId!)
      expect(members.filter(item => !item.title!.startsWith(`${title} `))).toEqual([])
      expect(valuesOf(members, 'title').size).toBe(members.length)
    }
  })

  test('the images of a group are those of its items', () => {
    for (const { itemGroupId, imageUrl, additionalImageUrls, imageAlteringProhibited } of groups) {
      const all = [imageUrl!, ...additionalImageUrls!.split('|').filter(url => url !== '')]
      expect(new Set(all).size).toBe(all.length)
      for (const item of itemsOf(itemGroupId!)) {
        const own = [item.imageUrl!, ...item.additionalImageUrls!.split('|').filter(url => url !== '')]
        expect(own.filter(url => !all.includes(url))).toEqual([])
        expect(item.imageAlteringProhibited).toBe(imageAlteringProhibited)
      }
    }
    for (const { imageUrl, additionalImageUrls, defaultImageUrl } of items) {
      expect(defaultImageUrl).toBe(imageUrl)
      expect(additionalImageUrls!.split('|')).not.toContain(imageUrl)
    }
  })

  test('money is in the currency of the marketplace, and a discount is what the price is lower by', () => {
    const currency = CURRENCIES[place.marketplaceId]!
    expect(valuesOf(items, 'priceCurrency')).toEqual(new Set([currency]))
    let discounted = 0
    for (const { priceValue, originalPriceValue, originalPriceCurrency, discountAmount, discountPercentage } of items) {
      expect(cents(priceValue!)).toBeGreaterThan(0)
      if (originalPriceValue === '') {
        expect([originalPriceCurrency, discountAmount, discountPercentage]).toEqual(['', '', ''])
        continue
      }
      discounted++
      expect(originalPriceCurrency).toBe(currency)
      expect(cents(originalPriceValue!) - cents(discountAmount!)).toBe(cents(priceValue!))
      expect(Number(discountPercentage)).toBeCloseTo((100 * cents(discountAmount!)) / cents(originalPriceValue!), -0.3)
      expect(cents(discountAmount!)).toBeGreaterThan(0)
    }
    expect(discounted).toBeGreaterThan(20)
    for (const item of items) {
      expect([item.ecoParticipationFeeValue === '', item.ecoParticipationFeeCurrency]).toEqual(
        item.ecoParticipationFeeValue === '' ? [true, ''] : [false, currency],
      )
    }
  })

  test('regions are those of document 2, countries those of ISO 3166-1, in order, and no name stands in both lists', () => {
    for (const { shipToIncludedRegions: included, shipToExcludedRegions: excluded, deliveryOptions, itemLocationCountry } of items) {
      for (const cell of [included!, excluded!]) {
        const [countries, regions] = [listed(cell, 'COUNTRY'), listed(cell, 'REGION')]
        expect(countries.filter(code => !COUNTRIES.has(code))).toEqual([])
        expect(regions.filter(name => !REGIONS.has(name))).toEqual([])
        for (const list of [countries, regions]) expect(list).toEqual([...new Set(list)].sort())
      }
      if (included === '') expect([excluded, deliveryOptions!.includes('SHIP_TO_HOME')]).toEqual(['', false])
      const both = ['COUNTRY', 'REGION'].flatMap(part => listed(excluded!, part).filter(name => listed(included!, part).includes(name)))
      expect(both).toEqual([])
      expect(COUNTRIES.has(itemLocationCountry!)).toBe(true)
    }
    expect(items.some(item => item.shipToExcludedRegions !== '')).toBe(true)
  })

  test('what is not shipped costs nothing to ship and has no carrier', () => {
    const columns = ['shippingCarrierCode', 'shippingServiceCode', 'shippingType', 'shippingCost', 'shippingCostType', 'packageWeight']
    const pickedUp = items.filter(item => !item.deliveryOptions!.includes('SHIP_TO_HOME'))
    expect(pickedUp.length).toBeGreaterThan(0)
    for (const item of pickedUp) expect(columns.map(column => item[column])).toEqual(columns.map(() => ''))
    for (const item of items.filter(item => !pickedUp.includes(item))) {
      expect(item.shippingCost).toMatch(/^\d+\.\d\d$/)
      expect(['FIXED', 'CALCULATED']).toContain(item.shippingCostType)
      expect(item.quantityUsedForEstimate).toBe(item.shippingCostType === 'CALCULATED' ? '1' : '')
    }
  })

  test('a quantity is told, or is more than the threshold', () => {
    for (const item of items) {
      const { estimatedAvailableQuantity: quantity, availabilityThresholdType: type, availabilityThreshold: threshold, availability } = item
      expect([type, threshold]).toEqual(quantity === '' ? ['MORE_THAN', '10'] : ['', ''])
      expect(availability).toBe(quantity === '0' ? 'TEMPORARILY_UNAVAILABLE' : 'AVAILABLE')
    }
  })

  test('addresses and legacy identifiers are those of the item', () => {
    for (const { itemId, legacyItemId, itemWebUrl, itemAffiliateWebUrl } of items) {
      const [version, id] = itemId!.split('|')
      expect([version, legacyItemId, new URL(itemWebUrl!).pathname]).toEqual(['v1', id, `/itm/${id}`])
      if (itemAffiliateWebUrl !== '') expect(itemAffiliateWebUrl!.startsWith(`${itemWebUrl}?`)).toBe(true)
    }
    expect(valuesOf(items, 'itemId').size).toBe(items.length)
  })

  test('trade numbers have their check digit, and inferred cells stand only where the seller’s are empty', () => {
    for (const { gtin, inferredGtin, brand, inferredBrand, mpn, inferredMpn, epid, inferredEpid } of items) {
      for (const number of [gtin!, inferredGtin!].filter(number => number !== '')) {
        const sum = [...number].reduce((total, digit, n) => total + Number(digit) * (n % 2 === 0 ? 1 : 3), 0)
        expect([number.length, sum % 10]).toEqual([13, 0])
      }
      for (const [own, inferred] of [
        [gtin, inferredGtin],
        [brand, inferredBrand],
        [mpn, inferredMpn],
        [epid, inferredEpid],
      ])
        expect(own === '' || inferred === '').toBe(true)
    }
    for (const { localizedAspects, inferredLocalizedAspects } of items) {
      const names = aspectsOf(localizedAspects!).map(([name]) => name)
      for (const [name] of aspectsOf(inferredLocalizedAspects!)) expect(names).not.toContain(name)
    }
  })

  test('columns that repeat an aspect say the same', () => {
    for (const { localizedAspects, ...item } of items) {
      const aspects = new Map(aspectsOf(localizedAspects!))
      for (const [column, name] of [
        ['brand', 'Brand'],
        ['color', 'Color'],
        ['size', 'Size'],
        ['pattern', 'Pattern'],
        ['material', 'Material'],
      ] as const)
        expect([column, item[column]]).toEqual([column, aspects.get(name) ?? ''])
      expect(item.gender === '').toBe(!aspects.has('Department'))
      expect(item.ageGroup === '').toBe(!aspects.has('Department'))
    }
  })

  test('measures and their units, fees and their currencies, policies and their descriptions come together', () => {
    for (const item of items) {
      for (const [one, other] of [
        ['weightUnitOfMeasure', 'packageWeight'],
        ['lengthUnitOfMeasure', 'packageWidth'],
        ['packageWidth', 'packageHeight'],
        ['packageHeight', 'packageLength'],
        ['unitPrice', 'unitPricingMeasure'],
        ['takeBackPolicyLabel', 'takeBackPolicyDescription'],
        ['returnPeriodValue', 'returnPeriodUnit'],
        ['returnPeriodValue', 'returnShippingCostPayer'],
      ])
        expect([one, item[one!] === '']).toEqual([one, item[other!] === ''])
      expect(item.returnPeriodValue === '').toBe(item.returnsAccepted === 'false')
    }
  })

  test('a listing ends after it began', () => {
    const ending = items.filter(item => item.itemEndDate !== '')
    expect(ending.length).toBeGreaterThan(0)
    for (const { itemEndDate, itemCreationDate } of ending) expect(Date.parse(itemEndDate!)).toBeGreaterThan(Date.parse(itemCreationDate!))
  })
})

test('a seller has one feedback in all marketplaces, and one policy in each', () => {
  const world = createWorld({ seed: 5, items: 6_000, marketplaces: ['MKT_DE', 'MKT_GB'], categories: ['220', '11450'] })
  const places = world.options.marketplaces.flatMap(marketplaceId => {
    return world.options.categories.map(categoryId => ({ marketplaceId, categoryId }))
  })
  const items = places.map(place => bootstrapItems(world, place))
  const feedback = ['sellerFeedbackPercentage', 'sellerFeedbackScore', 'sellerTrustLevel', 'sellerAccountType', 'sellerUserId']
  const policy = ['returnsAccepted', 'returnPeriodValue', 'returnShippingCostPayer', 'deliveryOptions', 'shipToIncludedRegions']
  const oneEach = (records: readonly FileRecord[], columns: readonly string[]) => {
    const several = byValue(records, 'sellerUsername').filter(([, own]) => own.length > 1)
    expect(several.length).toBeGreaterThan(1_000)
    for (const [seller, own] of several) {
      for (const column of columns) expect([seller, column, valuesOf(own, column).size]).toEqual([seller, column, 1])
    }
  }
  oneEach(items.flat(), feedback)
  oneEach([...items[0]!, ...items[1]!], policy)
  oneEach([...items[2]!, ...items[3]!], policy)
})

describe('changes are seen', () => {
  const QUANTITY = ['estimatedAvailableQuantity', 'availabilityThresholdType', 'availability']
  const CHANGED: Readonly<Record<string, readonly string[]>> = {
    PRICE_CHANGE: ['priceValue'],
    QUANTITY_CHANGE: QUANTITY,
    TITLE_CHANGE: ['title'],
  }
  test.each([
    [1, 1],
    [2, 1],
    [3, 25],
    [4, 400],
    [5, 1_000],
  ])(
    'seed %d, churn %d: what changeMetadata says differs between the truths before and after the hour, and nothing else does',
    (seed, churn) => {
      const world = createWorld({ seed, items: churn === 1 ? 8_000 : 600, churn })
      const place = { marketplaceId: 'MKT_US', categoryId: '220' }
      const columns = [...new Set(['itemId', ...Object.values(CHANGED).flat()])]
      const truth = (time: number) =>
        new Map(Array.from(world.truthAt(new Date(time), place, columns), ({ itemId, cells }) => [itemId, cells] as const))
      const seen = new Map<string, number>()
      for (let hour = 0; hour < (churn === 1 ? 8 : 3); hour++) {
        const [from, to] = [+world.start + hour * HOUR_MS, +world.start + (hour + 1) * HOUR_MS]
        const [before, after] = [truth(from), truth(to)]
        for (const { itemId, changeMetadata } of snapshotItems(world, place, new Date(from), new Date(to))) {
          const kinds = changeMetadata!.split('|').filter(kind => kind !== '')
          const [old, now] = [before.get(itemId!), after.get(itemId!)]
          if (old === undefined || now === undefined || kinds.includes('NEW')) continue
          for (const [kind, about] of Object.entries(CHANGED)) {
            const differs = about.some(column => old[columns.indexOf(column)] !== now[columns.indexOf(column)])
            expect([itemId, kind, differs]).toEqual([itemId, kind, kinds.includes(kind)])
            if (differs) seen.set(kind, (seen.get(kind) ?? 0) + 1)
          }
        }
      }
      for (const kind of Object.keys(CHANGED)) expect([kind, seen.get(kind) ?? 0]).toEqual([kind, expect.any(Number)])
      expect(Math.min(...Object.keys(CHANGED).map(kind => seen.get(kind) ?? 0))).toBeGreaterThan(20)
    },
  )

  test('an unavailable row fills itemId and availability, and nothing else', () => {
    const world = createWorld({ seed: 9, items: 3_000, churn: 20 })
    const rows = snapshotItems(world, { marketplaceId: 'MKT_US', categoryId: '220' }, world.start, world.end)
    const ended = rows.filter(row => row.availability === 'UNAVAILABLE')
    expect(ended.length).toBeGreaterThan(50)
    for (const row of ended) {
      expect(Object.entries(row).flatMap(([column, cell]) => (cell === '' ? [] : [column]))).toEqual(['itemId', 'availability'])
    }
    expect(rows.filter(row => row.availability !== 'UNAVAILABLE' && row.itemSnapshotDate === '')).toEqual([])
  })
})

describe('every column', () => {
  const world = createWorld({
    seed: 7,
    items: 800,
    marketplaces: ['MKT_US', 'MKT_FR', 'MKT_GB'],
    categories: ['220', '11450', '11700', '131090', '15032'],
  })
  const places = world.options.marketplaces.flatMap(marketplaceId => {
    return world.options.categories.map(categoryId => ({ marketplaceId, categoryId }))
  })
  const items = places.flatMap(place => bootstrapItems(world, place))
  const deprecated = new Set(Object.entries(itemSchema.columns).flatMap(([name, column]) => ('deprecated' in column ? [name] : [])))

  test('that is documented is filled in some rows, unless it is said to return no values', () => {
    const filled = (name: string) => items.filter(item => item[name] !== '' && item[name] !== undefined).length
    const names = Object.keys(itemSchema.columns)
    expect(names.filter(name => !deprecated.has(name) && filled(name) === 0)).toEqual([])
    expect(names.filter(name => deprecated.has(name) && filled(name) > 0)).toEqual([])
    expect(deprecated.size).toBeGreaterThan(3)
  })

  test('of special goods is filled for those goods alone, and where the law wants it', () => {
    const where = (column: string) => new Set(items.filter(item => item[column] !== '').map(item => item.category!.split('|')[2]!))
    expect(where('tyreLabelImageUrl')).toEqual(new Set(['Tyres']))
    expect(where('conditionDescriptors')).toEqual(new Set(['Single Cards']))
    expect(where('hazmatSignalWord')).toEqual(new Set(['Cleaning Products', 'Engine Oils']))
    expect(where('unitPrice')).toEqual(new Set(['Coffee', 'Cleaning Products', 'Engine Oils']))
    expect(where('energyEfficiencyClass')).toEqual(new Set(['Table Lamps', 'Washing Machines', 'Smartphones']))
    const french = items.filter(item => item.repairScore !== '' || item.ecoParticipationFeeValue !== '')
    expect(french.length).toBeGreaterThan(50)
    expect(french.filter(item => !item.itemWebUrl!.includes('.fr/'))).toEqual([])
  })

  test.each([
    ['item', itemSchema],
    ['item_group', itemGroupSchema],
    ['item_snapshot', itemSnapshotSchema],
  ] as const)('of the %s feed decodes by its type, in every cell', async (feed, schema) => {
    const decoded = new Set<string>()
    for (const place of places) {
      const file = { feed, content: feed === 'item_snapshot' ? 'span' : 'bootstrap', ...place, from: world.start } as const
      const bytes = tsvBytes(world, { ...file, to: feed === 'item_snapshot' ? world.end : world.start }, { tailColumns: true })
      // A cell that cannot be read throws.
      const rows = pipeline(bytes)
        .to(new TsvRowParser({ schema: schema as FeedSchema<Columns> }))
        .to(new ColumnDecoder())
      for await (const row of rows) {
        for (const [name, value] of Object.entries(row.toObject())) {
          if (value !== null && !(Array.isArray(value) && value.length === 0)) decoded.add(name)
        }
      }
    }
    const columns = Object.keys(schema.columns).filter(name => !deprecated.has(name))
    expect(columns.filter(name => !decoded.has(name))).toEqual([])
  })
})
