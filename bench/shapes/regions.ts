// The cells of regions, and the countries and regions of long ones, in the order of their names.

export const COUNTRIES =
  `AD AE AF AG AI AL AM AO AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA
  CD CF CG CH CI CK CL CM CN CO CR CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FM FR GA
  GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IN IQ IS IT JE JM JO
  JP KE KG KH KI KM KN KR KW KY KZ LA LB LC LI LK LR LS LT LU LV MA MC MD ME MG MH MK ML MN MO MQ
  MR MS MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PT PW PY QA RE
  RO RS RU RW SA SB SC SE SG SI SK SL SM SN SO SR SV SZ TD TG TH TJ TM TN TO TR TT TV TW TZ UA UG
  US UY UZ VA VC VE VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/)
export const REGIONS =
  `AFRICA AMERICAS ASIA CENTRAL_AMERICA_AND_CARIBBEAN EUROPE MIDDLE_EAST OCEANIA SOUTHEAST_ASIA
  SOUTH_AMERICA`.split(/\s+/)

export function regionsCell(countries: readonly string[], regions: readonly string[]): string {
  return part('COUNTRY', countries) + part('REGION', regions)
}

function part(name: string, list: readonly string[]): string {
  return list.length > 0 ? `${name}:${list.join('|')};` : ''
}
