import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeList, decodeRegions } from '../../../../src/engine/codec/decode/lists'

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
