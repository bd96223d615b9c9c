// The gzip file to fully typed rows: numbers, booleans, dates, lists, aspects, both region columns.
// For the check, typed cells go back to text; the nested ones are compared with a decoding that is written here anew, in the plainest way.

import type { Aspect, ItemColumns, Regions, RowObject } from '../../src/index'
import { itemBatches } from './item-batches'
import { rowsCase } from './macro-case'

export const typed = rowsCase<RowObject<ItemColumns>>({
  name: 'typed',
  title: 'feedmill: gzip file to typed objects, all cells decoded (row.toObject())',
  ours: true,
  cells: (row, columns) => columns.map(name => textOf(name, row[name])),
  expected: (column, cell) => EXPECTED[column]?.(cell) ?? cell,
  async run(path, use) {
    for await (const batch of itemBatches(path).batches()) for (const row of batch) use(row.toObject())
  },
})

const SEPARATORS: Readonly<Record<string, string>> = { category: '|', buyingOptions: ',', deliveryOptions: ',' }

function textOf(column: string, value: unknown): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  if (column === 'localizedAspects') return aspectsText(value as readonly Aspect[])
  if (column.startsWith('shipTo')) return regionsText(value as Regions)
  return Array.isArray(value) ? value.join(SEPARATORS[column]) : String(value)
}

const EXPECTED: Readonly<Record<string, (cell: string) => string>> = {
  localizedAspects: cell => aspectsText(plainAspects(cell)),
  shipToIncludedRegions: plainRegionsText,
  shipToExcludedRegions: plainRegionsText,
}

function aspectsText(aspects: readonly Aspect[]): string {
  return JSON.stringify(aspects.map(({ label, name, value }) => [label, name, value]))
}

function plainAspects(cell: string): Aspect[] {
  let label: string | null = null
  return cell
    .split(';')
    .filter(pair => pair !== '')
    .map(pair => {
      const [name, value] = pair.slice(pair.indexOf('|') + 1).split(':')
      if (pair.includes('|')) label = fromBase64(pair.split('|')[0]!)
      return { label, name: fromBase64(name!), value: fromBase64(value!) }
    })
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}

function regionsText({ countries, regions }: Regions): string {
  return JSON.stringify([countries, regions])
}

function plainRegionsText(cell: string): string {
  if (cell === '') return ''
  const list = (name: string) => (new RegExp(`${name}:([^;]*)`).exec(cell)?.[1] ?? '').split('|').filter(entry => entry !== '')
  return regionsText({ countries: list('COUNTRY'), regions: list('REGION') })
}
