// What rows-5 holds at most, on a small file and on one ten times as large: two cases, as each is a
// process and a file of its own.

import { FIVE_COLUMNS, fiveCellsCase } from './five-cells'
import { itemBatchesOf } from './item-batches'

export const rssSmall = fiveCellsCase({
  name: 'rss-small',
  title: 'rows-5 on a file of half the size: its peak memory',
  open: path => ({ rows: itemBatchesOf(path, FIVE_COLUMNS) }),
})

export const rssLarge = fiveCellsCase({
  name: 'rss-large',
  title: 'rows-5 on ten times that file: its peak memory',
  open: path => ({ rows: itemBatchesOf(path, FIVE_COLUMNS) }),
})
