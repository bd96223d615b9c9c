// Tests that the cells of a file agree with each other, with the other files, and with the
// documented meaning of the columns (item-feeds.md, section 2.2). It is one file because all tests
// read the same files.
// Long: it looks at every hour of a world.

import { describe, expect, test } from 'vitest'
import { tsvBytes } from '../../../src/emulator/feeds/feed-file'
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
import { tableIn } from '../../documents/pages'
import {
  aspectsOf,
  bootstrapGroups,
  bootstrapItems,
  type FileRecord,
  snapshotItems,
} from './world-files'

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
/** The regions of item-feeds.md, section 2.5. */
const REGIONS = new Set(tableIn('item-feeds.md', '2.5').map(({ Region }) => Region!))
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

/**
 * Three seeds; each of the marketplaces and each of the categories with one of them at least. The
 * columns of a market have English names in one country.
 */
const CHOSEN: readonly Chosen[] = [
  ...Object.keys(CURRENCIES).map((marketplaceId, m) => ['plain', marketplaceId, m] as const),
  ...Object.keys(CATEGORIES).map((_, m) => ['market', 'MKT_US', m] as const),
].flatMap(([shape, marketplaceId, m]) => {
  const categories = Object.keys(CATEGORIES)
  const two = [categories[m % categories.length]!, categories[(m + 2) % categories.length]!]
  const world = createWorld({
    seed: [1, 77, 20_260_301][m % 3]!,
    shape,
    items: 360,
    marketplaces: [marketplaceId],
    categories: two,
  })
  return two.map(categoryId => ({ world, place: { marketplaceId, categoryId } }))
})

const FILES: readonly Files[] = CHOSEN.map(chosen => {
  return {
    ...chosen,
    items: bootstrapItems(chosen.world, chosen.place),
    groups: bootstrapGroups(chosen.world, chosen.place),
  }
})

const cents = (amount: string) => Math.round(100 * Number(amount))
const valuesOf = (records: readonly FileRecord[], column: string) =>
  new Set(records.map(record => record[column]!))
const listed = (cell: string, part: string) =>
  new RegExp(`${part}:([^;]*);`).exec(cell)?.[1]?.split('|') ?? []
const urls = (cell: string) => cell.split('|').filter(url => url !== '')
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const isFilled = (item: FileRecord, column: string) => item[column] !== ''

function byValue(records: readonly FileRecord[], column: string): Map<string, FileRecord[]> {
  const found = new Map<string, FileRecord[]>()
  for (const record of records) {
    const same = found.get(record[column]!)
    if (same === undefined) found.set(record[column]!, [record])
    else same.push(record)
  }
  return found
}

/** A rule, and its check of one record. A record that the rule does not apply to passes. */
type Rule<Of> = readonly [rule: string, holds: (of: Of, files: Files) => boolean]

const isCheckDigitRight = (number: string) =>
  number.length === 13 &&
  [...number].reduce((sum, digit, n) => sum + Number(digit) * (n % 2 === 0 ? 1 : 3), 0) % 10 === 0

const regionRule = (cell: string) => {
  const [countries, regions] = [listed(cell, 'COUNTRY'), listed(cell, 'REGION')]
  const isKnown =
    countries.every(code => COUNTRIES.has(code)) && regions.every(name => REGIONS.has(name))
  return isKnown && [countries, regions].every(list => isSame(list, [...new Set(list)].sort()))
}

