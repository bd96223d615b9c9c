// Tests that a market has the shape of real files: who sells what, how often, at what price, and in
// which words.
// Long: it reads files of thousands of rows.

import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../src/emulator/world/item-life'
import { createWorld } from '../../../src/emulator/world/world'
import { aspectsOf, bootstrapItems, type FileRecord } from './world-files'

const MARKETPLACES = ['MKT_US', 'MKT_GB', 'MKT_DE', 'MKT_FR', 'MKT_ES']
const world = createWorld({
  seed: 11,
  shape: 'market',
  items: 6_000,
  marketplaces: MARKETPLACES,
  hours: 240,
})
const FILES = new Map<string, readonly FileRecord[]>(
  MARKETPLACES.map(marketplaceId => [
    marketplaceId,
    bootstrapItems(world, { marketplaceId, categoryId: '220' }),
  ]),
)
const [us, de] = [FILES.get('MKT_US')!, FILES.get('MKT_DE')!]

function rowsOf(rows: readonly FileRecord[], column: string): Map<string, FileRecord[]> {
  const found = new Map<string, FileRecord[]>()
  for (const row of rows) {
    const value = row[column]!
    if (value !== '') found.set(value, [...(found.get(value) ?? []), row])
  }
  return found
}

/** The number of rows of each value, the largest first. */
function frequencies(rows: readonly FileRecord[], column: string): number[] {
  return Array.from(rowsOf(rows, column).values(), found => found.length).sort((a, b) => b - a)
}

const distinct = (rows: readonly FileRecord[], column: string) =>
  new Set(rows.map(row => row[column]!)).size
const aspectNames = (rows: readonly FileRecord[]) =>
  new Set(
    rows.flatMap(({ localizedAspects }) => aspectsOf(localizedAspects!).map(([name]) => name)),
  )

test('the variations of a listing stand together, share it and differ in the third part', () => {
  const listings = new Map<string, FileRecord[]>()
  let last = ''
  for (const row of us) {
    const [, listing, variation] = row.itemId!.split('|') as [string, string, string]
    expect(listing === last || !listings.has(listing)).toBe(true)
    expect([row.primaryItemGroupId, row.legacyItemId]).toEqual([
      variation === '0' ? '' : listing,
      listing,
    ])
    listings.set(listing, [...(listings.get(listing) ?? []), row])
    last = listing
  }
  const groups = [...listings.values()].filter(rows => rows.length > 1)
  expect(groups.length).toBeGreaterThan(150)
  expect(Math.max(...groups.map(rows => rows.length))).toBeGreaterThan(15)
  for (const rows of groups)
    for (const column of ['title', 'itemCreationDate', 'sellerItemRevision', 'itemWebUrl'])
      expect([column, distinct(rows, column)]).toEqual([column, 1])
  expect(groups.some(rows => distinct(rows, 'priceValue') > 1)).toBe(true)
  expect(groups.some(rows => distinct(rows, 'priceValue') === 1)).toBe(true)
  expect(groups.filter(rows => distinct(rows, 'estimatedAvailableQuantity') > 1)).not.toEqual([])
})

test('products have offers of several sellers, in other marketplaces too', () => {
  for (const column of ['gtin', 'epid']) {
    const offered = [...rowsOf(us, column).values()].map(rows => distinct(rows, 'sellerUsername'))
    expect(Math.max(...offered)).toBeGreaterThan(10)
    expect(offered.filter(sellers => sellers > 1).length).toBeGreaterThan(50)
    expect(offered.filter(sellers => sellers === 1).length).toBeGreaterThan(50)
  }
  const there = rowsOf(de, 'gtin')
  const both = [...rowsOf(us, 'gtin')].filter(([number]) => there.has(number))
  expect(both.length).toBeGreaterThan(50)
  for (const [number, rows] of both)
    expect(new Set([...rows, ...there.get(number)!].map(row => row.categoryId)).size).toBe(1)
})

test.each([
  ['sellerUsername', 800, 0.08, 0.3],
  ['brand', 500, 0.12, 0.35],
  ['categoryId', 40, 0.15, 0.4],
])('of %s there are many, and few have much', (column, count, least, most) => {
  const rows = frequencies(us, column)
  const first = rows.slice(0, Math.ceil(rows.length / 100)).reduce((sum, n) => sum + n, 0)
  expect(rows.length).toBeGreaterThan(count)
  expect(first / us.length).toBeGreaterThan(least)
  expect(first / us.length).toBeLessThan(most)
})

test('prices have usual cents, and the dearest are far above the middle', () => {
  const prices = us.map(row => Number(row.priceValue)).sort((a, b) => a - b)
  const at = (share: number) => prices[Math.floor(share * prices.length)]!
  expect(at(0.99)).toBeGreaterThan(5 * at(0.5))
  expect(at(0.5)).toBeGreaterThan(2 * at(0.05))
  const cents = us.map(row => row.priceValue!.slice(-2))
  expect(new Set(cents).size).toBeLessThan(10)
  expect(cents.filter(text => text === '99').length / us.length).toBeGreaterThan(0.2)
})

test('sellers ship to regions of their own', () => {
  expect(distinct(us, 'shipToExcludedRegions')).toBeGreaterThan(500)
  expect(distinct(us, 'shipToIncludedRegions')).toBeGreaterThan(300)
})

describe('texts', () => {
  test.each(MARKETPLACES)('of %s have thousands of words, without a counter', marketplaceId => {
    const rows = FILES.get(marketplaceId)!
    const words = new Set(rows.flatMap(row => row.title!.split(' ')))
    expect(words.size).toBeGreaterThan(2_500)
    expect(rows.filter(row => / v\d+\b/.test(row.title!))).toEqual([])
    expect(aspectNames(rows).size).toBeGreaterThan(35)
  })

  test.each([
    ['MKT_US', 'Color', 'Toys & Hobbies', 'New', / in$/],
    ['MKT_GB', 'Colour', 'Toys & Hobbies', 'New', / cm$/],
    ['MKT_DE', 'Farbe', 'Spielzeug', 'Neu', / cm$/],
    ['MKT_FR', 'Couleur', 'Jouets et jeux', 'Neuf', / cm$/],
    ['MKT_ES', 'Colour', 'Toys & Hobbies', 'New', / cm$/],
  ])('of %s are in its language', (marketplaceId, color, department, condition, length) => {
    const rows = FILES.get(marketplaceId)!
    expect([...aspectNames(rows)]).toContain(color)
    expect(new Set(rows.map(row => row.category!.split('|')[0]))).toEqual(new Set([department]))
    expect(rows.filter(row => row.condition === condition).length).toBeGreaterThan(rows.length / 3)
    const said = new Map(rows.map(row => [row.color, new Map(aspectsOf(row.localizedAspects!))]))
    for (const [value, aspects] of said) expect(aspects.get(color) ?? '').toBe(value)
    const values = rows.flatMap(row => aspectsOf(row.localizedAspects!).map(([, value]) => value))
    expect(values.filter(value => length.test(value)).length).toBeGreaterThan(500)
    expect(values.filter(value => value.includes('undefined'))).toEqual([])
  })
})

test('as many items are listed on each day as on the days before the start', () => {
  for (let day = -5; day < 10; day++) {
    const from = new Date(+world.start + day * DAY_MS)
    const count = [...world.listedWithin(from, new Date(+from + DAY_MS))].length
    expect(count).toBeGreaterThan(30)
    expect(count).toBeLessThan(250)
  }
})
