import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRegions, regionReader } from '../../../../src/engine/codec/kinds/regions'
import { RowCells } from '../../../../src/engine/codec/row-cells'
import { noNames } from '../../../tsv-text'

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

// Regions that are read from bytes, against the decoder of their text.

const read = regionReader()

function readCell(cell: string, before = '', behind = '\t') {
  const block = Buffer.from(before + cell + behind)
  const index = {
    columns: 1,
    rowStarts: Uint32Array.of(0),
    cellEnds: Int32Array.of(block.length),
    rowFlags: Uint8Array.of(1),
  }
  const start = Buffer.byteLength(before)
  return read(new RowCells(block, index, 1, noNames), start, start + Buffer.byteLength(cell))
}

const part = fc
  .tuple(
    fc.constantFrom('COUNTRY:', 'REGION:', 'COUNTRY', 'region:', ''),
    fc.array(fc.constantFrom('US', 'GB', '', ' DE', 'A B', 'é', 'A_LONG_NAME'.repeat(4), '\u00a0')),
  )
  .map(([label, names]) => label + names.join('|'))
const cell = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom('', ';', ';;'))
  .map(([parts, end]) => parts.join(';') + end)
  .filter(text => text !== '')

test('a cell is read as it is decoded, or not at all, and its lists are frozen', () => {
  fc.assert(
    fc.property(cell, fc.string({ maxLength: 3 }), (text, before) => {
      const got = readCell(text, before)
      if (got === undefined) return
      expect(got).toEqual(decodeRegions(text))
      expect([got, got.countries, got.regions].every(Object.isFrozen)).toBe(true)
    }),
    { numRuns: 1500 },
  )
})

test('good cells need no decoder, whether their names are known or not', () => {
  const name = fc.oneof(
    fc.constantFrom('AA', 'AZ', 'ZA', 'ZZ', 'az', '@A', 'A@', '[A', 'A[', 'A1', 'Z'),
    fc.string({ unit: fc.constantFrom(...'ABCDEFGH_'), minLength: 1, maxLength: 40 }),
  )
  const names = fc.array(name, { maxLength: 9 })
  fc.assert(
    fc.property(names, names, fc.constantFrom('', ';'), (countries, regions, end) => {
      const cells = [
        `COUNTRY:${countries.join('|')};REGION:${regions.join('|')}${end}`,
        `REGION:${regions.join('|')};COUNTRY:${countries.join('|')}${end}`,
      ]
      for (const text of cells) expect(readCell(text)).toEqual({ countries, regions })
      expect(readCell(`COUNTRY:${countries.join('|')}${end}`)).toEqual({ countries, regions: [] })
    }),
  )
})

test('a name ends with its cell, even where the block ends there', () => {
  for (const name of ['U', 'US', 'USA'])
    for (const behind of ['', '\t', 'S', 'S\t'])
      expect(readCell(`COUNTRY:${name}`, '', behind)).toEqual({ countries: [name], regions: [] })
  expect(readCell('COUNTRY:US|', '', 'US')).toEqual({ countries: ['US'], regions: [] })
})

test('a label does not reach beyond its cell', () => {
  expect(readCell('COUNTRY', '', ':US;')).toBeUndefined()
})