/** Columns that are filled together or not at all. */
const TOGETHER: readonly (readonly [string, string])[] = [
  ['originalPriceValue', 'originalPriceCurrency'],
  ['originalPriceValue', 'discountAmount'],
  ['originalPriceValue', 'discountPercentage'],
  ['ecoParticipationFeeValue', 'ecoParticipationFeeCurrency'],
  ['weightUnitOfMeasure', 'packageWeight'],
  ['lengthUnitOfMeasure', 'packageWidth'],
  ['packageWidth', 'packageHeight'],
  ['packageHeight', 'packageLength'],
  ['unitPrice', 'unitPricingMeasure'],
  ['unitPrice', 'totalUnits'],
  ['takeBackPolicyLabel', 'takeBackPolicyDescription'],
  ['returnPeriodValue', 'returnPeriodUnit'],
  ['returnPeriodValue', 'returnShippingCostPayer'],
  ['shippingCost', 'shippingCostType'],
  ['shippingCost', 'shippingServiceCode'],
]
const OF_SHIPPING = [
  'shippingCarrierCode',
  'shippingServiceCode',
  'shippingType',
  'shippingCost',
  'shippingCostType',
  'packageWeight',
]
const INFERRED = ['Gtin', 'Brand', 'Mpn', 'Epid'].map(
  name => [name.toLowerCase(), `inferred${name}`] as const,
)
const REPEATED: readonly (readonly [column: string, aspect: string])[] = [
  ['brand', 'Brand'],
  ['color', 'Color'],
  ['size', 'Size'],
  ['pattern', 'Pattern'],
  ['material', 'Material'],
]

