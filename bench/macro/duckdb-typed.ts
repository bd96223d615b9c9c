// DuckDB decodes every cell inside the engine. A total over each column takes the place of handing
// rows over. One case has the two threads of a machine with two cores, and one has a single thread.

import { aspectList, descriptorList, regionList } from './duckdb-cells'
import { duckdbTotals } from './duckdb-file'
import { headerColumns, type MacroCase, totalsCase } from './macro-case'
import { plainAspects, plainDescriptors, plainRegions } from './typed-cells'

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
  conditionDescriptors: {
    sql: `sum(list_sum(list_transform(${descriptorList()}, lambda entry: ${descriptorBytes()})))`,
    addend: decodedDescriptorBytes,
  },
}

export const duckdbTyped = typedTotals('duckdb-typed', 2)
export const duckdbTypedOneThread = typedTotals('duckdb-typed-1', 1)

function typedTotals(name: string, threads: number): MacroCase {
  const threadsText = threads === 1 ? 'one thread' : `${threads} threads`
  return totalsCase({
    name,
    contender: `DuckDB${threads === 1 ? ', one thread' : ''}`,
    title: `every cell decoded by SQL inside the engine, a total of each column, ${threadsText}`,
    ours: false,
    addends: cells => [1, ...cells.map(([column, cell]) => totalOf(column).addend(cell))],
    async run(path) {
      const columns = await headerColumns(path)
      const totals = ['count(*)', ...columns.map(column => totalOf(column).sql)]
      return duckdbTotals(path, columns, totals, threads)
    },
  })
}

function totalOf(column: string): Total {
  return TOTALS[column] ?? text(column)
}

function aspectBytes(): string {
  return `coalesce(strlen(aspect.label), 0) + strlen(aspect.name) + strlen(aspect.value)`
}

function decodedAspectBytes(cell: string): number {
  return plainAspects(cell, false)
    .flatMap(({ label, name, value }) => [label ?? '', name, value ?? ''])
    .reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
}

function descriptorBytes(): string {
  return 'strlen(entry.name) + list_sum(list_transform(entry."values", lambda piece: strlen(piece)))'
}

function decodedDescriptorBytes(cell: string): number {
  return plainDescriptors(cell)
    .flatMap(({ name, values }) => [name, ...values])
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
