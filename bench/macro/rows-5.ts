// The gzip file to rows of which five cells are read: what most consumers do.

import { itemBatches } from './item-batches'
import { rowsCase } from './macro-case'

export const rows5 = rowsCase<readonly string[]>({
  name: 'rows-5',
  title: 'feedmill: gzip file to rows, five cells read as text (row.text())',
  ours: true,
  columns: ['itemId', 'title', 'priceValue', 'priceCurrency', 'itemEndDate'],
  cells: row => row,
  async run(path, use) {
    for await (const batch of itemBatches(path).batches()) {
      for (const row of batch) {
        use([row.text('itemId'), row.text('title'), row.text('priceValue'), row.text('priceCurrency'), row.text('itemEndDate')])
      }
    }
  },
})
