// How both DuckDB cases read the file: in the engine, on two threads, told the dialect and the
// columns, so that it need not guess. Its rows stay in the engine; a query answers with one row of
// totals.

import { DuckDBInstance } from '@duckdb/node-api'
import { inflatedBytes } from './macro-case'

/** Made with the module, as the loading of code is not counted. */
const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()

/** The columns by the file's header: some milliseconds, where DuckDB's own guess takes fifty. */
export async function headerColumns(path: string): Promise<string[]> {
  let text = ''
  for await (const block of inflatedBytes(path).setEncoding('utf8')) {
    text += block
    if (text.includes('\n')) break
  }
  return text.slice(0, text.indexOf('\n')).split('\t')
}

/**
 * The one row that a query over the file answers with, as numbers, nulls as 0.
 * @param types of the columns that are not text
 */
export async function duckdbTotals(
  path: string,
  columns: readonly string[],
  types: Readonly<Record<string, string>>,
  totals: readonly string[],
): Promise<number[]> {
  const dialect = `delim = '\\t', quote = '"', escape = '\\', new_line = '\\n', header = true, auto_detect = false, compression = 'gzip'`
  const typed = columns.map(name => `'${name}': '${types[name] ?? 'VARCHAR'}'`)
  const query = `SELECT ${totals.join(', ')} FROM read_csv('${path}', ${dialect}, columns = {${typed.join(', ')}})`
  const [row] = (await connection.runAndReadAll(query)).getRows()
  return row!.map(Number)
}
