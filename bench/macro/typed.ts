// The gzip file to fully typed rows: numbers, booleans, dates, lists, aspects, both region columns.
// One case takes the stage that makes objects, and the other rows that could be kept.

import type { ItemColumns, RowObject } from '../../src/index'
import { itemBatches, itemObjects } from './item-batches'
import { rowsCase } from './macro-case'
import { expectedTypedText, typedCellText } from './typed-cells'

const EVERY_CELL = {
  ours: true,
  cells: (row: Readonly<Record<string, unknown>>, columns: readonly string[]) =>
    columns.map(name => typedCellText(name, row[name])),
  expected: expectedTypedText,
}

export const typed = rowsCase<RowObject<ItemColumns>>({
  name: 'typed',
  contender: 'feedmill',
  title: 'gzip file to typed objects, all cells decoded (TsvObjectParser)',
  ...EVERY_CELL,
  async run(path, use) {
    for await (const batch of itemObjects(path, 'typed').batches())
      for (const object of batch) use(object)
  },
})

export const typedOfRows = rowsCase<RowObject<ItemColumns>>({
  name: 'typed-of-rows',
  contender: 'feedmill, of rows',
  title: 'gzip file to typed objects, all cells decoded (row.toObject())',
  ...EVERY_CELL,
  async run(path, use) {
    for await (const batch of itemBatches(path).batches())
      for (const row of batch) use(row.toObject())
  },
})