const ITEM_RULES: readonly Rule<FileRecord>[] = [
  [
    'stands under the file’s top-level category',
    (item, { place }) => CATEGORIES[place.categoryId]!.test(item.category!.split('|')[0]!),
  ],
  ['stands in a leaf below it', item => item.category!.split('|').length === 3],
  [
    'is titled after its brand, declared or inferred',
    ({ brand, inferredBrand, title }) => title!.startsWith(`${brand || inferredBrand} `),
  ],
  [
    'is priced in the marketplace’s currency',
    ({ priceCurrency }, { place }) => priceCurrency === CURRENCIES[place.marketplaceId],
  ],
  [
    'has its other amounts in the same currency',
    item => {
      return [item.originalPriceCurrency!, item.ecoParticipationFeeCurrency!].every(
        currency => currency === '' || currency === item.priceCurrency,
      )
    },
  ],
  ['costs something', ({ priceValue }) => cents(priceValue!) > 0],
  [
    'is discounted by what its price is lower',
    item => {
      const [original, discount] = [cents(item.originalPriceValue!), cents(item.discountAmount!)]
      const percent = Math.round((100 * discount) / original)
      return (
        original === 0 ||
        (discount > 0 &&
          original - discount === cents(item.priceValue!) &&
          Number(item.discountPercentage) === percent)
      )
    },
  ],
  [
    'names current countries and documented regions, in order',
    item => regionRule(item.shipToIncludedRegions!) && regionRule(item.shipToExcludedRegions!),
  ],
  [
    'excludes nothing where it includes nothing',
    item => isFilled(item, 'shipToIncludedRegions') || !isFilled(item, 'shipToExcludedRegions'),
  ],
  [
    'excludes nothing that it includes',
    ({ shipToIncludedRegions: included, shipToExcludedRegions: excluded }) => {
      return ['COUNTRY', 'REGION'].every(part =>
        listed(excluded!, part).every(name => !listed(included!, part).includes(name)),
      )
    },
  ],
  [
    'includes something exactly where it is shipped',
    item =>
      isFilled(item, 'shipToIncludedRegions') === item.deliveryOptions!.includes('SHIP_TO_HOME'),
  ],
  [
    'has parcel and carrier only where it is shipped',
    item =>
      isFilled(item, 'shipToIncludedRegions') ||
      OF_SHIPPING.every(column => !isFilled(item, column)),
  ],
  ['is located in a country', item => COUNTRIES.has(item.itemLocationCountry!)],
  [
    'tells a quantity, or the threshold of 10',
    item => {
      const told = isFilled(item, 'estimatedAvailableQuantity')
      return isSame(
        [item.availabilityThresholdType, item.availabilityThreshold],
        told ? ['', ''] : ['MORE_THAN', '10'],
      )
    },
  ],
  [
    'is available unless its quantity is 0',
    item => {
      return (
        item.availability ===
        (item.estimatedAvailableQuantity === '0' ? 'TEMPORARILY_UNAVAILABLE' : 'AVAILABLE')
      )
    },
  ],
  [
    'has its identifier in its addresses',
    ({ itemId, legacyItemId, itemWebUrl, itemAffiliateWebUrl }) => {
      const isAffiliateRight =
        itemAffiliateWebUrl === '' || itemAffiliateWebUrl!.startsWith(`${itemWebUrl}?`)
      return (
        /^v1\|\d+\|\d+$/.test(itemId!) &&
        itemId!.split('|')[1] === legacyItemId &&
        itemWebUrl!.endsWith(`/itm/${legacyItemId}`) &&
        isAffiliateRight
      )
    },
  ],
  [
    'has trade numbers whose check digit is right',
    ({ gtin, inferredGtin }) =>
      [gtin!, inferredGtin!].every(number => number === '' || isCheckDigitRight(number)),
  ],
  [
    'is inferred to be only what the seller did not say',
    item => INFERRED.every(([own, inferred]) => !isFilled(item, own) || !isFilled(item, inferred)),
  ],
  [
    'has inferred aspects that the seller did not declare',
    ({ localizedAspects, inferredLocalizedAspects }) => {
      const names = aspectsOf(localizedAspects!).map(([name]) => name)
      return aspectsOf(inferredLocalizedAspects!).every(([name]) => !names.includes(name))
    },
  ],
  [
    'says in its columns what its aspects say',
    ({ localizedAspects, ...item }) => {
      const aspects = new Map(aspectsOf(localizedAspects!))
      const isDepartmentSaid = [item.gender !== '', item.ageGroup !== ''].every(
        said => said === aspects.has('Department'),
      )
      return (
        isDepartmentSaid &&
        REPEATED.every(([column, aspect]) => item[column] === (aspects.get(aspect) ?? ''))
      )
    },
  ],
  [
    'fills together what belongs together',
    item => TOGETHER.every(([one, other]) => isFilled(item, one) === isFilled(item, other)),
  ],
  [
    'has a return period exactly where returns are accepted',
    item => isFilled(item, 'returnPeriodValue') === (item.returnsAccepted === 'true'),
  ],
  [
    'ends after it began',
    ({ itemEndDate, itemCreationDate }) =>
      itemEndDate === '' || Date.parse(itemEndDate!) > Date.parse(itemCreationDate!),
  ],
  [
    'shows its own image first, and once',
    ({ imageUrl, defaultImageUrl, additionalImageUrls }) => {
      return imageUrl === defaultImageUrl && !urls(additionalImageUrls!).includes(imageUrl!)
    },
  ],
]

interface Group {
  readonly record: FileRecord
  readonly members: readonly FileRecord[]
}

/**
 * Beside the aspects that vary, the items of a group may differ in their numbers: price, quantity,
 * trade number, dates.
 */
const SHARED = [
  ...[
    'sellerUsername',
    'categoryId',
    'category',
    'brand',
    'mpn',
    'epid',
    'conditionId',
    'condition',
    'priceCurrency',
    'itemLocationCountry',
  ],
  ...[
    'imageAlteringProhibited',
    'additionalImageUrls',
    'shippingCost',
    'packageWeight',
    'shipToIncludedRegions',
    'shipToExcludedRegions',
  ],
]

/** The aspects of each member: those that vary, or the others. */
function aspectsOfMembers({ record, members }: Group, vary: boolean): string[] {
  const varied = new Set(aspectsOf(record.variesByLocalizedAspects!).map(([name]) => name))
  return members.map(({ localizedAspects }) =>
    JSON.stringify(aspectsOf(localizedAspects!).filter(([name]) => varied.has(name) === vary)),
  )
}

