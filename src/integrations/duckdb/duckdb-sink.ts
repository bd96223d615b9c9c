// A sink that writes the rows of a pipeline to a table of a DuckDB file, in one transaction.

import type {
  ArrowType,
  ColumnData,
  ColumnForm,
  ColumnNames,
  ColumnSpec,
  Columns,
  OwnSchema,
  PlannedColumn,
  RowBatch,
  RowWriter,
  Sink,
  TableDatabase,
  TableItem,
  TableName,
  TablePlan,
  TableRows,
  TableSinkOptions,
} from '../../engine/index'
import {
  arrowTypeOf,
  CASELESS_NAMES,
  columnData,
  filePath,
  freeName,
  knownOptions,
  misfit,
  namesOf,
  newValues,
  type OptionNames,
  sqlIdentifier,
  TABLE_OPTIONS,
  tableSink,
  UNFIT,
  wholeNumber,
} from '../../engine/index'
import { ChunkInserter } from './chunk-inserter'
import { sqlTypeOf, vectorTypeOf } from './column-types'
import { CHUNK_ROWS, Database, LEAST_BYTES, MEMORY_BYTES, sqlText, THREADS } from './duckdb-api'

export type DuckdbSinkOptions<N extends string = string, S = OwnSchema> = TableSinkOptions<N, S> & {
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
 * @throws FeedError OPTION_INVALID at the call, and for headings that no table can have;
 * DEPENDENCY_MISSING without the package `@duckdb/node-api`; STATE_LOCKED where another writer has
 * the file open; SINK_FAILED; STATE_FOREIGN for a table that lacks a column of the rows;
 * SINK_VALUE_INVALID for a value that is no row; CELL_INVALID by `onBadCell`, also for a decimal
 * that loses digits; COLUMN_UNKNOWN also for a property that the schema lacks
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
export function duckdbSink<T, const N extends string = never, S extends OwnSchema = OwnSchema>(
  path: string,
  options: DuckdbSinkOptions<TableName<NoInfer<T>, N, S>, S>,
): Sink<TableItem<T, S>> {
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
      ...CASELESS_NAMES,
      nameFault: name => (name === '' ? 'it is empty' : undefined),
      formOf,
      open: () => new DuckdbTable(() => Database.open(path, { memoryBytes, threads: THREADS })),
    },
    options as TableSinkOptions,
  )
}

function formOf(spec: ColumnSpec): ColumnForm {
  const type = arrowTypeOf(spec)
  const isText = type.kind === 'utf8'
  const convert = (value: unknown) => {
    // The value of a caller's decoder is text, or written as JSON.
    if (isText) return typeof value === 'string' ? value : (JSON.stringify(value) ?? null)
    return misfit(type, value) === undefined ? value : UNFIT
  }
  return { sql: sqlTypeOf(type), convert }
}

class DuckdbTable implements TableDatabase {
  readonly #open: () => Promise<Database>
  #database: Database | undefined
  #inserter: ChunkInserter | undefined

  constructor(open: () => Promise<Database>) {
    this.#open = open
  }

  async begin(): Promise<void> {
    this.#database = await this.#open()
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
      : new Set(rows.map(({ column_name }) => CASELESS_NAMES.foldName(column_name)))
  }

