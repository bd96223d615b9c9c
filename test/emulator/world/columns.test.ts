import { describe, expect, test } from 'vitest'
import { ITEM_COLUMNS, ITEM_TAIL_COLUMNS } from '../../../src/emulator/world/columns'
import { createWorld } from '../../../src/emulator/world/world'

const world = createWorld({ seed: 21, items: 3_000 })
const items = [...world.itemsAt(world.start)]
const values = (name: string) => items.map(item => world.itemCells(item, [name])[0]!)

describe('item columns', () => {
  test('39 are documented, and no name comes twice', () => {
    const names = [...ITEM_COLUMNS, ...ITEM_TAIL_COLUMNS].map(column => column.name)
    expect(ITEM_COLUMNS).toHaveLength(39)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each([
    'buyingOptions',
    'primaryItemGroupType',
    'refundMethod',
    'returnMethod',
    'acceptedPaymentMethods',
  ])('%s has no values any more', name => {
    expect(new Set(values(name))).toEqual(new Set(['']))
  })

  test.each([
    ['itemId', /^v1\|\d{12}\|0$/],
    ['priceValue', /^\d+\.\d\d$/],
    ['gtin', /^(\d{13})?$/],
    ['itemEndDate', /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?$/],
    ['availability', /^(AVAILABLE|TEMPORARILY_UNAVAILABLE)$/],
    ['imageAlteringProhibited', /^(true|false)$/],
    ['shipToIncludedRegions', /^(COUNTRY:[A-Z]{2}(\|[A-Z]{2})*;)?(REGION:[A-Z_]+(\|[A-Z_]+)*;)?$/],
    ['shipToExcludedRegions', /^(COUNTRY:[A-Z]{2}(\|[A-Z]{2})*;)?(REGION:[A-Z_]+(\|[A-Z_]+)*;)?$/],
    ['localizedAspects', /^([\w+/=]+\|)?[\w+/=]+:[\w+/=]+(;([\w+/=]+\|)?[\w+/=]+:[\w+/=]+)*;?$/],
  ])('%s has its documented form, and takes more than one value', (name, form) => {
    for (const value of values(name)) expect(value).toMatch(form)
    expect(new Set(values(name)).size).toBeGreaterThan(1)
  })

  test('a quantity is a number or the text “more than the threshold”, never both', () => {
    const seen = new Set<string>()
    for (const item of items) {
      const [quantity, type, threshold] = world.itemCells(item, [
        'estimatedAvailableQuantity',
        'availabilityThresholdType',
        'availabilityThreshold',
      ])
      expect([type, threshold]).toEqual(quantity === '' ? ['MORE_THAN', '10'] : ['', ''])
      seen.add(quantity === '' ? 'hidden' : quantity === '0' ? 'none' : 'shown')
    }
    expect(seen.size).toBe(3)
  })

  test('titles hold characters that need quotes and text outside ASCII', () => {
    const titles = values('title')
    for (const piece of ['"', '\\', '\t'])
      expect(titles.some(title => title.includes(piece))).toBe(true)
    expect(
      titles.some(title => /[\u0080-\u07ff]/.test(title)) &&
        titles.some(title => /[\u{10000}-\u{10ffff}]/u.test(title)),
    ).toBe(true)
  })

  test('each part of an aspects cell is Base64 of its own', () => {
    for (const cell of values('localizedAspects').slice(0, 300)) {
      for (const piece of cell.split(/[|;:]/).filter(text => text !== ''))
        expect(Buffer.from(piece, 'base64').toString('base64')).toBe(piece)
    }
  })

  test('columns after the documented ones agree with them', () => {
    for (const item of items) {
      const [price, original, discount] = world.itemCells(item, [
        'priceValue',
        'originalPriceValue',
        'discountAmount',
      ])
      if (original !== '')
        expect(Math.round(100 * Number(original)) - Math.round(100 * Number(discount))).toBe(
          Math.round(100 * Number(price)),
        )
    }
  })
})