const GROUP_RULES: readonly Rule<Group>[] = [
  ['has items', ({ members }) => members.length > 0],
  [
    'is of one seller, one leaf, one brand, one kind of thing',
    ({ members }) => SHARED.every(column => valuesOf(members, column).size === 1),
  ],
  [
    'has items that share every aspect but those that vary',
    group => new Set(aspectsOfMembers(group, false)).size === 1,
  ],
  [
    'has items that the varying aspects tell apart',
    group => new Set(aspectsOfMembers(group, true)).size === group.members.length,
  ],
  [
    'names every value of the aspects that vary',
    group => {
      const named = aspectsOf(group.record.variesByLocalizedAspects!).map(pair =>
        JSON.stringify(pair),
      )
      return aspectsOfMembers(group, true).every(member =>
        (JSON.parse(member) as unknown[]).every(pair => named.includes(JSON.stringify(pair))),
      )
    },
  ],
  [
    'has the title that its items’ titles begin with',
    ({ record, members }) => members.every(item => item.title!.startsWith(`${record.title} `)),
  ],
  [
    'has items of different titles, or is a listing with one',
    ({ record, members }, { world }) => {
      const isListing = world.options.shape === 'market'
      const listings = new Set(members.map(({ itemId }) => itemId!.split('|')[1]))
      return (
        valuesOf(members, 'title').size === (isListing ? 1 : members.length) &&
        listings.has(record.itemGroupId) === isListing &&
        listings.size === (isListing ? 1 : members.length)
      )
    },
  ],
  [
    'shows the images of its items, each once',
    ({ record, members }) => {
      const all = [record.imageUrl!, ...urls(record.additionalImageUrls!)]
      const own = members.flatMap(item => [item.imageUrl!, ...urls(item.additionalImageUrls!)])
      return new Set(all).size === all.length && own.every(url => all.includes(url))
    },
  ],
  [
    'prohibits altering images as its items do',
    ({ record, members }) =>
      members.every(item => item.imageAlteringProhibited === record.imageAlteringProhibited),
  ],
]

function groupsOf({ items, groups }: Files): Group[] {
  const members = byValue(items, 'primaryItemGroupId')
  return groups.map(record => ({ record, members: members.get(record.itemGroupId!) ?? [] }))
}

const nameOf = ({ world, place }: Files, id: string | undefined) =>
  `${world.options.shape} ${place.marketplaceId} ${place.categoryId} ${id}`

describe('every item', () => {
  test.each(ITEM_RULES)('%s', (_, holds) => {
    expect(
      FILES.flatMap(files =>
        files.items.filter(item => !holds(item, files)).map(item => nameOf(files, item.itemId)),
      ),
    ).toEqual([])
  })
})

describe('every group', () => {
  test.each(GROUP_RULES)('%s', (_, holds) => {
    const broken = (files: Files) => groupsOf(files).filter(group => !holds(group, files))
    expect(
      FILES.flatMap(files => broken(files).map(({ record }) => nameOf(files, record.itemGroupId))),
    ).toEqual([])
  })
})

describe('every file', () => {
  test.each(FILES.map(files => [nameOf(files, ''), files] as const))(
    '%s holds what the rules are about',
    (_, files) => {
      const { items } = files
      const filled = (column: string) => items.filter(item => isFilled(item, column)).length
      expect(items.length).toBeGreaterThan(300)
      expect(valuesOf(items, 'itemId').size).toBe(items.length)
      expect(groupsOf(files).filter(({ members }) => members.length > 1).length).toBeGreaterThan(10)
      for (const column of [
        'originalPriceValue',
        'shipToExcludedRegions',
        'itemEndDate',
        'gtin',
        'inferredBrand',
        'packageLength',
      ]) {
        expect(filled(column)).toBeGreaterThan(0)
        expect(filled(column)).toBeLessThan(items.length)
      }
    },
  )

  test('has several leaves, each with one path and few brands', () => {
    for (const { items } of FILES.filter(({ world }) => world.options.shape === 'plain')) {
      const leaves = byValue(items, 'categoryId')
      expect(leaves.size).toBeGreaterThan(1)
      expect(valuesOf(items, 'category').size).toBe(leaves.size)
      for (const inLeaf of leaves.values()) {
        expect(valuesOf(inLeaf, 'category').size).toBe(1)
        expect(valuesOf(inLeaf, 'brand').size).toBeLessThan(12)
      }
    }
  })

  test('has the same leaves of one top-level category in every world', () => {
    const leaves = (seed: number) =>
      valuesOf(
        bootstrapItems(createWorld({ seed, items: 200 }), {
          marketplaceId: 'MKT_US',
          categoryId: '220',
        }),
        'categoryId',
      )
    expect([...leaves(1)].sort()).toEqual([...leaves(2)].sort())
  })
})

