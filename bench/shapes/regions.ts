// The cells of regions, and the countries and regions of long ones, in the order of their names.

import markets from '../../src/emulator/world/markets.json'

export const COUNTRIES = markets.all.split(' ')
export const REGIONS =
  `AFRICA AMERICAS ASIA CENTRAL_AMERICA_AND_CARIBBEAN EUROPE MIDDLE_EAST OCEANIA SOUTHEAST_ASIA
  SOUTH_AMERICA`.split(/\s+/)

export function regionsCell(countries: readonly string[], regions: readonly string[]): string {
  return part('COUNTRY', countries) + part('REGION', regions)
}

function part(name: string, list: readonly string[]): string {
  return list.length > 0 ? `${name}:${list.join('|')};` : ''
}
