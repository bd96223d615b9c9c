// What a database does for a target in SQL. Everything else is the same in all of them: the tables,
// the ledger, the merge, and what a file counts.

import type { ColumnSpec } from '../../../engine/index'
import type { Category } from '../../file-id'
import type { TargetRows } from '../target'
import type { HeadType, RowTable, SqlNames } from './sql-tables'

export type SqlRow = Readonly<Record<string, unknown>>

/** How a database writes SQL. */
export interface SqlWords extends SqlNames {
  /** The column that says where a row stands, until another row is written. */
  readonly rowId: 'ctid' | 'rowid'
  readonly rowIdType: string
  /** The name of a table in SQL. */
  table(name: string): string
  /** The name of a table that this connection alone sees. */
  temporary(name: string): string
  /** @param isKey true for the column of the key */
  typeOf(spec: ColumnSpec, isKey: boolean): string
  headTypeOf(type: HeadType | 'boolean' | 'time'): string
  readonly restType: string
  /** Text behind the columns of a table of rows, such as its keys. */
  tableEnd(columns: readonly string[]): string
  /** The statement that makes the view `current_items`. */
  readonly currentItems: string
  /** Bytes of a key at most. A row with a longer one is a bad row. Default: any number. */
  readonly maxKeyBytes?: number
  /** The words of a refusal for what somebody else has made: the cure. */
  readonly elsewhere: string
}

/** A connection, or a transaction of it. */
export interface SqlConnection {
  /** Runs statements, and returns the rows of the last one. @throws FeedError STATE_IO */
  query(sql: string): Promise<readonly SqlRow[]>
  /** Returns the types of all columns by `table.column`, of the tables and views that are there. */
  columnTypes(): Promise<ReadonlyMap<string, string>>
  /** Opens the way of heads to the table in which they wait for the merge. */
  waiting(table: RowTable): Promise<RowWriter>
  /** Opens the way of rows into their table. */
  rows(table: RowTable, category: Category): Promise<RowWriter>
}

/** The way of rows into a table. One file after the other takes it. */
export interface RowWriter {
  /**
   * Adds rows, whose bytes may change afterwards.
   * @param first the place of the first row among the rows of its file that a database can have
   */
  add(rows: TargetRows, file: ArrivingFile, first: number): Promise<void>
  /** Ends behind the last row. */
  close(): Promise<void>
  /** Ends after a failure, without rows that are on their way. */
  abort(): Promise<void>
}

export interface ArrivingFile {
  /** The number of the file in the ledger. */
  readonly sequence: number
  /** The place of a file of a feed of one's own among those of its time. */
  readonly rank: string | undefined
}

/** A database that a run has opened. */
export interface SqlStore {
  /** Makes what the first transaction needs, one process at a time. */
  prepare<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T>
  /**
   * Takes the right to write a category for as long as the store is open.
   * @param onConnected called with each connection that the store makes, before any other work
   * @throws FeedError STATE_LOCKED
   */
  claim(
    category: Category,
    onConnected: (connection: SqlConnection) => Promise<void>,
  ): Promise<SqlCategory>
  close(): Promise<void>
}

/** The right to write a category. */
export interface SqlCategory {
  /** Reads. */
  read<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T>
  /**
   * Writes in one transaction, which a failure rolls back. Where a connection is lost the work is
   * done again: its commit may have succeeded all the same.
   */
  write<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T>
}

/** A text as a literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
