// DuckDB counts the rows and the characters of their titles, which is the least that touches every
// row.

import { duckdbTotals } from './duckdb-file'
import { headerColumns, totalsCase } from './macro-case'

export const duckdb = totalsCase({
  name: 'duckdb',
  contender: 'DuckDB',
  title: 'count(*), sum(length(title)) from the gzip file, 2 threads',
  ours: false,
  addends: cells => [1, [...new Map(cells).get('title')!].length],
  run: async path =>
    duckdbTotals(path, await headerColumns(path), ['count(*)', 'sum(length(title))']),
})
