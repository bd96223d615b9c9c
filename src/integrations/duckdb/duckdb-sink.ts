// A sink that writes the rows of a pipeline to a table of a DuckDB file, in one transaction.

import { randomBytes } from 'node:crypto'
import type {
  ArrowType,
  ColumnData,
  ColumnForm,
  ColumnSpec,
  OwnSchema,
  PlannedColumn,
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
  castsOf,
  cellConverter,
  cellText,
  checkCasts,
  columnData,
  databasePath,
  dataOfValues,
  is,
  namesOf,
  newValues,
  type OptionTable,
  readOptions,
  sqlIdentifier,
  TABLE_OPTIONS,
  tableSink,
  UNFIT,
} from '../../engine/index'
import { sqlText } from '../../sync/index'
import { ChunkInserter } from './chunk-inserter'
import { sqlTypeOf, vectorTypeOf } from './column-types'
import { CATALOG, CHUNK_ROWS, Database, LEAST_BYTES, MEMORY_BYTES, THREADS } from './database'

export type DuckdbSinkOptions<N extends string = string, S = OwnSchema> = TableSinkOptions<N, S> & {
  /**
   * Limit of DuckDB's own memory, in bytes. The process takes up to 300 MiB beside it. Beyond it
   * DuckDB writes temporary files beside the database. Default: 160 MiB. Bounds: at least 64 MiB.
   */
  readonly memoryBytes?: number
}

const NAME = 'duckdb'
const OPTIONS = {
  ...TABLE_OPTIONS,
  memoryBytes: [is.wholeNumber(LEAST_BYTES), MEMORY_BYTES],
} satisfies OptionTable<DuckdbSinkOptions>

/**
 * Makes a sink that writes a table of a DuckDB file in one transaction, so that the table appears
 * with all rows when the pipeline has succeeded, and a failure leaves the file as it was, or a new
 * file without the table; after a COMMIT without an answer the error has `mayBeCommitted`. The types
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
  const { memoryBytes, ...table } = readOptions(options as DuckdbSinkOptions, OPTIONS)
  databasePath(path)
  return tableSink(
    {
      name: NAME,
      target: path,
      file: path,
      // The index of a primary key would have to fit into memory.
      hasPrimaryKey: false,
      ...CASELESS_NAMES,
      nameFault: name => (name === '' ? 'it is empty' : undefined),
      formOf,
      formIn,
      open: () =>
        duckdbTable(table.table, () => Database.open(path, { memoryBytes, threads: THREADS })),
    },
    table,
  )
}

function formOf(spec: ColumnSpec): ColumnForm {
  return { sql: sqlTypeOf(arrowTypeOf(spec)), convert: cellConverter(spec) }
}

/** DuckDB would round and cut on its way into a column of another type. */
function formIn({ spec, form }: PlannedColumn, to: string): ColumnForm {
  if (plain(to) === plain(form.sql)) return form
  const cast = { to, own: form.sql }
  // Structs and arrays have a text of DuckDB's own only.
  if (!isScalar(arrowTypeOf(spec))) return { ...form, cast }
  const convert = (value: unknown) => {
    const converted = form.convert(value)
    return converted instanceof Date ? converted.toISOString() : textOf(converted)
  }
  return { sql: TEXT, convert, cast }
}

