// papaparse with straightforward decoding of what it gives: numbers, booleans, dates, lists,
// aspects, both region columns.

import { rowsCase } from './macro-case'
import { papaparseRows } from './papaparse-rows'
import { decodePlainly, expectedOfNumbers } from './plain-decoding'
import { typedCellText } from './typed-cells'

export const papaparseTyped = rowsCase<Record<string, unknown>>({
  name: 'papaparse-typed',
  contender: 'papaparse',
  title: 'its objects, decoded by Number, Date, split and Buffer.from',
  ours: false,
  cells: (row, columns) => columns.map(name => typedCellText(name, row[name])),
  expected: expectedOfNumbers,
  run: (path, use) => papaparseRows(path, row => use(decodePlainly(row))),
})
