// The gzip file to rows of which five cells are read.

import { fiveCellsCase } from './five-cells'
import { itemBatches } from './item-batches'

export const rows5 = fiveCellsCase({
  name: 'rows-5',
  title: 'gzip file to rows, five cells read as text (row.text())',
  open: path => ({ rows: itemBatches(path) }),
})
