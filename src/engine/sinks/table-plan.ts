// The table of a sink, which the sinks of databases share: its options and their checks, its columns
// and its key, and the statements that all databases understand. table-rows.ts makes the values of
// rows for it, and table-sink.ts writes them; what only one database has is in its sink.

import { invalidCell } from '../codec/kinds/kind-of-cells'
import type { Row } from '../codec/row-batch'
import { FeedError } from '../errors'
import { is, type OptionTable, optionInvalid, type Read } from '../options'
import type { ElementOf } from '../pipeline/batch'
import type { ColumnSpec } from '../schema/column-spec'
import type { FeedSchema } from '../schema/feed-schema'
import type { BadCellPolicy } from '../stages/bad-cell-policy'
import { type ColumnRename, checkedRename } from './column-names'
import type { ColumnOf } from './csv-columns'

const MODES = ['create', 'replace', 'append', 'upsert'] as const

/** The schema of a sink's own; undefined where its rows have theirs. */
export type OwnSchema = FeedSchema | undefined

/** @typeParam N the names of columns. @typeParam S the schema */
export type TableSinkOptions<N extends string = string, S = FeedSchema | undefined> = TableParts<
  N,
  S
> &
  (
    | { readonly mode?: 'create' | 'replace' }
    | { readonly mode: 'append'; readonly key?: never }
    | { readonly mode: 'upsert'; readonly key: readonly N[] }
  )

interface TableParts<N extends string, S> {
  /** The name of the table. */
  readonly table: string
  /**
   * What happens to a table that is there: `create` refuses it, `replace` replaces it, `append`
   * adds rows to it, and `upsert` puts each row in the place of the one with its key, or adds it.
   * The last two make a missing table. A file without rows makes an empty table of its header line.
   * Where nothing says the columns, as in a run without a file and without `schema`, no table is
   * made, and `replace` removes the one that is there. Default: `create`.
   */
  readonly mode?: (typeof MODES)[number]
  /**
   * The columns that tell the rows apart, which are never empty. Of several rows of one key the
   * last one counts. A new table has them as its primary key, but in DuckDB. `upsert` needs them,
   * and needs a unique index of them in SQLite and PostgreSQL; `append` refuses them.
   * Default: none.
   */
  readonly key?: readonly N[]
  /**
   * The schema of the columns. It is required where plain objects are written, and a property that
   * it lacks is refused; rows of a parser have their own. Default: that of the rows.
   */
  readonly schema?: S
  /** The columns of the table, in their order. Default: all columns. */
  readonly columns?: readonly N[]
  /**
   * The names of columns in the table, by their headings, as in `{ '': 'note', Price: 'price_eur' }`.
   * The other options name headings. A name is taken as it is, in PostgreSQL too. Names that the
   * database cannot have, or takes for the same, are OPTION_INVALID before anything is made in it.
   * Default: none.
   */
  readonly rename?: undefined extends S ? ColumnRename : { readonly [Heading in N]?: string }
  /**
   * What happens to a cell that is no value of its column, or that the type of the database cannot
   * hold. A NOT NULL column takes no empty value in its place, and a quarantine takes rows of a
   * parser only: these end the run. Default: `throw`.
   */
  readonly onBadCell?: BadCellPolicy
}

/**
 * The names that the options of a table may have, where the caller writes `N`: columns of the schema,
 * or of the rows without one. A name of type `string` may be any column.
 */
export type TableName<T, N extends string, S> = string extends N
  ? N
  : [S] extends [FeedSchema<infer C>]
    ? keyof C & string
    : ColumnOf<T>

/** The items that a table takes. Objects that the schema does not describe are a compile error. */
export type TableItem<T, S> =
  unknown extends ElementOf<T>
    ? T
    : ElementOf<T> extends Row<infer _>
      ? T
      : undefined extends S
        ? [keyof ElementOf<T>] extends [never]
          ? T
          : 'plain objects need the option schema'
        : S extends FeedSchema<infer C>
          ? LossOf<ElementOf<T>, C> extends never
            ? T
            : `the schema has no column ${LossOf<ElementOf<T>, C> & string}`
          : T

/** The properties of an object that are no columns, where its type has their names. */
type LossOf<E, C> = E extends unknown
  ? string extends keyof E
    ? never
    : Exclude<keyof E, keyof C>
  : never

export const TABLE_OPTIONS = {
  table: is.filledText,
  mode: [is.choice(...MODES), 'create'],
  key: [checkedNames],
  schema: is.any,
  columns: [checkedNames],
  rename: [checkedRename],
  onBadCell: is.any,
} satisfies OptionTable<TableSinkOptions>

export type TableSettings = Read<TableSinkOptions, typeof TABLE_OPTIONS>

/** The value of a cell that the type of its column cannot hold. */
export const UNFIT = Symbol('unfit')

/** How a database has the cells of a column. */
export interface ColumnForm {
  /** The type as SQL names it. */
  readonly sql: string
  /** Makes a cell that is not null into what the database takes, or UNFIT. */
  convert(value: unknown): unknown
  /**
   * The type that the column of a table has already, where SQL casts the cells, and the type of
   * cells of their kind, in which both are compared.
   */
  readonly cast?: { readonly to: string; readonly own: string }
}

export interface TableColumn {
  readonly name: string
  readonly spec: ColumnSpec
}

/** A column of the table. */
export interface PlannedColumn extends TableColumn {
  /** The name in the database. */
  readonly sqlName: string
  readonly form: ColumnForm
  /** True where the column is NOT NULL. */
  readonly isRequired: boolean
}

export interface TablePlan {
  /** The name of the table as SQL has it. */
  readonly table: string
  readonly columns: readonly PlannedColumn[]
  /** The columns of the key; none where the table has no key. */
  readonly key: readonly PlannedColumn[]
  /** True where cells wait in a table of the run until SQL has cast and compared them. */
  readonly hasCasts: boolean
}

