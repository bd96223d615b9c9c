// Reads five cells of every row of the gzip file: once with these columns alone, as the README shows
// it for readers of few columns, and once with all columns.

import { FIVE_COLUMNS, fiveCellsCase } from './five-cells'
import { itemBatches, itemBatchesOf } from './item-batches'

export const rows5 = fiveCellsCase({
  name: 'rows-5',
  title: 'gzip file to rows of five columns, their cells read as text (row.text())',
  open: path => ({ rows: itemBatchesOf(path, FIVE_COLUMNS) }),
})

export const rows5OfAll = fiveCellsCase({
  name: 'rows-5-of-all',
  contender: 'feedmill, all columns',
  title: 'gzip file to rows of all columns, five cells read as text (row.text())',
  open: path => ({ rows: itemBatches(path) }),
})
