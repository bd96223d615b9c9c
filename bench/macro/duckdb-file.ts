// How the DuckDB cases read the file: in the engine, on two threads where no other number is named,
// told the dialect and the columns, so that it need not guess. Its rows stay in the engine, or go
// to a file that it writes; a query answers with one row of numbers.

import { DuckDBInstance } from '@duckdb/node-api'
import { DUCKDB_TYPES, decodedColumns } from './duckdb-cells'
import { headerColumns } from './macro-case'

/** Made with the module, as the loading of code is not counted. */
const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()

/** The file as a table of a query, its cells of these types, or text. */
export function csvTable(
  path: string,
  columns: readonly string[],
  types: Readonly<Record<string, string>> = DUCKDB_TYPES,
): string {
  const dialect = `delim = '\\t', quote = '"', escape = '\\', new_line = '\\n', header = true, auto_detect = false, compression = 'gzip'`
  const typed = columns.map(name => `'${name}': '${types[name] ?? 'VARCHAR'}'`)
  return `read_csv('${path}', ${dialect}, columns = {${typed.join(', ')}})`
}

/** The one row that a query over the file answers with, as numbers, nulls as 0. */
export async function duckdbTotals(
  path: string,
  columns: readonly string[],
  totals: readonly string[],
  threads = 2,
): Promise<number[]> {
  await connection.run(`SET threads = ${threads}`)
  return firstRow(`SELECT ${totals.join(', ')} FROM ${csvTable(path, columns)}`)
}

/**
 * Writes the file with every cell decoded.
 * @param format the options of COPY
 * @returns the rows that were written
 */
export async function duckdbCopy(path: string, output: string, format: string): Promise<number> {
  const columns = await headerColumns(path)
  const selection = `SELECT ${decodedColumns(columns)} FROM ${csvTable(path, columns)}`
  return (await firstRow(`COPY (${selection}) TO '${output}' (${format})`))[0]!
}

async function firstRow(query: string): Promise<number[]> {
  const [row] = (await connection.runAndReadAll(query)).getRows()
  return row!.map(Number)
}
