// DuckDB decodes every cell inside the engine: numbers, booleans and dates by its reader, lists,
// regions and aspects by list functions. A total over each column takes the place of handing rows
// over. In its favour, a label is decoded where it stands, not carried on to the pairs after it.

import { duckdbTotals, headerColumns } from './duckdb-file'
import { totalsCase } from './macro-case'
import { plainAspects, plainRegions } from './typed-cells'

const TYPES: Readonly<Record<string, string>> = {
  priceValue: 'DECIMAL(18, 2)',
  itemEndDate: 'TIMESTAMP',
  imageAlteringProhibited: 'BOOLEAN',
  returnsAccepted: 'BOOLEAN',
  estimatedAvailableQuantity: 'INTEGER',
  availabilityThreshold: 'INTEGER',
  returnPeriodValue: 'INTEGER',
}

interface Total {
  readonly sql: string
  addend(cell: string): number
}

const integers = (column: string): Total => ({ sql: `sum(${column})`, addend: Number })
const flags = (column: string): Total => ({
  sql: `count_if(${column})`,
  addend: cell => Number(cell.toLowerCase() === 'true'),
})
const listed = (column: string, separator: string): Total => ({
  sql: `sum(len(string_split(${column}, '${separator}')))`,
  addend: cell => (cell === '' ? 0 : cell.split(separator).length),
})
const shipTo = (column: string): Total => ({
  sql: `sum(len(${regionList(column, 'COUNTRY')})) + 1000 * sum(len(${regionList(column, 'REGION')}))`,
  addend(cell) {
    const regions = plainRegions(cell)
    return (regions?.countries.length ?? 0) + 1000 * (regions?.regions.length ?? 0)
  },
})
const text = (column: string): Total => ({
  sql: `sum(strlen(${column}))`,
  addend: cell => Buffer.byteLength(cell),
})

/** Each column's total: of what it is decoded to, else of the text's bytes. */
const TOTALS: Readonly<Record<string, Total>> = {
  // Cents, and milliseconds since 1970, are whole numbers, so the sums are exact.
  priceValue: { sql: 'sum(priceValue) * 100', addend: cell => Math.round(Number(cell) * 100) },
  itemEndDate: {
    sql: 'sum(epoch_ms(itemEndDate) // 1000)',
    addend: cell => (cell === '' ? 0 : Math.floor(Date.parse(cell) / 1000)),
  },
  imageAlteringProhibited: flags('imageAlteringProhibited'),
  returnsAccepted: flags('returnsAccepted'),
  estimatedAvailableQuantity: integers('estimatedAvailableQuantity'),
  availabilityThreshold: integers('availabilityThreshold'),
  returnPeriodValue: integers('returnPeriodValue'),
  category: listed('category', '|'),
  buyingOptions: listed('buyingOptions', ','),
  deliveryOptions: listed('deliveryOptions', ','),
  shipToIncludedRegions: shipTo('shipToIncludedRegions'),
  shipToExcludedRegions: shipTo('shipToExcludedRegions'),
  localizedAspects: {
    sql: `sum(list_sum(list_transform(${aspectList()}, lambda aspect: ${aspectBytes()})))`,
    addend: decodedAspectBytes,
  },
}

export const duckdbTyped = totalsCase({
  name: 'duckdb-typed',
  contender: 'DuckDB',
  title: 'every cell decoded by SQL inside the engine, a total of each column, 2 threads',
  ours: false,
  addends: cells => [1, ...cells.map(([column, cell]) => totalOf(column).addend(cell))],
  async run(path) {
    const columns = await headerColumns(path)
    return duckdbTotals(path, columns, TYPES, [
      'count(*)',
      ...columns.map(column => totalOf(column).sql),
    ])
  },
})

function totalOf(column: string): Total {
  return TOTALS[column] ?? text(column)
}

/** `COUNTRY:a|b;REGION:c|d;`, either part alone or both in this order. */
function regionList(column: string, part: 'COUNTRY' | 'REGION'): string {
  const from = (position: number) =>
    `string_split(substr(split_part(${column}, ';', ${position}), ${part.length + 2}), '|')`
  const first = `WHEN starts_with(${column}, '${part}:') THEN ${from(1)}`
  const second = `WHEN contains(${column}, ';${part}:') THEN ${from(2)}`
  return `CASE ${first} ${part === 'REGION' ? second : ''} ELSE [] END`
}

/** `label|name:value;name:value;…`, each piece in Base64. */
function aspectList(): string {
  const decoded = (piece: string) => `decode(from_base64(${piece}))`
  const label = `label := CASE WHEN contains(pair, '|') THEN ${decoded(`split_part(pair, '|', 1)`)} END`
  const name = `name := ${decoded(`split_part(split_part(pair, '|', -1), ':', 1)`)}`
  const value = `value := ${decoded(`split_part(pair, ':', 2)`)}`
  return `list_transform(string_split(localizedAspects, ';'), lambda pair: struct_pack(${label}, ${name}, ${value}))`
}

function aspectBytes(): string {
  return `coalesce(strlen(aspect.label), 0) + strlen(aspect.name) + strlen(aspect.value)`
}

function decodedAspectBytes(cell: string): number {
  let label: string | null = null
  let bytes = 0
  for (const aspect of plainAspects(cell)) {
    if (aspect.label !== label) bytes += Buffer.byteLength(aspect.label ?? '')
    label = aspect.label
    bytes += Buffer.byteLength(aspect.name) + Buffer.byteLength(aspect.value ?? '')
  }
  return bytes
}
