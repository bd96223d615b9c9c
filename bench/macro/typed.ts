// The gzip file to fully typed rows: numbers, booleans, dates, lists, aspects, both region columns.

import type { ItemColumns, RowObject } from '../../src/index'
import { itemBatches } from './item-batches'
import { rowsCase } from './macro-case'
import { expectedTypedText, typedCellText } from './typed-cells'

export const typed = rowsCase<RowObject<ItemColumns>>({
  name: 'typed',
  contender: 'feedmill',
  title: 'gzip file to typed objects, all cells decoded (row.toObject())',
  ours: true,
  cells: (row, columns) => columns.map(name => typedCellText(name, row[name])),
  expected: expectedTypedText,
  async run(path, use) {
    for await (const batch of itemBatches(path).batches()) for (const row of batch) use(row.toObject())
  },
})
