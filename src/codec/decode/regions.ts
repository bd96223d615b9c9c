// Cells of shipToIncludedRegions and shipToExcludedRegions (item-feeds.md, section 2.5), with the
// cells of one part (service-notes.md, section 6.2).
// What the two columns mean together is ship-to.ts.

import { anyText } from '../../options'
import type { Regions } from '../../schema/values'
import { invalidCell } from './invalid-cell'
import { decodePipeList } from './list'

/**
 * `COUNTRY:<codes>;REGION:<names>;` with pipes inside the lists. Either part may stand alone or be
 * empty, the parts may come in any order, and the last semicolon may be missing. Names are kept as
 * sent, unknown ones too; a repeated part is refused.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeRegions(text: string): Regions {
  anyText('text', text)
  let countries: readonly string[] | undefined
  let regions: readonly string[] | undefined
  const parts = text.endsWith(';') ? text.slice(0, -1) : text
  if (parts === '') return { countries: [], regions: [] }
  for (const part of parts.split(';')) {
    if (part.startsWith('COUNTRY:') && countries === undefined)
      countries = decodePipeList(part.slice('COUNTRY:'.length))
    else if (part.startsWith('REGION:') && regions === undefined)
      regions = decodePipeList(part.slice('REGION:'.length))
    else throw invalidCell('regions', 'expected COUNTRY:…; and REGION:…;, each at most once', text)
  }
  return { countries: countries ?? [], regions: regions ?? [] }
}
