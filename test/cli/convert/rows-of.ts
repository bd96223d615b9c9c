// Reads what convert has written, by readers that share no code with the sinks.

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { parse } from 'csv-parse/sync'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'

export type Cells = Record<string, unknown>

/** Reads Arrow, and shares no code with apache-arrow. */
interface Flechette {
  tableFromIPC(bytes: Uint8Array, options?: object): { toArray(): Cells[] }
}
const flechette: Promise<Flechette> = import('@uwdata/flechette' as string)

/** Returns the rows of a file that convert has written, of a DuckDB file those of `stock`. */
export async function rowsOf(path: string): Promise<Cells[]> {
  const bytes = path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)
  const name = path.replace(/\.gz$/, '')
  if (name.endsWith('.ndjson'))
    return bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Cells)
  if (name.endsWith('.csv'))
    return parse(bytes, { columns: true, cast: text => (text === '' ? null : text) }) as Cells[]
  if (name.endsWith('.parquet'))
    return (await parquetReadObjects({ file: await asyncBufferFromFile(path) })) as Cells[]
  if (name.endsWith('.arrow')) return (await flechette).tableFromIPC(bytes).toArray()
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    const rows = await (await connection.runAndReadAll('SELECT * FROM stock')).getRowObjectsJson()
    return rows as Cells[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Rows without the marks of their readers. */
export const plain = (rows: readonly Cells[]) =>
  rows.map(row =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell ?? null])),
  )
