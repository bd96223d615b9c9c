// Two independent counts of what a file holds: DuckDB, and a reader of the documented dialect that
// takes one character at a time. Neither uses anything of the sources.

import { writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'

/** What both oracles count of a column. */
export interface ColumnCount {
  readonly name: string
  readonly empty: number
  readonly filled: number
  readonly distinct: number
  readonly minBytes: number | null
  readonly maxBytes: number | null
  readonly meanBytes: number | null
}

/** The rows of a text that has no bad row, header first. Cells are without quotes and escapes. */
export function naiveRows(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    if (cell === '' && text[at] === '"') {
      for (at++; text[at] !== '"'; at++) {
        if (text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++
        cell += text[at]
      }
      at++
    }
    while (at < text.length && text[at] !== '\t' && text[at] !== '\n') cell += text[at++]
    if (text[at] === '\n' && text[at - 1] === '\r' && cell.endsWith('\r')) cell = cell.slice(0, -1)
    row.push(cell)
    cell = ''
    if (text[at] === '\t') {
      at++
      if (at === text.length || text[at] === '\n') row.push('')
      if (at < text.length && text[at] !== '\n') continue
    }
    at++
    rows.push(row)
    row = []
  }
  return rows
}

export function naiveCounts(text: string): ColumnCount[] {
  const [names = [], ...rows] = naiveRows(text)
  return names.map((name, column) => {
    const filled = rows.map(row => row[column]!).filter(cell => cell !== '')
    const bytes = filled.map(cell => Buffer.byteLength(cell))
    return {
      name,
      empty: rows.length - filled.length,
      filled: filled.length,
      distinct: new Set(filled).size,
      minBytes: bytes.length === 0 ? null : Math.min(...bytes),
      maxBytes: bytes.length === 0 ? null : Math.max(...bytes),
      meanBytes:
        bytes.length === 0 ? null : bytes.reduce((sum, size) => sum + size, 0) / bytes.length,
    }
  })
}

export interface DuckDbFile {
  readonly path: string
  readonly names: readonly string[]
}

export class DuckDb {
  readonly #connection: Awaited<ReturnType<DuckDBInstance['connect']>>

  private constructor(connection: Awaited<ReturnType<DuckDBInstance['connect']>>) {
    this.#connection = connection
  }

  static async open(): Promise<DuckDb> {
    return new DuckDb(await (await DuckDBInstance.create(':memory:')).connect())
  }

  /** The counts of the file, which is then loaded. */
  async counts(file: DuckDbFile): Promise<ColumnCount[]> {
    await this.load(file)
    const counts: ColumnCount[] = []
    for (const [at, name] of file.names.entries()) {
      const cell = `c${at}`
      const size = `strlen(${cell})`
      const row = await this.row([
        `count(*) - count(${cell})`,
        `count(${cell})`,
        `count(distinct ${cell})`,
        `min(${size})`,
        `max(${size})`,
        `avg(${size})`,
      ])
      const [empty, filled, distinct, ...bytes] = row
      const [minBytes = null, maxBytes = null, meanBytes = null] = bytes.map(value =>
        value === null ? null : Number(value),
      )
      counts.push({
        name,
        empty: Number(empty),
        filled: Number(filled),
        distinct: Number(distinct),
        minBytes,
        maxBytes,
        meanBytes,
      })
    }
    return counts
  }

  /** Reads a file, whose columns are then c0, c1 and so on. */
  async load({ path, names }: DuckDbFile): Promise<void> {
    const dialect = `delim = '\\t', quote = '"', escape = '\\', header = true, auto_detect = false, nullstr = '', allow_quoted_nulls = true, max_line_size = 4194304`
    const columns = names.map((_, at) => `'c${at}': 'VARCHAR'`).join(', ')
    await this.#connection.run(
      `CREATE OR REPLACE TABLE file AS SELECT * FROM read_csv('${path}', ${dialect}, columns = {${columns}})`,
    )
  }

  /** The one row of a query over the file that was loaded. */
  async row(totals: readonly string[]): Promise<unknown[]> {
    const query = `SELECT ${totals.join(', ')} FROM file`
    const [row = []] = (await this.#connection.runAndReadAll(query)).getRows()
    return row
  }
}

/** Writes a file that DuckDB reads. */
export function written(path: string, bytes: Uint8Array): string {
  writeFileSync(path, bytes)
  return path
}
