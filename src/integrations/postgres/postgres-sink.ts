// A sink that writes the rows of a pipeline to a table of PostgreSQL, in one transaction.

import {
  type ColumnNames,
  definitionsOf,
  filledText,
  freeName,
  knownOptions,
  namesOf,
  type OptionNames,
  type OwnSchema,
  onConflict,
  type PlannedColumn,
  type RowWriter,
  type Sink,
  sqlIdentifier,
  TABLE_OPTIONS,
  type TableDatabase,
  type TableItem,
  type TableName,
  type TablePlan,
  type TableRows,
  type TableSinkOptions,
  tableSink,
} from '../../engine/index'
import { addressOf, type PostgresConnectionInput } from './address'
import { sinkRows } from './copy-rows'
import { checkedLimits, LIMIT_NAMES, PgConnection, type PostgresLimits } from './pg-adapter'
import { columnFault, columnNameOf, sqlName } from './sql-names'
import { columnFormOf } from './sql-types'
import { TableCopy } from './table-copy'
import { columnsOf } from './tables'

/** Times are in milliseconds. */
export type PostgresSinkOptions<N extends string = string, S = OwnSchema> = TableSinkOptions<N, S> &
  Partial<PostgresLimits>

const NAME = 'postgres'
const OPTIONS: OptionNames<PostgresSinkOptions> = { ...TABLE_OPTIONS, ...LIMIT_NAMES }

/**
 * Makes a sink that writes a table in one transaction: all rows become visible when the pipeline
 * has succeeded, or none. It needs the packages pg and pg-copy-streams.
 *
 * A column has the name of the feed in small letters (`price_value` for `priceValue`), with the
 * type of its kind: a decimal is numeric, a list an array, and pairs, regions and JSON are jsonb. An
 * empty list is NULL. PostgreSQL has no NUL in text: U+FFFD stands in its place. The table is in the
 * schema that the parameter `schema` of the address names, or else where the session looks for it,
 * which is the schema `public` by default.
 * @param connection a URL, or its parts; PGPASSWORD or PGPASSFILE has the password
 * @throws FeedError OPTION_INVALID at the call, and for headings that no table can have;
 * DEPENDENCY_MISSING; STATE_FOREIGN for a table that lacks a column of the rows; SINK_VALUE_INVALID
 * for a value that is no row; CELL_INVALID by `onBadCell`; COLUMN_UNKNOWN also for a property that
 * the schema lacks; SINK_FAILED, which is retryable where the connection was lost
 * @example
 * ```ts
 * import { postgresSink } from 'feedmill/postgres'
 *
 * const sink = postgresSink('postgres://shop@db.example/shop', { table: 'items', mode: 'append' })
 * console.log(sink.name)
 * // => postgres
 * ```
 */
export function postgresSink<T, const N extends string = never, S extends OwnSchema = OwnSchema>(
  connection: PostgresConnectionInput,
  options: PostgresSinkOptions<TableName<NoInfer<T>, N, S>, S>,
): Sink<TableItem<T, S>> {
  const address = addressOf(connection)
  const { table } = knownOptions(options, OPTIONS)
  const limits = checkedLimits(options)
  const { schema, prefix = '' } = address.tables
  const name = sqlIdentifier(sqlName('table', prefix + filledText('table', table)))
  const place = schema === undefined ? '' : `${sqlIdentifier(sqlName('schema', schema))}.`
  return tableSink(
    {
      name: NAME,
      target: `${address.name} ${place}${name}`,
      sqlTable: place + name,
      hasPrimaryKey: true,
      columnName: columnNameOf,
      foldName: columnName => columnName,
      nameFault: columnFault,
      formOf: columnFormOf,
      open: () => new PostgresTable(() => PgConnection.open(address, limits), place + name),
    },
    options as TableSinkOptions,
  )
}

class PostgresTable implements TableDatabase {
  readonly #connect: () => Promise<PgConnection>
  readonly #table: string
  #connection: PgConnection | undefined

  constructor(connect: () => Promise<PgConnection>, table: string) {
    this.#connect = connect
    this.#table = table
  }

  async begin(): Promise<void> {
    this.#connection = await this.#connect()
    await this.run('BEGIN')
  }

  async run(sql: string): Promise<void> {
    await this.#connection!.query(sql)
  }

  async columnsOf(): Promise<ColumnNames> {
    const connection = this.#connection!
    const [found] = await connection.query('SELECT to_regclass($1) AS place', [this.#table])
    return found?.place == null ? undefined : columnsOf(connection, this.#table)
  }

  async writerOf(plan: TablePlan, rows: TableRows): Promise<RowWriter> {
    const { columns, key } = plan
    if (key.length === 0) return this.#copyInto(plan.table, columns, rows)
    // The rows of a run with a key, before they take the places of those of their keys. A session
    // finds its own table before others of the name.
    const own = freeName('feedmill_arrived', [plan.table.slice(1, -1)])
    await this.run(`CREATE TEMP TABLE ${own} (${definitionsOf(columns).join(', ')}) ON COMMIT DROP`)
    const arrived = this.#copyInto(`pg_temp.${own}`, columns, rows)
    return {
      ...arrived,
      end: async () => {
        await arrived.end()
        await this.run(merge(plan, `pg_temp.${own}`))
      },
    }
  }

  async commit(): Promise<void> {
    await this.run('COMMIT')
    await this.#connection!.end()
  }

  /** The server rolls back when its connection ends. */
  abort(): void {
    this.#connection?.destroy()
  }

  #copyInto(table: string, columns: readonly PlannedColumn[], rows: TableRows): RowWriter {
    const names = columns.map(({ sqlName }) => sqlName)
    const sqlColumns = columns.map(({ name, ...column }) => ({
      ...column,
      name: column.sqlName,
      feedName: name,
    }))
    const copy = new TableCopy(this.#connection!, {
      table,
      rowsOf: header => sinkRows(header, sqlColumns, rows),
    })
    return {
      write: values => copy.writeValues(names, values),
      writeBatch: batch => copy.writeBatch(batch),
      end: () => copy.end(),
    }
  }
}

/** The last row of each key takes the place of the one that stands, or is added. */
function merge(plan: TablePlan, arrived: string): string {
  const names = namesOf(plan.columns)
  const key = namesOf(plan.key)
  // The system column `ctid` has the order in which the rows were copied.
  return `
    INSERT INTO ${plan.table} (${names})
    SELECT DISTINCT ON (${key}) ${names} FROM ${arrived} ORDER BY ${key}, ctid DESC
    ${onConflict(plan)}`
}
