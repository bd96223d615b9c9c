import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeList,
  decodeRegions,
  subtractRegions,
} from '../../../../src/engine/codec/decode/lists'
import type { Regions } from '../../../../src/engine/schema/values'

test('values keep their order, space around them goes, empty ones go', () => {
  expect(decodeList('SHIP_TO_HOME, IN_STORE_PICKUP,,\tA|B ,', ',')).toEqual([
    'SHIP_TO_HOME',
    'IN_STORE_PICKUP',
    'A|B',
  ])
  expect(decodeList('NEW|  |PRICE CHANGE|a,b|', '|')).toEqual(['NEW', 'PRICE CHANGE', 'a,b'])
  expect(decodeList('', ',')).toEqual([])
  expect(decodeList(' | ', '|')).toEqual([])
})

test('fault 73: unknown enumeration values are kept', () => {
  expect(decodeList('SHIP_TO_HOME,BY_DRONE', ',')).toEqual(['SHIP_TO_HOME', 'BY_DRONE'])
  const values = fc.array(fc.stringMatching(/^[^\s|]+$/))
  fc.assert(
    fc.property(values, list => {
      expect(decodeList(list.join('|'), '|')).toEqual(list)
    }),
  )
})

test.each([
  ['COUNTRY:AT|DE;REGION:EUROPE|ASIA;', ['AT', 'DE'], ['EUROPE', 'ASIA']],
  ['COUNTRY:AT|DE;REGION:EUROPE', ['AT', 'DE'], ['EUROPE']],
  ['REGION:EUROPE;COUNTRY:DE', ['DE'], ['EUROPE']],
  ['COUNTRY:DE;', ['DE'], []],
  ['COUNTRY:DE', ['DE'], []],
  ['REGION:WORLDWIDE;', [], ['WORLDWIDE']],
  ['COUNTRY:;REGION:;', [], []],
  ['COUNTRY: AT | DE ;', ['AT', 'DE'], []],
  ['', [], []],
  [';', [], []],
])('reads %j', (cell, countries, regions) => {
  expect(decodeRegions(cell)).toEqual({ countries, regions })
})

test.each([
  'DE',
  'STATE:BY;',
  'COUNTRY:DE;;',
  'COUNTRY:DE;COUNTRY:AT;',
  'country:DE',
  ';COUNTRY:DE',
  'COUNTRY:DE;REGION',
])('refuses %s', cell => {
  expect(() => decodeRegions(cell)).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ type: 'regions', excerpt: cell }),
    }),
  )
})

test('fault 73: unknown region and country names are kept as sent', () => {
  expect(decodeRegions('COUNTRY:XX|Kosovo;REGION:MIDDLE_EARTH|EUROPE;')).toEqual({
    countries: ['XX', 'Kosovo'],
    regions: ['MIDDLE_EARTH', 'EUROPE'],
  })
  const names = fc.array(fc.stringMatching(/^[^\s:;|]+$/))
  fc.assert(
    fc.property(names, names, (countries, regions) => {
      expect(decodeRegions(`COUNTRY:${countries.join('|')};REGION:${regions.join('|')};`)).toEqual({
        countries,
        regions,
      })
    }),
  )
})

const COUNTRIES = ['AT', 'DE', 'GB', 'JP', 'US']
const REGIONS = ['ASIA', 'EUROPE', 'EURO_UNION', 'AMERICAS']

const lists = fc.record({
  countries: fc.subarray(COUNTRIES),
  regions: fc.subarray([...REGIONS, 'WORLDWIDE']),
})
/**
 * Which countries each region covers: nothing documents it, so the answer has to be right for every
 * such map.
 */
const maps = fc.record(Object.fromEntries(REGIONS.map(region => [region, fc.subarray(COUNTRIES)])))

type RegionMap = Record<string, string[]>

function covers({ countries, regions }: Regions, country: string, map: RegionMap): boolean {
  return (
    countries.includes(country) ||
    regions.some(region => region === 'WORLDWIDE' || map[region]?.includes(country))
  )
}

describe('for every map of countries to regions', () => {
  test('the answer covers exactly what included minus excluded covers', () => {
    fc.assert(
      fc.property(lists, lists, maps, (included, excluded, map) => {
        const to = subtractRegions(included, excluded)
        const except = { countries: to.exceptCountries, regions: to.exceptRegions }
        for (const country of COUNTRIES) {
          const ships = covers(included, country, map) && !covers(excluded, country, map)
          expect(covers(to, country, map) && !covers(except, country, map)).toBe(ships)
        }
      }),
      { numRuns: 250 },
    )
  })

  test('without exceptions the two lists alone are the answer', () => {
    fc.assert(
      fc.property(lists, lists, maps, (included, excluded, map) => {
        const to = subtractRegions(included, excluded)
        fc.pre(to.exceptCountries.length + to.exceptRegions.length === 0)
        for (const country of COUNTRIES) {
          expect(covers(to, country, map)).toBe(
            covers(included, country, map) && !covers(excluded, country, map),
          )
        }
      }),
    )
  })
})

test('subtracting nothing changes nothing; subtracting twice is subtracting once', () => {
  fc.assert(
    fc.property(lists, lists, (included, excluded) => {
      expect(subtractRegions(included, null)).toEqual({
        ...included,
        exceptCountries: [],
        exceptRegions: [],
      })
      const once = subtractRegions(included, excluded)
      expect(subtractRegions(once, excluded)).toEqual(once)
      expect(subtractRegions(null, excluded)).toEqual({
        countries: [],
        regions: [],
        exceptCountries: [],
        exceptRegions: [],
      })
    }),
  )
})

test('countries alone are exact', () => {
  expect(
    subtractRegions({ countries: ['AT', 'DE'], regions: [] }, { countries: ['DE'], regions: [] }),
  ).toEqual({
    countries: ['AT'],
    regions: [],
    exceptCountries: [],
    exceptRegions: [],
  })
})

test('an excluded country stays as an exception while a region is left', () => {
  expect(
    subtractRegions(
      { countries: ['US'], regions: ['EUROPE'] },
      { countries: ['GB', 'US'], regions: [] },
    ),
  ).toEqual({
    countries: [],
    regions: ['EUROPE'],
    exceptCountries: ['GB', 'US'],
    exceptRegions: [],
  })
})

test('an excluded region is gone from the list, and stays an exception to what it may overlap', () => {
  expect(
    subtractRegions(
      { countries: ['DE'], regions: ['EUROPE', 'WORLDWIDE'] },
      { countries: [], regions: ['EUROPE'] },
    ),
  ).toEqual({
    countries: ['DE'],
    regions: ['WORLDWIDE'],
    exceptCountries: [],
    exceptRegions: ['EUROPE'],
  })
})

test('what excludes WORLDWIDE ships nowhere', () => {
  expect(
    subtractRegions(
      { countries: ['DE'], regions: ['EUROPE'] },
      { countries: [], regions: ['WORLDWIDE'] },
    ),
  ).toEqual({
    countries: [],
    regions: [],
    exceptCountries: [],
    exceptRegions: [],
  })
})

test('fault 73: unknown regions are subtracted like known ones', () => {
  const to = subtractRegions(
    { countries: [], regions: ['MIDDLE_EARTH', 'MORDOR'] },
    { countries: [], regions: ['MORDOR'] },
  )
  expect(to).toEqual({
    countries: [],
    regions: ['MIDDLE_EARTH'],
    exceptCountries: [],
    exceptRegions: ['MORDOR'],
  })
})
