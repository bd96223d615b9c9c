// Binds a schema to the header line of one file: by column name, case-insensitive, never by
// position. Columns that the schema does not know stay readable under the name that the file gives
// them.

import { FeedError, type RowPosition } from '../../errors'
import { text } from '../../schema/column-kinds'
import { NamedColumns, spellingOf } from '../../schema/column-names'
import type { ColumnSpec } from '../../schema/column-spec'
import type { Columns, FeedSchema } from '../../schema/feed-schema'
import { ColumnLookup } from './column-lookup'
import type { CellRules } from './dialect'

/**
 * The most columns of a file: many times what any documented feed has. The limit bounds what a
 * hostile header costs for each row.
 */
export const MAX_COLUMNS = 4096

export interface BoundColumn {
  /** The schema's name, or the file's own for an unknown column. */
  readonly name: string
  /** The schema's column; a column of text for an unknown one. */
  readonly spec: ColumnSpec
  /** The column name as the file spells it. */
  readonly heading: string
  readonly known: boolean
}

export interface BoundHeader<C extends Columns = Columns> {
  readonly schema: FeedSchema<C>
  /** In file order. */
  readonly columns: readonly BoundColumn[]
  /** Columns of the file outside of the projection. A reader must not take them for empty ones. */
  readonly leftOut?: ReadonlyMap<string, BoundColumn>
  /** Columns of the schema that the file lacks, which read as empty. */
  readonly absent: ReadonlyMap<string, ColumnSpec>
  /** Column index by name. */
  readonly indexes: ColumnLookup
  /** How the rows write their cells; undefined where as in the documented files. */
  readonly cells?: CellRules
}

const TEXT = text()

/**
 * Binds the column names of a header line. A column name that is repeated binds once, and its later
 * copies are readable as `name#2`, `name#3` and so on; a required column must not be repeated.
 * @throws FeedError TSV_COLUMN_MISSING, TSV_COLUMN_REPEATED
 */
export function bindHeader<C extends Columns>(
  schema: FeedSchema<C>,
  columnNames: readonly string[],
  position: RowPosition,
): BoundHeader<C> {
  const spellings = spellingsOf(schema)
  const columns: BoundColumn[] = []
  const indexes = new Map<string, number>()
  const copies = new Map<string, number>()
  for (const columnName of columnNames) {
    const known = spellings.get(spellingOf(columnName))
    const column = boundColumn(schema, columnName, known, indexes, copies, position)
    indexes.set(column.name, columns.length)
    columns.push(column)
  }
  return {
    schema,
    columns,
    indexes: new ColumnLookup(indexes),
    absent: absentColumns(schema, indexes, position),
  }
}

/** Counts the column names of a header line that the schema knows. */
export function countKnownNames(schema: FeedSchema, columnNames: readonly string[]): number {
  const spellings = spellingsOf(schema)
  return columnNames.filter(name => spellings.has(spellingOf(name))).length
}

function boundColumn(
  schema: FeedSchema,
  columnName: string,
  known: string | undefined,
  indexes: ReadonlyMap<string, number>,
  copies: Map<string, number>,
  position: RowPosition,
): BoundColumn {
  const spec = known === undefined ? undefined : schema.columns[known]
  const wanted = known ?? columnName
  if (!indexes.has(wanted))
    return {
      name: wanted,
      spec: spec ?? TEXT,
      heading: columnName,
      known: spec !== undefined,
    }
  if (spec?.required) {
    throw new FeedError('TSV_COLUMN_REPEATED', `the header names ${wanted} twice`, {
      ...position,
      column: wanted,
    })
  }
  // The count goes on from the last copy: a search for a free number from 2 on would make the cost
  // quadratic for thousands of equal column names.
  let copy = copies.get(wanted) ?? 2
  while (indexes.has(`${wanted}#${copy}`)) copy++
  copies.set(wanted, copy + 1)
  return { name: `${wanted}#${copy}`, spec: TEXT, heading: columnName, known: false }
}

function spellingsOf(schema: FeedSchema): Map<string, string> {
  const spellings = new Map<string, string>()
  for (const [name, spec] of Object.entries(schema.columns)) {
    for (const spelling of [name, ...(spec.aliases ?? [])])
      spellings.set(spellingOf(spelling), name)
  }
  return spellings
}

function absentColumns(
  schema: FeedSchema,
  indexes: ReadonlyMap<string, number>,
  position: RowPosition,
): NamedColumns<ColumnSpec> {
  const absent = new NamedColumns<ColumnSpec>()
  for (const [name, spec] of Object.entries(schema.columns)) {
    if (indexes.has(name)) continue
    if (spec.required || spec.notNull)
      throw new FeedError('TSV_COLUMN_MISSING', `the header has no column ${name}`, {
        ...position,
        column: name,
      })
    absent.set(name, spec)
  }
  return absent
}
