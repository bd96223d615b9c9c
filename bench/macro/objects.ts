// The gzip file to plain objects of strings, every cell of every row.

import { itemBatches } from './item-batches'
import { rowsCase } from './macro-case'

export const objects = rowsCase<Record<string, string>>({
  name: 'objects',
  contender: 'feedmill',
  title: 'gzip file to plain objects, all cells (row.toStrings())',
  ours: true,
  cells: (row, columns) => columns.map(name => row[name]),
  async run(path, use) {
    for await (const batch of itemBatches(path).batches()) for (const row of batch) use(row.toStrings())
  },
})
