// The tables that a target in SQL makes of the schema of a source. They have the same names and
// columns in every database. If you change a table, give FORMAT its next number, and also change
// src/guide/databases.md. A column that a schema gains is added to the tables of an earlier one.
//
//   <rows>      a row for each key that stands: the columns of the schema, then REST_COLUMNS
//   removals    the version of each key that was removed, so that no older row brings it back
//   files       the ledger
//   categories  up to when removals are forgotten, who writes, and the key and the version of the rows
//               of a feed of one's own, in columns that the first such feed adds
//   meta        the format, and the service of the rows

import {
  type ColumnSpec,
  type Columns,
  columnNames,
  itemColumns,
  itemGroupColumns,
  itemPriorityColumns,
  itemSnapshotColumns,
  optionInvalid,
} from '../../../engine/index'
import { rankOf } from '../../../state/index'
import type { RowRules } from '../../file/row-rules'
import { type FileId, isOwn } from '../../file-id'

/** The format that this program writes and reads. */
export const FORMAT = 4

/** A column of the schema, and its name in SQL. */
export interface TargetColumn {
  readonly name: string
  readonly sqlName: string
  readonly spec: ColumnSpec
}

/** A table of rows. */
export interface RowTable {
  readonly name: string
  /** The column of the key. */
  readonly key: TargetColumn
  readonly columns: readonly TargetColumn[]
  /** What a row has before its cells, by name. */
  readonly heads: readonly HeadName[]
  /** The columns of {@link heads} that decide which of two rows is newer, in their order. */
  readonly order: readonly (HeadName | 'removed')[]
  /** True where a row of a later file may lose to one of an earlier file. */
  readonly hasVersions: boolean
}

/** The types of what a row has before its cells. Names are compared byte by byte. */
const HEADS = {
  marketplace: 'name',
  feed_category: 'name',
  /** The number of the file in the ledger. */
  file: 'integer',
  time_ms: 'bigint',
  generated_ms: 'bigint',
  checksum: 'bigint',
  /** Of a feed of one's own: the place of the file among those of its time, and that of the row. */
  file_rank: 'name',
  file_row: 'bigint',
} as const
export type HeadName = keyof typeof HEADS
export type HeadType = (typeof HEADS)[HeadName]

const SERVICE_HEADS = [
  'marketplace',
  'feed_category',
  'file',
  'time_ms',
  'generated_ms',
  'checksum',
] as const
const SERVICE_ORDER = ['time_ms', 'removed', 'generated_ms', 'checksum'] as const
const OWN_ORDER = ['time_ms', 'generated_ms', 'file_rank', 'file_row'] as const

export function headType(name: HeadName): HeadType {
  return HEADS[name]
}

/**
 * The columns behind those of the schema: the texts of cells of columns that it does not have, and
 * of cells that the type of their column cannot hold. So no row is lost for a cell.
 */
export const REST_COLUMNS = ['other', 'invalid'] as const

/** The tables beside those of rows. */
export const OWN_TABLES = ['removals', 'files', 'categories', 'meta'] as const
/** Names that the table of a feed of one's own does not get. */
const TAKEN_TABLES: readonly string[] = [...OWN_TABLES, 'current_items']

/** What a database says of the names in it. */
export interface SqlNames {
  /** The name of the target in messages. */
  readonly name: string
  /** Returns why no column can have the name; undefined where one can. */
  nameFault?(name: string): string | undefined
  /** Returns why no table can have the name; undefined where one can. */
  tableFault?(name: string): string | undefined
}

/** Returns a name as SQL has it without quotes: `price_value` for `priceValue`. */
export function columnNameOf(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()
}

/**
 * Returns the name of the table of a feed of one's own. A name that a target needs itself has an
 * underline behind it, as such a column has.
 */
export function tableNameOf(feed: string): string {
  const name = columnNameOf(feed).replaceAll('-', '_')
  return TAKEN_TABLES.includes(name) ? `${name}_` : name
}

/** The tables of the service's rows. @throws FeedError OPTION_INVALID */
export function serviceTables(names: SqlNames): readonly RowTable[] {
  const table = (name: string, key: string, columns: Columns) =>
    rowTable(names, { name, key, columns, heads: SERVICE_HEADS, order: SERVICE_ORDER })
  return [
    table('items', 'itemId', { ...itemColumns, ...itemSnapshotColumns }),
    table('item_groups', 'itemGroupId', itemGroupColumns),
    table('priorities', 'itemId', itemPriorityColumns),
  ]
}

/** The table of a feed of one's own. @throws FeedError OPTION_INVALID */
export function ownTable(names: SqlNames, feed: string, rules: RowRules): RowTable {
  const heads = Object.keys(HEADS) as HeadName[]
  const { key, version, schema } = rules
  const fault = names.tableFault?.(tableNameOf(feed))
  if (fault !== undefined)
    throw optionInvalid('source.name', `a name for a table in ${names.name}: ${fault}`, feed)
  return rowTable(
    names,
    { name: tableNameOf(feed), key, columns: schema.columns, heads, order: OWN_ORDER },
    version !== undefined,
  )
}

function rowTable(
  names: SqlNames,
  parts: Pick<RowTable, 'name' | 'heads' | 'order'> & { key: string; columns: Columns },
  hasVersions = false,
): RowTable {
  const { columns, key, ...rest } = parts
  const taken = new Set<string>([...rest.heads, ...REST_COLUMNS, 'removed'])
  const rules = {
    name: names.name,
    columnName: (heading: string) => {
      const name = columnNameOf(heading)
      return taken.has(name) ? `${name}_` : name
    },
    foldName: columnNameOf,
    ...(names.nameFault && { nameFault: (name: string) => names.nameFault!(name) }),
  }
  const sqlNames = columnNames(rules, Object.keys(columns))
  const all = Object.entries(columns).map(([name, spec], n) => ({
    name,
    sqlName: sqlNames[n]!,
    spec,
  }))
  return { ...rest, key: all.find(({ name }) => name === key)!, columns: all, hasVersions }
}

/** The table of the rows of a file. */
export function tableOfFile(tables: readonly RowTable[], id: FileId): RowTable {
  if (isOwn(id)) return tables[0]!
  const name =
    id.feed === 'item_group' ? 'item_groups' : id.feed === 'item_priority' ? 'priorities' : 'items'
  return tables.find(table => table.name === name)!
}

/** The place of a file among those of its time; undefined for the service, which has no such place. */
export function fileRankOf(id: FileId): string | undefined {
  return isOwn(id) ? rankOf(id) : undefined
}

/** The heads that differ from file to file or from row to row. */
export function ownHeads({ heads }: RowTable): readonly HeadName[] {
  return heads.slice(2)
}

/** The columns of the table in which heads wait for the merge, in their order, with their types. */
export function waitingColumns(
  table: RowTable,
): readonly (readonly [string, HeadType | 'boolean'])[] {
  const heads = ownHeads(table).map(name => [name, headType(name)] as const)
  return [['key', 'name'], ['removed', 'boolean'], ['place', 'bigint'], ...heads]
}

/** The name of the table in which the heads of rows of a table wait for the merge. */
export function waitingTable(
  { temporary }: { temporary(name: string): string },
  { name }: RowTable,
): string {
  return temporary(`feedmill_${name}`)
}
