// uDSV to arrays of strings, its own form and its fastest.

import { rowsCase } from './macro-case'
import { udsvRows } from './udsv-rows'

export const udsv = rowsCase<readonly string[]>({
  name: 'udsv',
  contender: 'uDSV',
  title: 'gzip file to arrays of strings (stringArrs)',
  ours: false,
  cells: row => row,
  run: (path, use) => udsvRows<string[]>(path, parser => parser.stringArrs, use),
})