test('a seller has one feedback in all marketplaces, and one policy in each', () => {
  const world = createWorld({
    seed: 5,
    items: 2_500,
    marketplaces: ['MKT_DE', 'MKT_GB'],
    categories: ['220', '11450'],
  })
  const places = world.options.marketplaces.flatMap(marketplaceId => {
    return world.options.categories.map(categoryId => ({ marketplaceId, categoryId }))
  })
  const items = places.map(place => bootstrapItems(world, place))
  const feedback = [
    'sellerFeedbackPercentage',
    'sellerFeedbackScore',
    'sellerTrustLevel',
    'sellerAccountType',
    'sellerUserId',
  ]
  const policy = [
    'returnsAccepted',
    'returnPeriodValue',
    'returnShippingCostPayer',
    'deliveryOptions',
    'shipToIncludedRegions',
  ]
  const oneEach = (records: readonly FileRecord[], columns: readonly string[]) => {
    const several = [...byValue(records, 'sellerUsername').values()].filter(own => own.length > 1)
    expect(several.length).toBeGreaterThan(500)
    for (const column of columns)
      expect([column, several.filter(own => valuesOf(own, column).size > 1)]).toEqual([column, []])
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
    [1, 1, 'plain'],
    [2, 1, 'market'],
    [3, 25, 'plain'],
    [3, 25, 'market'],
    [4, 400, 'plain'],
    [5, 1_000, 'plain'],
    [5, 1_000, 'market'],
  ] as const)(
    'seed %d, churn %d, %s: changeMetadata names exactly the differences between the truths before and after the hour',
    (seed, churn, shape) => {
      const world = createWorld({ seed, shape, items: churn === 1 ? 4_000 : 600, churn })
      const place = { marketplaceId: 'MKT_US', categoryId: '220' }
      const columns = [...new Set(['itemId', ...Object.values(CHANGED).flat()])]
      const truth = (time: number) =>
        new Map(
          Array.from(
            world.truthAt(new Date(time), place, columns),
            ({ itemId, cells }) => [itemId, cells] as const,
          ),
        )
      const wrong: string[] = []
      const seen = new Map<string, number>()
      for (let hour = 0; hour < (churn === 1 ? 8 : 3); hour++) {
        const [from, to] = [+world.start + hour * HOUR_MS, +world.start + (hour + 1) * HOUR_MS]
        const [before, after] = [truth(from), truth(to)]
        for (const { itemId, changeMetadata } of snapshotItems(
          world,
          place,
          new Date(from),
          new Date(to),
        )) {
          const kinds = changeMetadata!.split('|').filter(kind => kind !== '')
          const [old, now] = [before.get(itemId!), after.get(itemId!)]
          if (old === undefined || now === undefined || kinds.includes('NEW')) continue
          for (const [kind, about] of Object.entries(CHANGED)) {
            const differs = about.some(
              column => old[columns.indexOf(column)] !== now[columns.indexOf(column)],
            )
            if (differs !== kinds.includes(kind)) wrong.push(`${itemId} ${kind}`)
            if (differs) seen.set(kind, (seen.get(kind) ?? 0) + 1)
          }
        }
      }
      expect(wrong).toEqual([])
      expect(Math.min(...Object.keys(CHANGED).map(kind => seen.get(kind) ?? 0))).toBeGreaterThan(5)
    },
  )

  test('an unavailable row fills itemId and availability, and nothing else', () => {
    const world = createWorld({ seed: 9, items: 800, churn: 20 })
    const rows = snapshotItems(
      world,
      { marketplaceId: 'MKT_US', categoryId: '220' },
      world.start,
      world.end,
    )
    const ended = rows.filter(row => row.availability === 'UNAVAILABLE')
    expect(ended.length).toBeGreaterThan(50)
    for (const row of ended) {
      expect(
        Object.entries(row).flatMap(([column, cell]) => (cell === '' ? [] : [column])),
      ).toEqual(['itemId', 'availability'])
    }
    expect(
      rows.filter(row => row.availability !== 'UNAVAILABLE' && row.itemSnapshotDate === ''),
    ).toEqual([])
  })
})

