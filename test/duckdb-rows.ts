// Reads a DuckDB file that nobody else has open, for tests.

import { DuckDBInstance, type Json } from '@duckdb/node-api'

/** Runs a statement. @param options those of the database */
export async function duckdbRows(
  path: string,
  sql: string,
  options: Record<string, string> = {},
): Promise<Record<string, Json>[]> {
  const instance = await DuckDBInstance.create(path, options)
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
