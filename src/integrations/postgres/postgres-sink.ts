// A sink that writes the rows of a pipeline to a table of PostgreSQL, in one transaction.

import { randomBytes } from 'node:crypto'
import {
  type BoundHeader,
  type ColumnForm,
  type Columns,
  castsOf,
  checkCasts,
  definitionsOf,
  is,
  namesOf,
  type OptionTable,
  type OwnSchema,
  onConflict,
  optionInvalid,
  type PlannedColumn,
  type RowBatch,
  readOptions,
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
import { columnNameOf } from '../../sync/index'
import { addressOf, type PostgresConnectionInput } from './address'
import { sinkRows } from './copy-rows'
import { LIMITS, PgConnection, type PostgresLimits } from './pg-adapter'
import { columnFault, sqlName } from './sql-names'
import { columnFormOf } from './sql-types'
import { TableCopy } from './table-copy'

/** Times are in milliseconds. */
export type PostgresSinkOptions<N extends string = string, S = OwnSchema> = TableSinkOptions<N, S> &
  Partial<PostgresLimits>

const NAME = 'postgres'
const OPTIONS = {
  ...TABLE_OPTIONS,
  table: plainName,
  ...LIMITS,
} satisfies OptionTable<PostgresSinkOptions>

/**
 * Makes a sink that writes a table in one transaction: all rows become visible when the pipeline
 * has succeeded, or none. It needs the packages pg and pg-copy-streams.
 *
 * A column has the name of the feed in small letters (`price_value` for `priceValue`), with the
 * type of its kind: a decimal is numeric, a list an array, and pairs, regions and JSON are jsonb. An
 * empty list is NULL. What PostgreSQL does not hold is a bad cell: NUL, half of a surrogate pair, and
 * JSON of more than 4,000 levels. The table is in the schema that the parameter `schema` of the
 * address names, or else where the session looks for it, which is the schema `public` by default.
 * @param connection a URL, or its parts; PGPASSWORD or PGPASSFILE has the password
 * @throws FeedError OPTION_INVALID at the call, and for headings that no table can have;
 * DEPENDENCY_MISSING; STATE_FOREIGN for a table that lacks a column of the rows; SINK_VALUE_INVALID
 * for a value that is no row; CELL_INVALID by `onBadCell`; COLUMN_UNKNOWN also for a property that
 * the schema lacks; SINK_FAILED, which is retryable where the connection was lost before COMMIT,
 * and has `mayBeCommitted` where it was lost behind it
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
  const { connectTimeoutMs, lockTimeoutMs, statementTimeoutMs, ...table } = readOptions(
    options as PostgresSinkOptions,
    OPTIONS,
  )
  const limits = { connectTimeoutMs, lockTimeoutMs, statementTimeoutMs }
  const { schema, prefix = '' } = address.tables
  const name = sqlIdentifier(sqlName('table', prefix + table.table))
  const place = schema === undefined ? '' : `${sqlIdentifier(sqlName('schema', schema))}.`
  return tableSink(
    {
      name: NAME,
      target: `${address.name} ${place}${name}`,
      hasPrimaryKey: true,
      columnName: columnNameOf,
      foldName: columnName => columnName,
      nameFault: columnFault,
      formOf: columnFormOf,
      formIn,
      open: () => postgresTable(place, name, signal => PgConnection.open(address, limits, signal)),
    },
    table,
  )
}

function plainName(option: string, name: string): string {
  if (!is.filledText(option, name).includes('.')) return name
  const expected = 'a name without a point: the parameter schema of the address names the schema'
  throw optionInvalid(option, expected, name)
}

/** The rows of a run that wait for their places or casts, which only its session sees. */
const ARRIVED = 'pg_temp.feedmill_arrived'
/** The place of a row, beside columns of any name. */
const PLACE = `feedmill_place_${randomBytes(8).toString('hex')}`

/** A COPY and an INSERT convert differently, and round and cut: one cast of the text does for both. */
function formIn({ form }: PlannedColumn, to: string): ColumnForm {
  const own = form.sql.replace('timestamptz', 'timestamp with time zone').replaceAll(' ', '')
  if (own === to.replaceAll(' ', '')) return form
  return { sql: 'text', convert: value => form.convert(value), cast: { to, own: form.sql } }
}

/** @param place the schema with a point; empty where the session looks for the table */
function postgresTable(
  place: string,
  name: string,
  connect: (signal: AbortSignal) => Promise<PgConnection>,
): TableDatabase {
  const abort = new AbortController()
  let connection: PgConnection | undefined
  const run = (sql: string, values?: readonly unknown[]) => connection!.query(sql, values)
  const copyInto = (table: string, columns: readonly PlannedColumn[], rows: TableRows) => {
    const names = columns.map(({ sqlName }) => sqlName)
    const rowsOf = (header: BoundHeader<Columns>) => sinkRows(header, columns, rows)
    const copy = new TableCopy(connection!, { table, rowsOf })
    return {
      write: (values: readonly unknown[]) => copy.writeValues(names, values),
      writeBatch: (batch: RowBatch<Columns>) => copy.writeBatch(batch),
      end: () => copy.end().then(() => undefined),
    }
  }
  return {
    begin: async () => {
      connection = await connect(abort.signal)
      await run('BEGIN')
    },
    run,
    find: async () => {
      const [found] = await run(
        `SELECT c.oid, format('%I.%I', n.nspname, c.relname) AS place,
           c.relispartition AS is_part, EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid) AS has_parts
         FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE c.oid = to_regclass($1)`,
        [place + name],
      )
      if (found === undefined) {
        // Unless it is named, a table of the session would stand before that of the schema.
        const [own] = await run('SELECT quote_ident(current_schema()) AS place')
        return { sqlTable: (place === '' && own?.place != null ? `${own.place}.` : place) + name }
      }
      const rows = await run(
        `SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
         WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped`,
        [found.oid],
      )
      const columns = new Map(rows.map(({ attname, type }) => [String(attname), String(type)]))
      const part = found.is_part ? 'it is a part of another table' : undefined
      const dependents = found.has_parts ? 'other tables are parts of it' : part
      return { sqlTable: String(found.place), columns, dependents }
    },
    writerOf: async (plan, rows) => {
      const { columns, key, hasCasts } = plan
      if (key.length === 0 && !hasCasts) return copyInto(plan.table, columns, rows)
      await run(
        `CREATE TEMP TABLE feedmill_arrived (${definitionsOf(columns).join(', ')}) ON COMMIT DROP`,
      )
      const arrived = copyInto(ARRIVED, columns, rows)
      const end = async () => {
        await arrived.end()
        await checkCasts(ARRIVED, columns, async sql => {
          const [found] = await run(sql)
          return found && String(found.cell)
        })
        const [merged] = await run(merge(plan))
        return Number(merged!.keys)
      }
      return { ...arrived, end }
    },
    commit: async () => {
      await run('COMMIT')
      await connection!.end()
    },
    // The server rolls back when its connection ends.
    abort: () => {
      abort.abort()
      connection?.destroy()
    },
  }
}

/** The last row of each key takes the place of the one that stands, or is added. */
function merge(plan: TablePlan): string {
  const names = namesOf(plan.columns)
  const key = namesOf(plan.key)
  const hasKey = plan.key.length > 0
  // The system column `ctid` has the order in which the rows were copied.
  return `
    WITH merged AS (INSERT INTO ${plan.table} (${names})
    SELECT ${hasKey ? `DISTINCT ON (${key})` : ''} ${names}
    FROM (SELECT ${castsOf(plan.columns)}, ctid AS ${PLACE} FROM ${ARRIVED}) AS arrived
    ORDER BY ${hasKey ? `${key}, ` : ''}${PLACE} ${hasKey ? 'DESC' : ''}
    ${onConflict(plan)} RETURNING 1)
    SELECT count(*) AS keys FROM merged`
}
