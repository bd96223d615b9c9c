// uDSV to plain objects of strings.

import { rowsCase } from './macro-case'
import { udsvRows } from './udsv-rows'

export const udsvObjects = rowsCase<Record<string, string>>({
  name: 'udsv-objects',
  contender: 'uDSV',
  title: 'gzip file to plain objects, all cells (stringObjs)',
  ours: false,
  cells: (row, columns) => columns.map(name => row[name]),
  run: (path, use) => udsvRows<Record<string, string>>(path, parser => parser.stringObjs, use),
})
