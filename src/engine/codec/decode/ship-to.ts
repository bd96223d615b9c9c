// Computes where an item ships: its included regions minus its excluded ones (item-feeds.md,
// section 2.5).

import { optionInvalid } from '../../options'
import type { Regions, ShipTo } from '../../schema/values'

/** The region that covers every country and every other region. */
const WORLDWIDE = 'WORLDWIDE'
const NONE: Regions = { countries: [], regions: [] }

/**
 * Subtracts the excluded regions from the included ones by name: a name on both lists is dropped,
 * and an item that excludes WORLDWIDE ships nowhere. An excluded name that may cover a part of the
 * rest stays as an exception, so that no information is lost: an excluded country while a region is
 * left, an excluded region while anything is left. Null stands for an empty cell.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { subtractRegions } from 'feedmill'
 *
 * const included = { countries: ['US', 'CA'], regions: [] }
 * const excluded = { countries: ['CA'], regions: [] }
 * console.log(subtractRegions(included, excluded).countries)
 * // => [ 'US' ]
 * ```
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
