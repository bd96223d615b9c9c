// csv-parse, told the dialect.

import { parse } from 'csv-parse'
import { inflatedBytes, rowsCase } from './macro-case'

/** @param from the first row, the header being 1 */
export function csvParseRows(path: string, from: number) {
  const parser = parse({ delimiter: '\t', quote: '"', escape: '\\', from })
  return inflatedBytes(path)
    .once('error', error => parser.destroy(error))
    .pipe(parser)
}

export const csvParse = rowsCase<readonly string[]>({
  name: 'csv-parse',
  contender: 'csv-parse',
  title: 'gzip file to arrays of strings (its stream)',
  ours: false,
  cells: row => row,
  run(path, use) {
    return new Promise((resolve, reject) => {
      csvParseRows(path, 2).on('data', use).once('end', resolve).once('error', reject)
    })
  },
})
