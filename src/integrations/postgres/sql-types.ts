// The types that PostgreSQL gives the columns of a schema, and the columns of a target's tables.

import type { CellType, ColumnSpec, Columns } from '../../engine/index'
import {
  itemColumns,
  itemGroupColumns,
  itemPriorityColumns,
  itemSnapshotColumns,
} from '../../engine/index'
import { columnNameOf, type Part } from './sql-names'

/** Types whose text is a single value of PostgreSQL. Every other kind is jsonb. */
const SCALARS: Partial<Record<CellType, string>> = {
  text: 'text',
  oneOf: 'text',
  int32: 'integer',
  int64: 'bigint',
  decimal: 'numeric',
  float64: 'double precision',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
}

/** Returns the type of a column: `text`, `numeric`, `text[]`, `jsonb` and so on. */
export function sqlTypeOf({ type, element }: ColumnSpec): string {
  if (type !== 'list') return SCALARS[type] ?? 'jsonb'
  const scalar = SCALARS[element?.type ?? 'text']
  return scalar === undefined ? 'jsonb' : `${scalar}[]`
}

/** A column of a table, with the name that it has in the schema of the rows. */
export interface SqlColumn {
  readonly name: string
  readonly feedName: string
  readonly spec: ColumnSpec
}

export function sqlColumnsOf(columns: Columns): readonly SqlColumn[] {
  return Object.entries(columns).map(([feedName, spec]) => ({
    name: columnNameOf(feedName),
    feedName,
    spec,
  }))
}

/**
 * The feed's columns of each table. Items have those of both feeds of items.
 */
export const PART_COLUMNS: Readonly<Record<Part, readonly SqlColumn[]>> = {
  items: sqlColumnsOf({ ...itemColumns, ...itemSnapshotColumns }),
  item_groups: sqlColumnsOf(itemGroupColumns),
  priorities: sqlColumnsOf(itemPriorityColumns),
}

/** The column of the key, in the names of PostgreSQL. */
export function keyOfPart(part: Part): 'item_group_id' | 'item_id' {
  return part === 'item_groups' ? 'item_group_id' : 'item_id'
}

/** The columns before those of the feed, with their types. Every row has them. */
export const HEAD_COLUMNS = {
  marketplace: 'text COLLATE "C" NOT NULL',
  feed_category: 'text COLLATE "C" NOT NULL',
  time_ms: 'bigint NOT NULL',
  removed: 'boolean NOT NULL',
  generated_ms: 'bigint NOT NULL',
  checksum: 'bigint NOT NULL',
} as const

/** The columns behind those of the feed: cells of unknown columns, and cells of another form. */
export const REST_COLUMNS = { other: 'jsonb', invalid: 'jsonb' } as const

/** The names of all columns of a part. */
export function columnsOfPart(part: Part): readonly string[] {
  return [
    ...Object.keys(HEAD_COLUMNS),
    ...PART_COLUMNS[part].map(({ name }) => name),
    ...Object.keys(REST_COLUMNS),
  ]
}
