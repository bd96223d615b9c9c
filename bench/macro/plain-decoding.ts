// The cells of a row of texts decoded in the straightforward way, for contenders that only split:
// numbers, booleans, dates, lists, aspects, descriptors, both region columns.

import { expectedTypedText } from './typed-cells'

/** What a cell is as text where prices are numbers, which do not keep the zeros at their end. */
export function expectedOfNumbers(column: string, cell: string): string {
  const text = expectedTypedText(column, cell)
  return column === 'priceValue' && text !== '' ? String(Number(text)) : text
}

/** The values replace the texts in the row itself, so that nothing is copied. */
export function decodePlainly(row: Record<string, string>): Record<string, unknown> {
  const typed: Record<string, unknown> = row
  typed.category = list(row.category, '|')
  typed.buyingOptions = list(row.buyingOptions, ',')
  typed.deliveryOptions = list(row.deliveryOptions, ',')
  typed.priceValue = number(row.priceValue)
  typed.itemEndDate = row.itemEndDate ? new Date(row.itemEndDate) : null
  typed.imageAlteringProhibited = boolean(row.imageAlteringProhibited)
  typed.returnsAccepted = boolean(row.returnsAccepted)
  typed.estimatedAvailableQuantity = number(row.estimatedAvailableQuantity)
  typed.availabilityThreshold = number(row.availabilityThreshold)
  typed.returnPeriodValue = number(row.returnPeriodValue)
  typed.localizedAspects = aspects(row.localizedAspects)
  if (row.conditionDescriptors !== undefined)
    typed.conditionDescriptors = descriptors(row.conditionDescriptors)
  typed.shipToIncludedRegions = regions(row.shipToIncludedRegions)
  typed.shipToExcludedRegions = regions(row.shipToExcludedRegions)
  return typed
}

function list(cell: string | undefined, separator: string): string[] {
  return cell ? cell.split(separator) : []
}

function number(cell: string | undefined): number | null {
  return cell ? Number(cell) : null
}

function boolean(cell: string | undefined): boolean | null {
  return cell ? cell.toLowerCase() === 'true' : null
}

function aspects(cell: string | undefined) {
  let label: string | null = null
  return list(cell?.replace(/;$/, ''), ';').map(entry => {
    const bar = entry.indexOf('|')
    if (bar >= 0) label = text(entry.slice(0, bar))
    const [name = '', value = ''] = entry.slice(bar + 1).split(':')
    return { label, name: text(name), value: text(value) }
  })
}

function descriptors(cell: string) {
  return list(cell, ';').map(entry => {
    const [name = '', values] = entry.split(':')
    return { name: text(name), values: list(values, '|').map(text) }
  })
}

function text(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}

function regions(cell: string | undefined) {
  if (!cell) return null
  const found: { countries: string[]; regions: string[] } = { countries: [], regions: [] }
  for (const part of cell.split(';')) {
    if (part.startsWith('COUNTRY:')) found.countries = list(part.slice('COUNTRY:'.length), '|')
    if (part.startsWith('REGION:')) found.regions = list(part.slice('REGION:'.length), '|')
  }
  return found
}
