// A sink that appends the rows of a pipeline to a table of PostgreSQL, in one transaction.

import type { BoundHeader, Columns, RowBatch, Sink } from '../../engine/index'
import {
  type AnyFeedError,
  FeedError,
  filledText,
  knownOptions,
  type OptionNames,
  rowBatch,
  sinkFailed,
} from '../../engine/index'
import { addressOf, type PostgresConnectionInput } from './address'
import { CopyRows } from './copy-rows'
import { checkedLimits, LIMIT_NAMES, PgConnection, type PostgresLimits } from './pg-adapter'
import { quoted, sqlName } from './sql-names'
import { type SqlColumn, sqlColumnsOf, sqlTypeOf } from './sql-types'
import { TableCopy } from './table-copy'
import { columnsOf, foreign } from './tables'

/** Times are in milliseconds. */
export interface PostgresSinkOptions extends Partial<PostgresLimits> {
  /** The table, which is made of the schema of the rows where it is missing. */
  readonly table: string
  /**
   * The schema of the table, which has to be there. Default: the parameter `schema` of the address,
   * or `public`.
   */
  readonly schema?: string
}

const NAME = 'postgres'
const OPTIONS: OptionNames<PostgresSinkOptions> = {
  table: true,
  schema: true,
  ...LIMIT_NAMES,
}

/**
 * Makes a sink that appends rows to a table, in one transaction: all rows become visible when the
 * pipeline has succeeded, or none. It needs the packages pg and pg-copy-streams.
 *
 * The table has a column for each column of the schema of the rows (`price_value` for
 * `priceValue`), with its type, and the column `other` of the type jsonb with the cells of columns
 * that the schema does not know. A list is an array; pairs, regions and JSON are jsonb. A table
 * that is there is used as it is. PostgreSQL has no NUL in text: U+FFFD stands in its place.
 * @param connection a URL, or its parts; PGPASSWORD or PGPASSFILE has the password
 * @throws FeedError OPTION_INVALID at the call; DEPENDENCY_MISSING; CELL_INVALID for a cell that is
 * no value of its column; STATE_FOREIGN for a table that lacks a column of the rows; SINK_FAILED, which is retryable where the connection was lost
 * @example
 * ```ts
 * import { postgresSink } from 'feedmill/postgres'
 *
 * const sink = postgresSink('postgres://shop@db.example/shop', { table: 'items' })
 * console.log(sink.name)
 * // => postgres
 * ```
 */
export function postgresSink<C extends Columns>(
  connection: PostgresConnectionInput,
  options: PostgresSinkOptions,
): Sink<RowBatch<C>> {
  const address = addressOf(connection)
  const { table, schema = address.tables.schema ?? 'public' } = knownOptions(options, OPTIONS)
  const limits = checkedLimits(options)
  const fullTable = (address.tables.prefix ?? '') + filledText('table', table)
  const name = `${quoted(sqlName('schema', schema))}.${quoted(sqlName('table', fullTable))}`
  const typed = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      throw sinkError(`${address.name} ${name}`, cause)
    }
  }
  let writing: { readonly connection: PgConnection; readonly copy: TableCopy } | undefined
  let isInUse = false
  /** Runs that were refused and have not called `abort` yet, which must not end the run that writes. */
  let refused = 0
  return {
    name: NAME,
    open: () =>
      typed(async () => {
        if (isInUse) {
          refused++
          throw sinkFailed(NAME, name, 'another run of the same sink is writing it')
        }
        isInUse = true
        const connection = await PgConnection.open(address, limits)
        const rowsOf = (header: BoundHeader<Columns>) => rowsInto(connection, name, header)
        writing = { connection, copy: new TableCopy(connection, { table: name, head: [], rowsOf }) }
        await connection.query('BEGIN')
      }),
    write: batch => typed(async () => writing && write(writing.copy, rowBatch(NAME, batch))),
    prepare: () => typed(async () => writing?.copy.end()),
    commit: () =>
      typed(async () => {
        await writing?.connection.query('COMMIT')
        await writing?.connection.end()
        writing = undefined
        isInUse = false
      }),
    // The server rolls back when its connection ends.
    abort: () => {
      if (refused > 0) {
        refused--
        return
      }
      isInUse = false
      writing?.connection.destroy()
      writing = undefined
    },
  }
}

/** Makes the table of the schema of a header where it is missing. @throws FeedError STATE_FOREIGN */
async function rowsInto(
  connection: PgConnection,
  table: string,
  header: BoundHeader<Columns>,
): Promise<CopyRows> {
  const columns = sqlColumnsOf(header.schema.columns)
  await connection.query(createTable(table, columns))
  const rows = new CopyRows(header, columns, error => {
    throw error
  })
  const present = await columnsOf(connection, table)
  const missing = rows.columns.filter(name => !present.has(name))
  if (missing.length > 0)
    throw foreign(table, 'columns', missing.join(', '), 'those of another table', 'table')
  return rows
}

async function write(copy: TableCopy, batch: RowBatch<Columns>): Promise<void> {
  const writeCells = await copy.writer(batch)
  for (const { slot } of batch) {
    writeCells(slot)
    if (copy.endRow()) await copy.send()
  }
}

function createTable(table: string, columns: readonly SqlColumn[]): string {
  const all = columns.map(({ name, spec }) => `${quoted(name)} ${sqlTypeOf(spec)}`)
  return `CREATE TABLE IF NOT EXISTS ${table} (${[...all, 'other jsonb'].join(', ')})`
}

function sinkError(target: string, cause: unknown): AnyFeedError {
  if (!FeedError.is(cause) || cause.code !== 'STATE_IO') throw cause
  const { message, context } = sinkFailed(NAME, target, cause)
  const reason = cause.context.reason
  return new FeedError(
    'SINK_FAILED',
    message,
    { ...context, reason },
    { retryable: cause.retryable },
  )
}