/** @throws FeedError OPTION_INVALID, for a database in memory too, which ends with the run */
export function databasePath(path: string): string {
  if (!/^(?::memory:|file:)/.test(is.filePath('path', path))) return path
  throw optionInvalid('path', 'the path of a file, not an address or a database in memory', path)
}

/** @throws FeedError OPTION_INVALID unless the key fits the mode */
export function checkKey({ mode, key }: TableSettings): void {
  if (mode === 'upsert' && key === undefined)
    throw optionInvalid('key', 'the columns that tell rows apart, which upsert needs', key)
  if (mode === 'append' && key !== undefined)
    throw optionInvalid('key', 'left out, because append changes no row', key)
}

/** @throws FeedError OPTION_INVALID */
export function checkedNames(option: string, columns: readonly string[]): readonly string[] {
  const isList =
    Array.isArray(columns) && columns.length > 0 && columns.every(name => typeof name === 'string')
  if (!isList) throw optionInvalid(option, 'a list of one column name or more', columns)
  const repeated = columns.find((name, n) => columns.indexOf(name) !== n)
  if (repeated !== undefined) throw optionInvalid(option, 'a list of names that differ', repeated)
  // The copy keeps later changes of the caller's list out.
  return [...columns]
}

/** Returns the name as a quoted identifier. */
export function sqlIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Returns the names of the columns, between commas. */
export function namesOf(columns: readonly PlannedColumn[]): string {
  return columns.map(({ sqlName }) => sqlIdentifier(sqlName)).join(', ')
}

/** Returns the columns with their types, as CREATE TABLE takes them. */
export function definitionsOf(columns: readonly PlannedColumn[]): string[] {
  return columns.map(
    ({ sqlName, form, isRequired }) =>
      `${sqlIdentifier(sqlName)} ${form.sql}${isRequired ? ' NOT NULL' : ''}`,
  )
}

/** Returns the columns, each with its new value from the row `source`. */
export function newValues(columns: readonly PlannedColumn[], source: string): string {
  return columns
    .map(({ sqlName }) => `${sqlIdentifier(sqlName)} = ${source}.${sqlIdentifier(sqlName)}`)
    .join(', ')
}

/**
 * Returns the end of an INSERT that puts rows in the places of those of their keys. The key is among
 * the new values, so that a row of a key alone counts as written too.
 */
export function onConflict({ columns, key }: TablePlan): string {
  if (key.length === 0) return ''
  return `ON CONFLICT (${namesOf(key)}) DO UPDATE SET ${newValues(columns, 'excluded')}`
}

/** Returns the columns of waiting rows with their casts, between commas. */
export function castsOf(columns: readonly PlannedColumn[]): string {
  return columns
    .map(({ sqlName, form: { cast } }) => {
      const name = sqlIdentifier(sqlName)
      return cast === undefined ? name : `CAST(${name} AS ${cast.to}) AS ${name}`
    })
    .join(', ')
}

/**
 * Looks for a waiting cell that its column would change: which does not cast, or whose value in the
 * type of the column is another one. So each mode of a sink refuses what would be rounded or cut.
 * @param waiting the table of the rows in SQL
 * @param query returns the cell in the column `cell` of a query, where there is one
 * @throws FeedError CELL_INVALID
 */
export async function checkCasts(
  waiting: string,
  columns: readonly PlannedColumn[],
  query: (sql: string) => Promise<string | undefined>,
): Promise<void> {
  for (const { name, sqlName, spec, form } of columns) {
    if (form.cast === undefined) continue
    const column = sqlIdentifier(sqlName)
    const sql = `SELECT CAST(${column} AS VARCHAR) AS cell FROM ${waiting} WHERE NOT (${keptBy(column, form.cast)}) LIMIT 1`
    let cause: FeedError | undefined
    const cell = await query(sql).catch(error => {
      // What does not cast at all fails the query, which does not say in which row.
      if (!FeedError.is(error) || error.retryable) throw error
      cause = error
      return ''
    })
    if (cell === undefined) continue
    const reason = `it does not fit the column of the table, which is ${form.cast.to}`
    const { message, context } = invalidCell(spec.type, reason, cell)
    const text = `${name}: ${message}${cause ? ` (${(cause as FeedError).message})` : ''}`
    throw new FeedError('CELL_INVALID', text, { ...context, column: name }, { cause })
  }
}

const TEXT_TYPE = /^(?:text|varchar)$/i
const SCALED_TYPE = /^(?:numeric|decimal)\(/i
const TIME_TYPE = /^(?:timestamp|date)/i
/** A time in UTC or without a zone, which means the same on every server. */
const TIME = '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z?'

/** Returns a condition that is true or unknown where the cell stays what it is. */
function keptBy(cell: string, { to, own }: { readonly to: string; readonly own: string }): string {
  const cast = `CAST(${cell} AS ${to})`
  // The column writes zeros behind the number, up to its scale.
  if (TEXT_TYPE.test(own) && SCALED_TYPE.test(to))
    return `starts_with(CAST(${cast} AS VARCHAR), ${cell})`
  // A reader may take the value or its text, which is not the whole number of a short float.
  const isSame = [cast, `CAST(${cast} AS VARCHAR)`]
    .map(read => `CAST(${read} AS ${own}) = CAST(${cell} AS ${own})`)
    .join(' AND ')
  if (!TEXT_TYPE.test(own) || !TIME_TYPE.test(to)) return isSame
  const instant = `CAST(${cell} AS timestamptz) = CAST(${cast} AS timestamptz)`
  return `CASE WHEN ${cell} SIMILAR TO '${TIME}' THEN ${instant} ELSE ${isSame} END`
}
