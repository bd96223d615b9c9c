// The gzip file to columns of all cells, typed, in the memory layout of Apache Arrow.

import type { ColumnBatch, ItemColumns } from '../../src/index'
import { itemColumns } from './item-batches'
import { batchesCase } from './macro-case'
import { expectedOfNumbers } from './plain-decoding'
import { typedCellText } from './typed-cells'

export const columns = batchesCase<ColumnBatch<ItemColumns>>({
  name: 'columns',
  contender: 'feedmill',
  title: 'gzip file to typed columns, all cells decoded (TsvColumnParser)',
  ours: true,
  cells: ({ batch, n }, names) =>
    names.map(name => typedCellText(name, batch.column(name as keyof ItemColumns).get(n))),
  // A decimal has no zeros at the end of its fraction.
  expected: expectedOfNumbers,
  async run(path, use) {
    for await (const batch of itemColumns(path).batches()) {
      // The arrays of every column, as a writer takes them.
      for (const column of batch.columns) void column.data
      use(batch)
    }
  },
})
