// csv-parse, told the dialect.

import { parse } from 'csv-parse'
import { inflatedBytes, rowsCase } from './macro-case'

export const csvParse = rowsCase<readonly string[]>({
  name: 'csv-parse',
  contender: 'csv-parse',
  title: 'gzip file to arrays of strings (its stream)',
  ours: false,
  cells: row => row,
  run(path, use) {
    const inflated = inflatedBytes(path)
    return new Promise((resolve, reject) => {
      const parser = parse({ delimiter: '\t', quote: '"', escape: '\\', from: 2 })
      inflated
        .once('error', reject)
        .pipe(parser)
        .on('data', use)
        .once('end', resolve)
        .once('error', reject)
    })
  },
})
