// Rows of which five cells are read as text: what most consumers do. The cases that do this differ
// in where the rows come from.

import type { ChosenColumns, ItemColumns, Pipeline, RowBatch } from '../../src/index'
import { type MacroCase, rowsCase } from './macro-case'

export const FIVE_COLUMNS = [
  'itemId',
  'title',
  'priceValue',
  'priceCurrency',
  'itemEndDate',
] as const

type FiveColumns = ChosenColumns<ItemColumns, (typeof FIVE_COLUMNS)[number]>

export interface FiveCells {
  readonly name: string
  readonly contender?: string
  readonly title: string
  /** Opens the source; what has to be closed after the last row is done in `close`. */
  open(source: string): {
    readonly rows: Pipeline<RowBatch<FiveColumns>> | Pipeline<RowBatch<ItemColumns>>
    close?(): Promise<void>
  }
}

export function fiveCellsCase({ name, contender = 'feedmill', title, open }: FiveCells): MacroCase {
  return rowsCase<readonly string[]>({
    name,
    contender,
    title,
    ours: true,
    columns: FIVE_COLUMNS,
    cells: row => row,
    async run(source, use) {
      const { rows, close } = open(source)
      for await (const batch of rows.batches()) {
        for (const row of batch) {
          use([
            row.text('itemId'),
            row.text('title'),
            row.text('priceValue'),
            row.text('priceCurrency'),
            row.text('itemEndDate'),
          ])
        }
      }
      await close?.()
    },
  })
}
