import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { subtractRegions } from '../../../../src/engine/codec/decode/ship-to'
import type { Regions } from '../../../../src/engine/schema/values'

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