const TEXT = 'VARCHAR'
const plain = (type: string) => type.replace(/[ "]/g, '')
const textOf = (value: unknown) => (value === UNFIT || value === null ? value : cellText(value))
const isScalar = ({ kind }: ArrowType) => kind !== 'list' && kind !== 'struct'

function duckdbTable(table: string, open: () => Promise<Database>): TableDatabase {
  let database: Database | undefined
  let inserter: ChunkInserter | undefined
  const run = (sql: string) => database!.run(sql)
  const close = async () => {
    await database?.close()
    database = undefined
  }
  return {
    begin: async () => {
      database = await open()
      await run('BEGIN')
    },
    run,
    find: async () => {
      // DuckDB finds a table whatever the case of its name.
      const rows = await database!.rows<{ readonly name: string; readonly type: string }>(
        `SELECT column_name AS name, data_type AS type FROM duckdb_columns()
         WHERE database_name = current_database() AND schema_name = 'main'
           AND lower(table_name) = lower(${sqlText(table)})`,
      )
      const columns = new Map(rows.map(({ name, type }) => [CASELESS_NAMES.foldName(name), type]))
      return {
        sqlTable: `${CATALOG}.main.${sqlIdentifier(table)}`,
        columns: rows.length === 0 ? undefined : columns,
      }
    },
    writerOf: async (plan, rows) => {
      const { columns, key, hasCasts } = plan
      const vectors = columns.map(column => [column.sqlName, vectorTypeOf(typeIn(column))] as const)
      if (key.length === 0 && !hasCasts) {
        inserter = await ChunkInserter.open(database!, plan.table, vectors)
        return columnWriter(inserter, columns, rows)
      }
      await run(`CREATE TEMP TABLE ${ARRIVED} AS ${noRowsOf(columns)}`)
      inserter = await ChunkInserter.open(database!, ARRIVED, [...vectors, [PLACE, 'BIGINT']])
      const end = async () => {
        const one = async <T>(sql: string) => (await database!.rows<T>(sql))[0]
        await checkCasts(ARRIVED, columns, async sql => (await one<{ cell: string }>(sql))?.cell)
        if (key.length > 0) await run(keepLasts(plan))
        const count = await one<{ keys: bigint }>(`SELECT count(*) AS keys FROM ${ARRIVED}`)
        await run(`${merge(plan)}; DROP TABLE ${ARRIVED}`)
        return Number(count!.keys)
      }
      const { writeBatch, ...byRow } = columnWriter(inserter, columns, rows, end)
      // Columns have the layout of their own types.
      return hasCasts ? byRow : { ...byRow, writeBatch }
    },
    commit: async () => {
      await run('COMMIT')
      await close()
    },
    abort: async () => {
      database?.interrupt()
      await inserter?.settled()
      // The transaction ends with the connection.
      await database?.run('ROLLBACK').catch(() => {})
      await close()
    },
  }
}

/** Writes rows with their columns, and behind these the places of rows that have a key. */
function columnWriter(
  inserter: ChunkInserter,
  columns: readonly PlannedColumn[],
  rows: TableRows,
  merge?: () => Promise<number>,
) {
  const types = columns.map(typeIn)
  const newLists = () => columns.map((): unknown[] => [])
  /** Rows that came as values, a list for each column. */
  let values = newLists()
  let place = 0
  const add = (data: readonly ColumnData[], count: number) => {
    if (merge === undefined) return inserter.add(data, count)
    const places = Array.from({ length: count }, () => ++place)
    return inserter.add([...data, columnData(INT64, places)], count)
  }
  const addValues = () => {
    const lists = values
    values = newLists()
    const data = lists.map((list, n) => dataOfValues(types[n]!, list))
    return add(data, lists[0]!.length)
  }
  return {
    write(row) {
      row.forEach((value, n) => {
        values[n]!.push(value)
      })
      return values[0]!.length === CHUNK_ROWS ? addValues() : undefined
    },
    async writeBatch(batch) {
      await addValues()
      await add(rows.columnsOf(batch), batch.length)
    },
    async end() {
      await addValues()
      await inserter.close()
      return merge?.()
    },
  } satisfies RowWriter
}

const INT64: ArrowType = { kind: 'int64' }
const UTF8: ArrowType = { kind: 'utf8' }

/** The type of the column's vectors, which are texts where SQL casts them. */
function typeIn({ spec, form }: PlannedColumn): ArrowType {
  return form.cast !== undefined && form.sql === TEXT ? UTF8 : arrowTypeOf(spec)
}

/** The rows of a run that wait for their places or casts. No table of the file has this name. */
const ARRIVED = 'temp.main.feedmill_arrived'
/** The column with the number of a row, which no file can have. */
const PLACE = `feedmill_place_${randomBytes(8).toString('hex')}`

/** Returns a query of the columns and of the place without a row. */
function noRowsOf(columns: readonly PlannedColumn[]): string {
  const values = columns.map(
    ({ sqlName, form }) => `NULL::${form.sql} AS ${sqlIdentifier(sqlName)}`,
  )
  return `SELECT ${values.join(', ')}, NULL::BIGINT AS ${PLACE} LIMIT 0`
}

/** Keeps the last row of each key. */
function keepLasts(plan: TablePlan): string {
  return `DELETE FROM ${ARRIVED} WHERE ${PLACE} NOT IN (
    SELECT max(${PLACE}) FROM (SELECT ${castsOf(plan.columns)}, ${PLACE} FROM ${ARRIVED})
    GROUP BY ${namesOf(plan.key)}
  )`
}

/** Each row, the last of its key, takes the place of the one that stands, or is added. */
function merge(plan: TablePlan): string {
  const { table, columns, key } = plan
  const names = namesOf(columns)
  const rows = `(SELECT ${castsOf(columns)} FROM ${ARRIVED})`
  if (key.length === 0) return `INSERT INTO ${table} (${names}) FROM ${rows}`
  const others = columns.filter(column => !key.includes(column))
  return `
    MERGE INTO ${table} AS old USING ${rows} AS new USING (${namesOf(key)})
    ${others.length === 0 ? '' : `WHEN MATCHED THEN UPDATE SET ${newValues(others, 'new')}`}
    WHEN NOT MATCHED THEN INSERT BY NAME`
}
