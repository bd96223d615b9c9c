// How both uDSV cases read the file: its incremental parser, told the dialect, with a callback a
// row instead of its buffer.

import { type BaseParse, inferSchema, initParser, type Parser } from 'udsv'
import { inflatedBytes } from './macro-case'

/** @param parseOf which of the parser's forms makes the rows */
export async function udsvRows<Row>(
  path: string,
  parseOf: (parser: Parser) => BaseParse<Row>,
  use: (row: Row) => void,
): Promise<void> {
  let parser: Parser | undefined
  for await (const text of inflatedBytes(path).setEncoding('utf8')) {
    parser ??= initParser(inferSchema(text, { col: '\t', row: '\n', encl: '"', esc: '\\' }))
    parser.chunk(text, parseOf(parser), use)
  }
  parser?.end()
}
