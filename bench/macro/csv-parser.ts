// csv-parser, told the dialect; it makes objects only. It takes a quote that follows a doubled
// backslash for an escaped one, and so runs rows together.

import csv from 'csv-parser'
import { inflatedBytes, rowsCase } from './macro-case'

export const csvParser = rowsCase<Record<string, string>>({
  name: 'csv-parser',
  contender: 'csv-parser',
  title: 'gzip file to plain objects, all cells (its stream)',
  ours: false,
  cells: (row, columns) => columns.map(name => row[name]),
  run(path, use) {
    const inflated = inflatedBytes(path)
    return new Promise((resolve, reject) => {
      const parser = csv({ separator: '\t', quote: '"', escape: '\\' })
      inflated
        .once('error', reject)
        .pipe(parser)
        .on('data', use)
        .once('end', resolve)
        .once('error', reject)
    })
  },
})
