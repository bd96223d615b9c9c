// Where sellers ship: pairs of an included and an excluded list (item-feeds.md, section 2.5). An
// excluded list never names an entry of the included list, and a policy without included regions
// excludes nothing. The lists of a home country are made once and shared by its sellers.

import { mix, pick } from './hash'

export interface ShipToPolicy {
  readonly included: string
  readonly excluded: string
}

interface Reach {
  readonly countries: readonly string[]
  readonly regions: readonly string[]
  /** The regions that a policy may exclude. */
  readonly exceptCountries: readonly string[]
  readonly exceptRegions: readonly string[]
}

const split = (codes: string) => codes.split(' ')

const FAR_COUNTRIES = split(
  'AF AG AI AL AO BB BD BI BO BR BY CD CN CU CW DZ EG ET GE GN HT ID IN IQ IR KP LB LY MA MM NG PK RU SD SO SY UA VE YE ZW',
)
const EUROPEAN_COUNTRIES = split('AL BA BY CY GI IS LI MD ME MK MT NO RS RU UA')
const UNION_COUNTRIES = split('BG CY EE GR HR HU LT LV MT RO SI')
const AMERICAN_COUNTRIES = split('BO BR CU GF GT HN HT NI PY SR VE')
const FAR_REGIONS = split(
  'AFRICA ASIA CENTRAL_AMERICA_AND_CARIBBEAN MIDDLE_EAST SOUTHEAST_ASIA SOUTH_AMERICA',
)

const NOTHING: readonly string[] = []

/** `home` in the lists stands for the seller's country. */
const REACHES: readonly Reach[] = [
  {
    countries: NOTHING,
    regions: ['WORLDWIDE'],
    exceptCountries: FAR_COUNTRIES,
    exceptRegions: FAR_REGIONS,
  },
  {
    countries: ['home'],
    regions: ['WORLDWIDE'],
    exceptCountries: FAR_COUNTRIES,
    exceptRegions: FAR_REGIONS,
  },
  { countries: ['home'], regions: NOTHING, exceptCountries: NOTHING, exceptRegions: NOTHING },
  {
    countries: ['CA', 'GB', 'US', 'home'],
    regions: ['EUROPE', 'OCEANIA'],
    exceptCountries: EUROPEAN_COUNTRIES,
    exceptRegions: NOTHING,
  },
  {
    countries: ['AT', 'BE', 'CH', 'DE', 'FR', 'IT', 'NL', 'home'],
    regions: ['EURO_UNION'],
    exceptCountries: UNION_COUNTRIES,
    exceptRegions: NOTHING,
  },
  {
    countries: NOTHING,
    regions: ['AMERICAS', 'EUROPE'],
    exceptCountries: [...EUROPEAN_COUNTRIES, ...AMERICAN_COUNTRIES],
    exceptRegions: ['CENTRAL_AMERICA_AND_CARIBBEAN', 'SOUTH_AMERICA'],
  },
  {
    countries: ['AU', 'JP', 'NZ', 'US', 'home'],
    regions: ['ASIA', 'EUROPE', 'MIDDLE_EAST'],
    exceptCountries: EUROPEAN_COUNTRIES,
    exceptRegions: ['SOUTHEAST_ASIA'],
  },
]

/** The number of different policies of one home country. */
const POLICIES_A_HOME = 140

/** The policy of a seller that does not ship. */
export const NO_SHIPPING: ShipToPolicy = { included: '', excluded: '' }

const made = new Map<string, readonly ShipToPolicy[]>()

/** Returns the policies of the sellers of a country. */
export function shipToPolicies(home: string): readonly ShipToPolicy[] {
  let policies = made.get(home)
  if (policies === undefined)
    made.set(
      home,
      (policies = Array.from({ length: POLICIES_A_HOME }, (_, n) => policy(home, mix(n, 0)))),
    )
  return policies
}

function policy(home: string, hash: number): ShipToPolicy {
  const { countries, regions, exceptCountries, exceptRegions } = pick(REACHES, hash)
  const included = countries.map(country => (country === 'home' ? home : country))
  const drawn = (names: readonly string[], salt: number) =>
    names.filter((_, i) => mix(hash, salt + i) % 3 === 0)
  const isRefined = hash % 10 !== 0
  const excluded = isRefined
    ? drawn(exceptCountries, 1).filter(country => country !== home && !included.includes(country))
    : []
  return {
    included: cell(included, regions),
    excluded: cell(excluded, isRefined && mix(hash, 0) % 3 !== 0 ? drawn(exceptRegions, 100) : []),
  }
}

function cell(countries: readonly string[], regions: readonly string[]): string {
  return list('COUNTRY', countries) + list('REGION', regions)
}

function list(name: string, values: readonly string[]): string {
  return values.length === 0 ? '' : `${name}:${[...new Set(values)].sort().join('|')};`
}