  async writerOf(plan: TablePlan, rows: TableRows): Promise<RowWriter> {
    const { table, columns, key } = plan
    const vectors = columns.map(({ sqlName, spec }) => vectorOf(sqlName, arrowTypeOf(spec)))
    if (key.length === 0) {
      this.#inserter = await ChunkInserter.open(this.#database!, table, vectors)
      return new ColumnWriter(this.#inserter, columns, rows)
    }
    // The rows of the run, before they take the places of those of their keys, with their numbers.
    const arrived = freeName('feedmill_arrived', [table.slice(1, -1)])
    const place = freeName(
      'feedmill_place',
      Array.from(vectors, ([name]) => name),
    )
    await this.run(`CREATE TEMP TABLE ${arrived} AS ${noRowsOf(columns, place)}`)
    vectors.push(vectorOf(place, INT64))
    this.#inserter = await ChunkInserter.open(this.#database!, arrived, vectors)
    const end = () => this.run(merge(plan, arrived, place))
    return new ColumnWriter(this.#inserter, columns, rows, end)
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

  async #close(): Promise<void> {
    await this.#database?.close()
    this.#database = undefined
  }
}

/** Writes rows with their columns, and behind these the places of rows that have a key. */
class ColumnWriter implements RowWriter {
  readonly #inserter: ChunkInserter
  readonly #types: readonly ArrowType[]
  readonly #rows: TableRows
  readonly #merge: (() => Promise<void>) | undefined
  /** Rows that came as values, a list for each column. */
  #values: unknown[][]
  #places = 0

  constructor(
    inserter: ChunkInserter,
    columns: readonly PlannedColumn[],
    rows: TableRows,
    merge?: () => Promise<void>,
  ) {
    this.#inserter = inserter
    this.#types = columns.map(({ spec }) => arrowTypeOf(spec))
    this.#rows = rows
    this.#merge = merge
    this.#values = columns.map(() => [])
  }

  write(row: readonly unknown[]): Promise<void> | undefined {
    row.forEach((value, n) => {
      this.#values[n]!.push(value)
    })
    return this.#values[0]!.length === CHUNK_ROWS ? this.#addValues() : undefined
  }

  async writeBatch(batch: RowBatch<Columns>): Promise<void> {
    await this.#addValues()
    await this.#add(this.#rows.columnsOf(batch), batch.length)
  }

  async end(): Promise<void> {
    await this.#addValues()
    await this.#inserter.close()
    await this.#merge?.()
  }

  #addValues(): Promise<void> {
    const values = this.#values
    this.#values = values.map(() => [])
    const columns = values.map((column, n) => dataOf(this.#types[n]!, column))
    return this.#add(columns, values[0]!.length)
  }

  #add(columns: readonly ColumnData[], rows: number): Promise<void> {
    if (this.#merge === undefined) return this.#inserter.add(columns, rows)
    const places = Array.from({ length: rows }, () => ++this.#places)
    return this.#inserter.add([...columns, columnData(INT64, places)], rows)
  }
}

const INT64: ArrowType = { kind: 'int64' }

/** In a table, a list that is missing is no empty one. */
function dataOf(type: ArrowType, values: readonly unknown[]): ColumnData {
  const data = columnData(type, values)
  if (type.kind !== 'list' || !values.includes(null)) return data
  const bits = columnData(
    { kind: 'boolean' },
    values.map(value => value !== null),
  )
  return { ...data, validity: bits.values as Uint8Array }
}

function vectorOf(name: string, type: ArrowType): readonly [name: string, type: string] {
  return [name, vectorTypeOf(type)]
}

/** Returns a query of the columns and of the place without a row. */
function noRowsOf(columns: readonly PlannedColumn[], place: string): string {
  const values = columns.map(
    ({ sqlName, form }) => `NULL::${form.sql} AS ${sqlIdentifier(sqlName)}`,
  )
  return `SELECT ${values.join(', ')}, NULL::BIGINT AS ${place} LIMIT 0`
}

/** The last row of each key takes the place of the one that stands, or is added. */
function merge(plan: TablePlan, arrived: string, place: string): string {
  const { table, columns, key } = plan
  const names = namesOf(columns)
  const values = newValues(plan, 'new')
  const isSame = key
    .map(({ sqlName }) => sqlIdentifier(sqlName))
    .map(name => `old.${name} = new.${name}`)
  return `
    DELETE FROM ${arrived} WHERE ${place} NOT IN (
      SELECT max(${place}) FROM ${arrived} GROUP BY ${namesOf(key)}
    );
    MERGE INTO ${table} AS old USING ${arrived} AS new ON (${isSame.join(' AND ')})
    ${values === '' ? '' : `WHEN MATCHED THEN UPDATE SET ${values}`}
    WHEN NOT MATCHED THEN INSERT (${names}) VALUES (${columns
      .map(({ sqlName }) => `new.${sqlIdentifier(sqlName)}`)
      .join(', ')});
    DROP TABLE ${arrived}`
}
