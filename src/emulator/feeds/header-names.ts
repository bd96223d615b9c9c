// How the header line spells a column. The columns are known by their camelCase names everywhere
// else.

/**
 * `camelCase` with the trade item number as `gtin`. `documented` is the same with that column as
 * item-feeds.md, section 2.2 prints it, `the service`. `PascalCase` is what older files have,
 * acronyms in capitals.
 */
export type HeaderSpelling = (typeof HEADER_SPELLINGS)[number]

export const HEADER_SPELLINGS = ['camelCase', 'documented', 'PascalCase'] as const

const ACRONYMS: ReadonlyMap<string, string> = new Map([
  ['gtin', 'GTIN'],
  ['epid', 'EPID'],
  ['mpn', 'MPN'],
  ['inferredGtin', 'InferredGTIN'],
  ['inferredEpid', 'InferredEPID'],
  ['inferredMpn', 'InferredMPN'],
])

export function headerName(column: string, spelling: HeaderSpelling): string {
  if (spelling === 'PascalCase')
    return ACRONYMS.get(column) ?? column.charAt(0).toUpperCase() + column.slice(1)
  return spelling === 'documented' && column === 'gtin' ? 'the service' : column
}