describe('every column', () => {
  const world = createWorld({
    seed: 7,
    items: 400,
    marketplaces: ['MKT_US', 'MKT_FR', 'MKT_GB'],
    categories: ['220', '11450', '11700', '131090', '15032'],
  })
  const places = world.options.marketplaces.flatMap(marketplaceId => {
    return world.options.categories.map(categoryId => ({ marketplaceId, categoryId }))
  })
  const items = places.flatMap(place => bootstrapItems(world, place))
  const deprecated = new Set(
    Object.entries(itemSchema.columns).flatMap(([name, column]) =>
      'deprecated' in column ? [name] : [],
    ),
  )

  test('is filled in some rows when it is documented, unless it returns no values', () => {
    const filled = (name: string) =>
      items.filter(item => item[name] !== '' && item[name] !== undefined).length
    const names = Object.keys(itemSchema.columns)
    expect(names.filter(name => !deprecated.has(name) && filled(name) === 0)).toEqual([])
    expect(names.filter(name => deprecated.has(name) && filled(name) > 0)).toEqual([])
    expect(deprecated.size).toBeGreaterThan(3)
  })

  test('of special goods is filled for those goods alone, where the law requires it', () => {
    const where = (column: string) =>
      new Set(items.filter(item => item[column] !== '').map(item => item.category!.split('|')[2]!))
    expect(where('tyreLabelImageUrl')).toEqual(new Set(['Tyres']))
    expect(where('conditionDescriptors')).toEqual(new Set(['Single Cards']))
    expect(where('hazmatSignalWord')).toEqual(new Set(['Cleaning Products', 'Engine Oils']))
    expect(where('unitPrice')).toEqual(new Set(['Coffee', 'Cleaning Products', 'Engine Oils']))
    expect(where('energyEfficiencyClass')).toEqual(
      new Set(['Table Lamps', 'Washing Machines', 'Smartphones']),
    )
    const french = items.filter(
      item => item.repairScore !== '' || item.ecoParticipationFeeValue !== '',
    )
    expect(french.length).toBeGreaterThan(30)
    expect(french.filter(item => !item.itemWebUrl!.includes('.fr/'))).toEqual([])
  })

  test.each([
    ['item', itemSchema],
    ['item_group', itemGroupSchema],
    ['item_snapshot', itemSnapshotSchema],
  ] as const)('of the %s feed decodes by its type, in every cell', async (feed, schema) => {
    const decoded = new Set<string>()
    for (const place of places) {
      const file = {
        feed,
        content: feed === 'item_snapshot' ? 'span' : 'bootstrap',
        ...place,
        from: world.start,
      } as const
      const bytes = tsvBytes(
        world,
        { ...file, to: feed === 'item_snapshot' ? world.end : world.start },
        { tailColumns: true },
      )
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
