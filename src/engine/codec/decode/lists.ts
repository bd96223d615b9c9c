// Decodes lists of plain values between separators, such as commas or pipes (item-feeds.md, section
// 2.2), in the order of the cell, and the region columns, which have two lists each.

import { anyText, filledText, optionInvalid } from '../../options'
import type { Regions, ShipTo } from '../../schema/values'
import { invalidCell } from './cell-decoder'

/**
 * Decodes values between separators. The decoder drops space around values, and empty values, which
 * no feed sends on purpose.
 * @throws FeedError OPTION_INVALID
 */
export function decodeList(text: string, separator: string): string[] {
  filledText('separator', separator)
  const values: string[] = []
  for (const piece of anyText('text', text).split(separator)) {
    const value = piece.trim()
    if (value !== '') values.push(value)
  }
  return values
}

// Decodes cells of shipToIncludedRegions and shipToExcludedRegions (item-feeds.md, section 2.5),
// and cells of one part (service-notes.md, section 6.2).

/**
 * Decodes `COUNTRY:<codes>;REGION:<names>;`, with pipes inside the lists. Either part may stand
 * alone or be empty, the parts may come in any order, and the last semicolon may be missing. Names
 * stay as the feed has them, unknown ones too. A repeated part is refused.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeRegions } from 'feedmill'
 *
 * const { countries, regions } = decodeRegions('COUNTRY:US|CA;REGION:EUROPE;')
 * console.log(countries, regions)
 * // => [ 'US', 'CA' ] [ 'EUROPE' ]
 * ```
 */
export function decodeRegions(text: string): Regions {
  anyText('text', text)
  let countries: readonly string[] | undefined
  let regions: readonly string[] | undefined
  const parts = text.endsWith(';') ? text.slice(0, -1) : text
  if (parts === '') return { countries: [], regions: [] }
  for (const part of parts.split(';')) {
    if (part.startsWith('COUNTRY:') && countries === undefined)
      countries = decodeList(part.slice('COUNTRY:'.length), '|')
    else if (part.startsWith('REGION:') && regions === undefined)
      regions = decodeList(part.slice('REGION:'.length), '|')
    else throw invalidCell('regions', 'expected COUNTRY:…; and REGION:…;, each at most once', text)
  }
  return { countries: countries ?? [], regions: regions ?? [] }
}

// Computes where an item ships: its included regions minus its excluded ones (item-feeds.md,
// section 2.5).

/** The region that covers every country and every other region. */
const WORLDWIDE = 'WORLDWIDE'
const NONE: Regions = { countries: [], regions: [] }

/**
 * Subtracts the excluded regions from the included ones by name: a name on both lists is dropped,
 * and an item that excludes WORLDWIDE ships nowhere. An excluded name that may cover a part of the
 * rest stays as an exception, so that no information is lost: an excluded country while a region is
 * left, an excluded region while anything is left. Null stands for an empty cell.
 * @throws FeedError OPTION_INVALID
 */
export function subtractRegions(included: Regions | null, excluded: Regions | null): ShipTo {
  const from = regionsOf('included', included)
  const minus = regionsOf('excluded', excluded)
  const everything = minus.regions.includes(WORLDWIDE)
  const countries = everything ? [] : without(from.countries, minus.countries)
  const regions = everything ? [] : without(from.regions, minus.regions)
  return {
    countries,
    regions,
    exceptCountries: regions.length > 0 ? [...minus.countries] : [],
    exceptRegions: countries.length + regions.length > 0 ? [...minus.regions] : [],
  }
}

function regionsOf(option: string, regions: Regions | null): Regions {
  if (regions === null) return NONE
  if (Array.isArray(regions?.countries) && Array.isArray(regions.regions)) return regions
  throw optionInvalid(option, 'the value of a region cell, or null', regions)
}

function without(names: readonly string[], excluded: readonly string[]): string[] {
  return names.filter(name => !excluded.includes(name))
}
