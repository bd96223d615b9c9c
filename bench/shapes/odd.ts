// The rows of `varied` with cells that are good and unlike the others: `odd` has such a cell in one
// row of some hundred, `odd-bad` also has cells that the schema refuses, and in `all-odd` every row
// has three.

import { BAD_CELLS } from './bad-cells'
import { Draws } from './draws'
import { regionsCell } from './regions'
import { rowsShape } from './rows-shape'
import type { Shape } from './shape'
import { varied } from './varied'
import { base64, WORDS } from './words'

/** Rows from one to the next. */
const ODD_ROWS = 370
const BAD_ROWS = 1000

type OddCell = readonly [column: string, make: (draws: Draws, usual: string) => string]

const category = (draws: Draws, last: string) => `${draws.of(WORDS)}|${draws.of(WORDS)}|${last}`
const hugePrice = (draws: Draws) => `${draws.between(100, 999)}000000.00`
const region = () => regionsCell(['DE', 'FR'], ['ASIA', 'ÉUROPE'])

const ODD_CELLS: readonly OddCell[] = [
  ['category', draws => category(draws, 'Café')],
  ['category', draws => category(draws, 'Éclair')],
  ['category', draws => category(draws, 'Pipes of 12" and more')],
  ['condition', () => 'As "new"'],
  ['priceValue', hugePrice],
  ['priceValue', (_, usual) => `${usual}0000000000`],
  ['itemEndDate', () => '2026-03-05T10:00:00Z'],
  ['itemEndDate', () => '1969-12-31T23:59:59.999Z'],
  [
    'localizedAspects',
    (_, usual) => `${base64('label'.repeat(1000))}|${pair('Size', '12')};${usual}`,
  ],
  ['imageAlteringProhibited', () => 'True'],
  ['estimatedAvailableQuantity', (_, usual) => usual.padStart(20, '0')],
  ['returnPeriodValue', (_, usual) => `-${usual}`],
  ['conditionDescriptors', () => pair('Größe', 'große')],
  ['shipToIncludedRegions', region],
]

const ALL_ODD: readonly OddCell[] = [
  ['category', draws => category(draws, 'Café')],
  ['priceValue', hugePrice],
  ['shipToIncludedRegions', region],
]

export const odd = oddShape(700, (draws, row) =>
  row % ODD_ROWS === 0 ? [draws.of(ODD_CELLS)] : [],
)

export const oddBad = oddShape(700, (draws, row) => {
  const cells = row % ODD_ROWS === 0 ? [draws.of(ODD_CELLS)] : []
  return row % BAD_ROWS === 1 ? [...cells, badCell(draws)] : cells
})

export const allOdd = oddShape(670, () => ALL_ODD)

/** @param cellsOf the cells of a row, numbered from 1, that are not those of `varied` */
function oddShape(
  bytesPerRow: number,
  cellsOf: (draws: Draws, row: number) => readonly OddCell[],
): Shape {
  return rowsShape({
    bytesPerRow,
    columns: varied.columns,
    quoted: ['title'],
    *rows(seed, count) {
      const draws = new Draws(seed)
      let row = 0
      for (const cells of varied.rows(seed, count)) {
        const changed = [...cells]
        for (const [column, make] of cellsOf(draws, ++row)) {
          const at = varied.columns.indexOf(column)
          changed[at] = make(draws, cells[at]!)
        }
        yield changed
      }
    },
  })
}

function badCell(draws: Draws): OddCell {
  const [column, cell] = draws.of(Object.entries(BAD_CELLS))
  return [column, () => cell]
}

function pair(name: string, value: string): string {
  return `${base64(name)}:${base64(value)}`
}
