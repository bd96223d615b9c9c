// The gzip file to plain objects of strings, every cell of every row: by the stage that makes
// objects, and of rows that could be kept.

import { itemBatches, itemObjects } from './item-batches'
import { rowsCase } from './macro-case'

const EVERY_CELL = {
  ours: true,
  cells: (row: Record<string, string>, columns: readonly string[]) =>
    columns.map(name => row[name]),
}

export const objects = rowsCase<Record<string, string>>({
  name: 'objects',
  contender: 'feedmill',
  title: 'gzip file to plain objects, all cells (TsvObjectParser)',
  ...EVERY_CELL,
  async run(path, use) {
    for await (const batch of itemObjects(path, 'text').batches())
      for (const object of batch) use(object)
  },
})

export const objectsOfRows = rowsCase<Record<string, string>>({
  name: 'objects-of-rows',
  contender: 'feedmill, of rows',
  title: 'gzip file to plain objects, all cells (row.toStrings())',
  ...EVERY_CELL,
  async run(path, use) {
    for await (const batch of itemBatches(path).batches())
      for (const row of batch) use(row.toStrings())
  },
})
