// A sink that writes the rows of a pipeline to a table of a DuckDB file, in one transaction.

import type {
  ColumnNames,
  PlannedColumn,
  RowWriter,
  Sink,
  TableDatabase,
  TablePlan,
  TableSinkOptions,
} from '../../engine/index'
import {
  filePath,
  int64,
  knownOptions,
  NamedColumns,
  namesOf,
  newValues,
  type OptionNames,
  sqlIdentifier,
  TABLE_OPTIONS,
  tableSink,
  wholeNumber,
} from '../../engine/index'
import { ChunkInserter } from './chunk-inserter'
import { columnTypeOf, LONG_DECIMAL } from './column-types'
import { Database, LEAST_BYTES, MEMORY_BYTES, sqlText, THREADS } from './duckdb-api'
import type { VectorWriter } from './vector-writers'

export interface DuckdbSinkOptions extends TableSinkOptions {
  /**
   * Limit of DuckDB's own memory, in bytes. The process takes up to 300 MiB beside it. Beyond it
   * DuckDB writes temporary files beside the database. Default: 160 MiB. Bounds: at least 64 MiB.
   */
  readonly memoryBytes?: number
}

const NAME = 'duckdb'
const OPTIONS: OptionNames<DuckdbSinkOptions> = { ...TABLE_OPTIONS, memoryBytes: true }

/**
 * Makes a sink that writes a table of a DuckDB file in one transaction, so that the table appears
 * with all rows when the pipeline has succeeded, and a failure leaves the file as it was. The types
 * of the columns follow from the schema: decimals are DECIMAL(38, 10) or of their scale, timestamps
 * TIMESTAMP in UTC, lists arrays, aspects and regions structs. A file of a process is open for one
 * writer at a time.
 * @param path the path of the file, in an existing folder
 * @throws FeedError OPTION_INVALID at the call; DEPENDENCY_MISSING without the package
 * `@duckdb/node-api`; STATE_LOCKED where another writer has the file open; SINK_FAILED;
 * STATE_FOREIGN for a table that lacks a column of the rows; SINK_VALUE_INVALID for a value that is
 * no row; CELL_INVALID by `onBadCell`, also for a decimal that loses digits; COLUMN_UNKNOWN
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
  const { table, memoryBytes = MEMORY_BYTES } = knownOptions(options, OPTIONS)
  filePath('path', path)
  wholeNumber('memoryBytes', memoryBytes, LEAST_BYTES)
  return tableSink(
    {
      name: NAME,
      target: path,
      sqlTable: sqlIdentifier(String(table)),
      // The index of a primary key would have to fit into memory.
      hasPrimaryKey: false,
      columnName: name => name,
      formOf: spec => columnTypeOf(spec, LONG_DECIMAL),
      open: () => new DuckdbTable(path, memoryBytes),
    },
    options,
  )
}

class DuckdbTable implements TableDatabase {
  readonly #path: string
  readonly #memoryBytes: number
  #database: Database | undefined
  #inserter: ChunkInserter<VectorWriter> | undefined

  constructor(path: string, memoryBytes: number) {
    this.#path = path
    this.#memoryBytes = memoryBytes
  }

  async begin(): Promise<void> {
    const memoryBytes = this.#memoryBytes
    this.#database = await Database.open(this.#path, { memoryBytes, threads: THREADS })
    await this.run('BEGIN')
  }

  run(sql: string): Promise<void> {
    return this.#database!.run(sql)
  }

  async columnsOf(table: string): Promise<ColumnNames> {
    // DuckDB finds a table whatever the case of its name.
    const rows = await this.#database!.rows<{ readonly column_name: string }>(
      `SELECT column_name FROM duckdb_columns() WHERE database_name = current_database()
       AND schema_name = 'main' AND lower(table_name) = lower(${sqlText(table)})`,
    )
    return rows.length === 0
      ? undefined
      : new NamedColumns(rows.map(({ column_name }) => [column_name, true]))
  }

  async writerOf(plan: TablePlan): Promise<RowWriter> {
    const { table, columns, key } = plan
    if (key.length === 0) return this.#insertInto(`${table} (${namesOf(columns)})`, columns)
    const place = await this.#makeArrived(columns)
    const arrived = await this.#insertInto(ARRIVED, [...columns, place])
    let rows = 0
    return {
      write: values => arrived.write([...values, ++rows]),
      end: async () => {
        await arrived.end()
        await this.run(merge(plan))
      },
    }
  }

  async commit(): Promise<void> {
    await this.run('COMMIT')
    await this.#close()
  }

  async abort(): Promise<void> {
    await this.#inserter?.settled()
    // The transaction ends with the connection.
    await this.#database?.run('ROLLBACK').catch(() => {})
    await this.#close()
  }

  /** Makes the table of the rows with a key, and returns its last column, the order of the rows. */
  async #makeArrived(columns: readonly PlannedColumn[]): Promise<PlannedColumn> {
    const spec = int64()
    const place = { name: PLACE, sqlName: PLACE, spec, form: columnTypeOf(spec), isRequired: true }
    await this.run(`CREATE TEMP TABLE ${ARRIVED} AS ${noRowsOf([...columns, place])}`)
    return place
  }

  async #insertInto(table: string, columns: readonly PlannedColumn[]): Promise<RowWriter> {
    const newWriters = () => columns.map(({ spec }) => columnTypeOf(spec, LONG_DECIMAL).writer())
    const inserter = await ChunkInserter.open(this.#database!, table, noRowsOf(columns), newWriters)
    this.#inserter = inserter
    return {
      write(values) {
        const { writers } = inserter
        for (let n = 0; n < writers.length; n++) writers[n]!.add(values[n])
        return inserter.added(1)
      },
      end: () => inserter.close(),
    }
  }

  async #close(): Promise<void> {
    await this.#database?.close()
    this.#database = undefined
  }
}

/** The rows of a run with a key, before they take the places of those of their keys. */
const ARRIVED = 'feedmill_arrived'
/** The column with the number of a row. No column of a file has a NUL in its name. */
const PLACE = 'feedmill_place'

/** Returns a query of the columns without a row. */
function noRowsOf(columns: readonly PlannedColumn[]): string {
  const values = columns.map(
    ({ sqlName, form }) => `NULL::${form.sql} AS ${sqlIdentifier(sqlName)}`,
  )
  return `SELECT ${values.join(', ')} LIMIT 0`
}

/** The last row of each key takes the place of the one that stands, or is added. */
function merge(plan: TablePlan): string {
  const { table, columns, key } = plan
  const names = namesOf(columns)
  const values = newValues(plan, 'new')
  const isSame = key
    .map(({ sqlName }) => sqlIdentifier(sqlName))
    .map(name => `old.${name} = new.${name}`)
  return `
    DELETE FROM ${ARRIVED} WHERE ${PLACE} NOT IN (
      SELECT max(${PLACE}) FROM ${ARRIVED} GROUP BY ${namesOf(key)}
    );
    MERGE INTO ${table} AS old USING ${ARRIVED} AS new ON (${isSame.join(' AND ')})
    ${values === '' ? '' : `WHEN MATCHED THEN UPDATE SET ${values}`}
    WHEN NOT MATCHED THEN INSERT (${names}) VALUES (${columns
      .map(({ sqlName }) => `new.${sqlIdentifier(sqlName)}`)
      .join(', ')});
    DROP TABLE ${ARRIVED}`
}
