// A sink that writes the rows of a pipeline to a table of a DuckDB file, in one transaction.

import type { Sink } from '../../engine/index'
import {
  choice,
  elementsOf,
  FeedError,
  filePath,
  filledText,
  knownOptions,
  type OptionNames,
  sinkFailed,
  TableColumns,
  type TableSinkOptions,
  wholeNumber,
} from '../../engine/index'
import { ChunkInserter } from './chunk-inserter'
import { columnTypeOf, LONG_DECIMAL, UNFIT } from './column-types'
import { Database, LEAST_BYTES, MEMORY_BYTES, sqlName, THREADS } from './duckdb-api'
import type { VectorWriter } from './vector-writers'

export interface DuckdbSinkOptions extends TableSinkOptions {
  /**
   * Limit of DuckDB's own memory, in bytes. The process takes up to 300 MiB beside it. Beyond it
   * DuckDB writes temporary files beside the database. Default: 160 MiB. Bounds: at least 64 MiB.
   */
  readonly memoryBytes?: number
}

const NAME = 'duckdb'
const NAMES: OptionNames<DuckdbSinkOptions> = {
  table: true,
  mode: true,
  schema: true,
  columns: true,
  memoryBytes: true,
}

interface TableWriter {
  readonly convert: readonly ((value: unknown) => unknown)[]
  readonly inserter: ChunkInserter<VectorWriter>
}

/**
 * Makes a sink that writes a table of a DuckDB file in one transaction, so that the table appears
 * with all rows when the pipeline has succeeded, and a failure leaves the file as it was. The types
 * of the columns follow from the schema: decimals are DECIMAL(38, 10), timestamps TIMESTAMP in UTC,
 * lists arrays, aspects and regions structs. A file of a process is open for one writer at a time.
 * @param path the path of the file, in an existing folder
 * @throws FeedError OPTION_INVALID at the call; DEPENDENCY_MISSING without the package
 * `@duckdb/node-api`; STATE_LOCKED where another writer has the file open; SINK_FAILED;
 * SINK_VALUE_INVALID for a value that is no row, or a decimal with more than 28 digits before the
 * point or 10 behind it; CELL_INVALID, COLUMN_UNKNOWN
 * @example
 * ```ts
 * import { itemSchema, pipeline } from 'feedmill'
 * import { duckdbSink } from 'feedmill/duckdb'
 *
 * const sink = duckdbSink('sink.duckdb', { table: 'items', schema: itemSchema, mode: 'replace' })
 * await pipeline([{ itemId: 'v1|1|0', title: 'one' }]).run(sink)
 * console.log(sink.name)
 * // => duckdb
 * ```
 */
export function duckdbSink<T>(path: string, options: DuckdbSinkOptions): Sink<T> {
  const { table, mode = 'create', memoryBytes = MEMORY_BYTES } = knownOptions(options, NAMES)
  filePath('path', path)
  filledText('table', table)
  choice('mode', mode, ['create', 'replace', 'append'])
  wholeNumber('memoryBytes', memoryBytes, LEAST_BYTES)
  let columns = new TableColumns(NAME, options)
  let database: Database | undefined
  let writer: TableWriter | undefined
  const failed = (cause: unknown) =>
    FeedError.is(cause) && cause.code !== 'STATE_IO' ? cause : sinkFailed(NAME, path, cause)

  const openTable = async (open: Database): Promise<TableWriter | undefined> => {
    if (columns.columns === undefined) {
      // Nothing says the columns of a new table.
      if (mode === 'create') await open.run(`CREATE TABLE ${sqlName(table)} (unknown INTEGER)`)
      if (mode !== 'append') await open.run(`DROP TABLE IF EXISTS ${sqlName(table)}`)
      return undefined
    }
    const types = columns.columns.map(({ spec }) => columnTypeOf(spec, LONG_DECIMAL))
    const definition = columns.columns
      .map(({ name }, n) => `${sqlName(name)} ${types[n]!.sql}`)
      .join(', ')
    await open.run(`${CREATE[mode]} ${sqlName(table)} (${definition})`)
    const inserter = await ChunkInserter.open(open, table, () => types.map(type => type.writer()))
    if (inserter.columns !== types.length)
      throw sinkFailed(
        NAME,
        path,
        `the table ${table} has ${inserter.columns} columns and the rows have ${types.length}`,
      )
    return { convert: types.map(type => type.convert), inserter }
  }
  const close = async () => {
    await database?.close()
    database = undefined
    writer = undefined
  }
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (cause) {
      throw failed(cause)
    }
  }
  return {
    name: NAME,
    open: () =>
      guarded(async () => {
        columns = new TableColumns(NAME, options)
        const opened = await Database.open(path, { memoryBytes, threads: THREADS })
        database = opened
        await opened.run('BEGIN')
      }),
    write: item =>
      guarded(async () => {
        columns.see(item)
        for (const element of elementsOf(item)) {
          const values = columns.valuesOf(element)
          writer ??= await openTable(database!)
          const { convert, inserter } = writer!
          values.forEach((value, n) => {
            const converted = value === null ? null : convert[n]!(value)
            if (converted === UNFIT)
              throw columns.invalid(
                `${columns.columns![n]!.name} does not fit its type: ${String(value)}`,
              )
            inserter.writers[n]!.add(converted)
          })
          await inserter.added(1)
        }
      }),
    prepare: () =>
      guarded(async () => {
        writer ??= await openTable(database!)
        await writer?.inserter.close()
      }),
    commit: () =>
      guarded(async () => {
        await database!.run('COMMIT')
        await close()
      }),
    abort: async () => {
      await writer?.inserter.settled()
      // The transaction ends with the connection.
      await database?.run('ROLLBACK').catch(() => {})
      await close()
    },
  }
}

const CREATE = {
  create: 'CREATE TABLE',
  replace: 'CREATE OR REPLACE TABLE',
  append: 'CREATE TABLE IF NOT EXISTS',
} as const
