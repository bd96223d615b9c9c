// No parser at all: split on line ends and tabs. It leaves quotes and escapes as they are.

import { inflatedBytes, rowsCase } from './macro-case'

export const split = rowsCase<readonly string[]>({
  name: 'split',
  contender: 'split',
  title: 'gzip file to arrays of strings, split on \\n and \\t',
  ours: false,
  cells: row => row,
  async run(path, use) {
    let rest = ''
    let header = true
    for await (const text of inflatedBytes(path).setEncoding('utf8')) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        if (header) header = false
        else use(line.split('\t'))
      }
    }
  },
})
