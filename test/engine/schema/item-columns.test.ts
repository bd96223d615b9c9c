import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ColumnSpec } from '../../../src/engine/schema/column-spec'
import type { Columns } from '../../../src/engine/schema/feed-schema'
import { documentedItemColumns, itemColumns } from '../../../src/engine/schema/item-columns'

const columns: Columns = itemColumns

function table(name: string): string[][] {
  const text = readFileSync(new URL(`../../../fixtures/documents/${name}`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map(line => line.split('\t'))
}

const documented = table('item-columns.tsv')
const noted = table('item-columns-of-the-notes.tsv').flat()

/** The name of a documented column here: one of them is printed as the service's own name. */
const nameOf = (printed: string) => (printed === 'the service' ? 'gtin' : printed)

test('every column of item-feeds.md, section 2.2, in its order, and nothing else counts as documented', () => {
  expect(documented).toHaveLength(39)
  expect(Object.keys(documentedItemColumns)).toEqual(documented.map(([column]) => nameOf(column!)))
})

test('then every column of service-notes.md, section 6.3, in its order', () => {
  expect(noted).toHaveLength(51)
  expect(Object.keys(itemColumns)).toEqual([...Object.keys(documentedItemColumns), ...noted])
})

describe('types', () => {
  test.each(documented)('%s, which is documented as %s', (column, type) => {
    const allowed: Record<string, string[]> = {
      boolean: ['boolean'],
      'integer (int32)': ['int32'],
      string: ['text', 'decimal', 'timestamp', 'list', 'aspects', 'regions'],
    }
    expect(allowed[type!]).toContain(columns[nameOf(column!)]?.type)
  })

  test('a documented string is text, unless its section describes its form', () => {
    const formed = Object.entries<ColumnSpec>(documentedItemColumns).filter(
      ([, { type }]) => !['text', 'boolean', 'int32'].includes(type),
    )
    expect(
      Object.fromEntries(formed.map(([name, { type, separator }]) => [name, separator ?? type])),
    ).toEqual({
      category: '|',
      buyingOptions: ',',
      priceValue: 'decimal',
      itemEndDate: 'timestamp',
      localizedAspects: 'aspects',
      deliveryOptions: ',',
      shipToIncludedRegions: 'regions',
      shipToExcludedRegions: 'regions',
    })
  })
})

test('the columns that item-feeds.md, section 2.2 marks as ending, and no other', () => {
  const deprecated = Object.keys(columns).filter(name => columns[name]?.deprecated)
  expect(deprecated).toEqual([
    'buyingOptions',
    'primaryItemGroupType',
    'refundMethod',
    'returnMethod',
    'acceptedPaymentMethods',
  ])
})

test('gtin is also spelled as item-feeds.md, section 2.2 prints it', () => {
  expect(columns.gtin?.aliases).toEqual(['the service'])
})
