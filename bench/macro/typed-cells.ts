// The typed cells of a row back as text, for the checks. The nested ones are compared with a
// decoding written here anew, in the plainest way.

import type { Aspect, ConditionDescriptor, Regions } from '../../src/index'
import { BAD_CELLS } from '../shapes/bad-cells'

const SEPARATORS: Readonly<Record<string, string>> = {
  category: '|',
  buyingOptions: ',',
  deliveryOptions: ',',
}

/** Cells that are not as they would be written: nested ones, and those with other spellings. */
const REWRITTEN: Readonly<Record<string, (cell: string) => string>> = {
  localizedAspects: cell => aspectsText(plainAspects(cell)),
  conditionDescriptors: cell => descriptorsText(plainDescriptors(cell)),
  shipToIncludedRegions: cell => regionsText(plainRegions(cell)),
  shipToExcludedRegions: cell => regionsText(plainRegions(cell)),
  itemEndDate: cell => (cell === '' ? '' : new Date(cell).toISOString()),
  imageAlteringProhibited: cell => cell.toLowerCase(),
  estimatedAvailableQuantity: cell => (cell === '' ? '' : String(Number(cell))),
}

/** What a typed cell is as text; for nested cells as JSON. */
export function typedCellText(column: string, value: unknown): string {
  if (column === 'localizedAspects') return aspectsText(value as readonly Aspect[])
  if (column === 'conditionDescriptors')
    return descriptorsText(value as readonly ConditionDescriptor[])
  if (column.startsWith('shipTo')) return regionsText(value as Regions | null)
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.join(SEPARATORS[column]) : String(value)
}

/** What that must be for a cell of the shape. A bad cell is read as an empty one. */
export function expectedTypedText(column: string, cell: string): string {
  const good = cell === BAD_CELLS[column] ? '' : cell
  return REWRITTEN[column]?.(good) ?? good
}

/**
 * A cell of aspects, by the letter of item-feeds.md, section 2.4.
 * @param carriesLabels false for contenders that leave a label with the pair that it stands before
 */
export function plainAspects(cell: string, carriesLabels = true): Aspect[] {
  let label: string | null = null
  return cell
    .split(';')
    .filter(pair => pair !== '')
    .map(pair => {
      const [name, value] = pair.slice(pair.indexOf('|') + 1).split(':')
      if (!carriesLabels) label = null
      if (pair.includes('|')) label = fromBase64(pair.split('|')[0]!)
      return { label, name: fromBase64(name!), value: fromBase64(value!) }
    })
}

/** A cell of descriptors, by service-notes.md, section 6.3. */
export function plainDescriptors(cell: string): ConditionDescriptor[] {
  return cell
    .split(';')
    .filter(entry => entry !== '')
    .map(entry => {
      const [name, values] = entry.split(':')
      return { name: fromBase64(name!), values: values!.split('|').map(fromBase64) }
    })
}

/** A cell of regions, by the letter of item-feeds.md, section 2.5. */
export function plainRegions(cell: string): Regions | null {
  if (cell === '') return null
  const list = (name: string) =>
    (new RegExp(`${name}:([^;]*)`).exec(cell)?.[1] ?? '').split('|').filter(entry => entry !== '')
  return { countries: list('COUNTRY'), regions: list('REGION') }
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}

export function aspectsText(aspects: readonly Aspect[]): string {
  return JSON.stringify(aspects.map(({ label, name, value }) => [label, name, value]))
}

function descriptorsText(descriptors: readonly ConditionDescriptor[]): string {
  return JSON.stringify(descriptors.map(({ name, values }) => [name, values]))
}

function regionsText(regions: Regions | null): string {
  return regions === null ? '' : JSON.stringify([regions.countries, regions.regions])
}
