// What a database does for a target in SQL. Everything else is the same in all of them: the tables,
// the ledger, the merge, and what a file counts.

import type { ColumnSpec } from '../../../engine/index'
import type { Category } from '../../file-id'
import type { TargetFile } from '../target'
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
  headTypeOf(type: HeadType | 'time'): string
  readonly restType: string
  /** Text behind the columns of a table of rows, such as its keys. */
  tableEnd(columns: readonly string[]): string
  /** The statement that makes the view `current_items`. */
  readonly currentItems: string
  /** True where rows arrive in their table itself, and false where they are merged into it. */
  readonly arriveInPlace: boolean
  /** The words of a refusal for what somebody else has made: the cure. */
  readonly elsewhere: string
}

/** A connection, or a transaction of it. */
export interface SqlConnection {
  /** Runs statements, and returns the rows of the last one. @throws FeedError STATE_IO */
  query(sql: string): Promise<readonly SqlRow[]>
  /** Returns the types of all columns by `table.column`, of the tables and views that are there. */
  columnTypes(): Promise<ReadonlyMap<string, string>>
  /**
   * Writes rows to where they wait for the merge.
   * @param sequence the number of the first file
   */
  load(
    table: RowTable,
    category: Category,
    files: readonly TargetFile[],
    sequence: number,
  ): Promise<readonly LoadedFile[]>
  /**
   * Writes the rows of a full file to a table without rows of its category. Returns undefined, and
   * has written nothing, where the file has a key twice or a removal. A database without this method
   * has no shorter way.
   */
  fill?(
    table: RowTable,
    category: Category,
    file: TargetFile,
    sequence: number,
  ): Promise<LoadedFile | undefined>
}

/** What a file has brought to where its rows wait. */
export interface LoadedFile {
  readonly rows: number
  readonly removals: number
  /** Rows that the database cannot have, because their keys are too long. */
  readonly refused: number
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
