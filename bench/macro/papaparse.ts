// papaparse over the same bytes, inflated by node:zlib, to plain objects.

import { rowsCase } from './macro-case'
import { papaparseRows } from './papaparse-rows'

export const papaparse = rowsCase<Record<string, string>>({
  name: 'papaparse',
  contender: 'papaparse',
  title: 'gzip file to plain objects, all cells (header: true, chunk)',
  ours: false,
  cells: (row, columns) => columns.map(name => row[name]),
  run: papaparseRows,
})
