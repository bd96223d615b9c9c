// Tests that the served files of a world with default options have the difficult content of real
// feed files.

import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../src/emulator/world/item-life'
import { itemSchema } from '../../src/index'
import { bodyOf, type Client, client } from './emulator-client'

type Record = { readonly [column: string]: string }

let opened: Client
let text: string
let items: Record[]
const snapshots: string[] = []

beforeAll(async () => {
  opened = await client({ world: { seed: 7, items: 3_000 } })
  text = await textOf('/item?feed_scope=ALL_ACTIVE&category_id=220')
  items = records(text)
  const { start } = opened.emulator.world
  for (let hour = 0; hour < 24; hour++) {
    snapshots.push(
      await textOf(
        `/item_snapshot?category_id=220&snapshot_date=${new Date(+start + hour * HOUR_MS).toISOString()}`,
      ),
    )
  }
})

afterAll(() => opened.emulator.close())

async function textOf(path: string): Promise<string> {
  return gunzipSync(await bodyOf(await opened.get(path, { range: 'bytes=0-90000000' }))).toString()
}

/**
 * Reads with an independent parser, and gives columns their documented names for any spelling.
 */
function records(file: string): Record[] {
  const rows = parse(file, { delimiter: '\t', quote: '"', escape: '\\' }) as string[][]
  const names = rows[0]!.map(documentedName)
  return rows.slice(1).map(row => Object.fromEntries(names.map((name, i) => [name, row[i]!])))
}

function documentedName(heading: string): string {
  const known = heading === 'the service' ? 'gtin' : heading
  return (
    Object.keys(itemSchema.columns).find(name => name.toLowerCase() === known.toLowerCase()) ??
    heading
  )
}

describe('in a default world', () => {
  test('titles hold text outside ASCII with two, three and four bytes a character', () => {
    const titles = items.map(item => item.title!).join('\n')
    for (const characters of [/[\u0080-\u07ff]/, /[\u0800-\uffff]/, /[\u{10000}-\u{10ffff}]/u])
      expect(characters.test(titles)).toBe(true)
  })

  test('quoted titles hold tabs, quotes and backslashes, and one ends in a backslash', () => {
    for (const piece of [/\t"[^\n]*\t[^\n]*"\t/, /\\"/, /\\\\/, /\\\\"\t/])
      expect([piece, piece.test(text)]).toEqual([piece, true])
    for (const piece of [/\t/, /"/, /\\/, /\\$/])
      expect(items.some(item => piece.test(item.title!))).toBe(true)
    expect(text.split('\n').some(line => /^[^\t]+\t[^"\t]+\t/.test(line))).toBe(true)
  })

  test('quantities are hidden above the threshold, and shown at or below it', () => {
    const hidden = items.filter(item => item.availabilityThresholdType === 'MORE_THAN')
    expect(hidden.length).toBeGreaterThan(100)
    for (const item of hidden)
      expect([item.availabilityThreshold, item.estimatedAvailableQuantity]).toEqual(['10', ''])
    expect(items.some(item => Number(item.estimatedAvailableQuantity) > 10)).toBe(true)
    expect(
      items.some(
        item =>
          item.estimatedAvailableQuantity !== '' && Number(item.estimatedAvailableQuantity) <= 10,
      ),
    ).toBe(true)
  })

  test.each([
    'gtin',
    'mpn',
    'epid',
    'itemEndDate',
    'primaryItemGroupId',
    'returnPeriodValue',
    'sellerTrustLevel',
    'shipToExcludedRegions',
  ])('%s is null in some rows and not in others', column => {
    const empty = items.filter(item => item[column] === '').length
    expect(empty).toBeGreaterThan(0)
    expect(empty).toBeLessThan(items.length)
  })

  test('deprecated columns exist and have no values', () => {
    const deprecated = Object.entries(itemSchema.columns).flatMap(([name, column]) =>
      'deprecated' in column ? [name] : [],
    )
    expect(deprecated.length).toBeGreaterThan(3)
    for (const name of deprecated)
      expect(new Set(items.map(item => item[name]))).toEqual(new Set(['']))
  })

  test('headers have every known spelling, and some files have an undocumented column', () => {
    const headers = snapshots.map(file => file.slice(0, file.indexOf('\n')).split('\t'))
    expect(headers.some(header => header.includes('gtin'))).toBe(true)
    expect(
      headers.some(header => header.includes('GTIN') && header.includes('ItemSnapshotDate')),
    ).toBe(true)
    expect(headers.some(header => header.includes('the service'))).toBe(true)
    const unknown = headers.filter(header =>
      header.some(name => name === 'RestockingFeePercentage'),
    )
    expect(unknown.length).toBeGreaterThan(0)
    expect(unknown.length).toBeLessThan(headers.length)
    expect(
      new Set(snapshots.flatMap(file => records(file).map(row => row.RestockingFeePercentage))),
    ).toContain('20.0')
  })

  test('hours have new, changed and ended items', () => {
    const kinds = new Set(
      snapshots.flatMap(file =>
        records(file).flatMap(row => (row.changeMetadata ?? '').split('|')),
      ),
    )
    expect([...kinds].sort()).toEqual([
      '',
      'NEW',
      'PRICE_CHANGE',
      'QUANTITY_CHANGE',
      'TITLE_CHANGE',
    ])
    const availabilities = new Set(
      snapshots.flatMap(file => records(file).map(row => row.availability)),
    )
    expect(availabilities).toEqual(new Set(['AVAILABLE', 'TEMPORARILY_UNAVAILABLE', 'UNAVAILABLE']))
  })

  test('aspects have labels or none, and some end with a semicolon', () => {
    const cells = items.map(item => item.localizedAspects!)
    expect(cells.some(cell => !cell.includes('|'))).toBe(true)
    expect(cells.some(cell => cell.split('|').length > 2)).toBe(true)
    expect(cells.some(cell => cell.endsWith(';'))).toBe(true)
  })

  test('regions have countries only, regions only, both or none', () => {
    const shapes = new Set(items.map(item => item.shipToIncludedRegions!.replaceAll(/:[^;]*/g, '')))
    expect(shapes).toEqual(new Set(['COUNTRY;', 'REGION;', 'COUNTRY;REGION;', '']))
  })
})
