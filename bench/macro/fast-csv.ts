// fast-csv, told the dialect.

import { parse } from 'fast-csv'
import { inflatedBytes, rowsCase } from './macro-case'

export const fastCsv = rowsCase<readonly string[]>({
  name: 'fast-csv',
  contender: 'fast-csv',
  title: 'gzip file to arrays of strings (its stream)',
  ours: false,
  cells: row => row,
  run(path, use) {
    const inflated = inflatedBytes(path)
    return new Promise((resolve, reject) => {
      const parser = parse<string[], string[]>({
        delimiter: '\t',
        quote: '"',
        escape: '\\',
        skipLines: 1,
      })
      inflated
        .once('error', reject)
        .pipe(parser)
        .on('data', use)
        .once('end', resolve)
        .once('error', reject)
    })
  },
})
