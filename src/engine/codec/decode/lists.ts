// Decodes lists of plain values between separators, such as commas or pipes (item-feeds.md, section
// 2.2), in the order of the cell, and the region columns, which have two lists each.

import { is } from '../../options'
import type { Regions } from '../../schema/values'
import { invalidCell } from './cell-decoder'

/**
 * Decodes values between separators. The decoder drops space around values, and empty values, which
 * no feed sends on purpose.
 * @throws FeedError OPTION_INVALID
 */
export function decodeList(text: string, separator: string): string[] {
  is.filledText('separator', separator)
  const values: string[] = []
  for (const piece of is.anyText('text', text).split(separator)) {
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
  is.anyText('text', text)
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
