// The projection of a file's header: the columns that a caller asks for, as the header of a file
// that has no others.

import { NamedColumns } from '../../schema/column-names'
import type { ColumnSpec } from '../../schema/column-spec'
import type { Columns, FeedSchema } from '../../schema/feed-schema'
import { unknownColumn } from '../projection'
import { ColumnLookup } from './column-lookup'
import type { BoundColumn, BoundHeader } from './header'

export interface ProjectedHeader<K extends Columns> {
  readonly header: BoundHeader<K>
  /**
   * Indexes of these columns in the file, in the order of `header`. Columns that the file lacks are
   * not among them.
   */
  readonly columns: Int32Array
}

/**
 * Projects a header to the columns of these names, which the file or its schema has, in this order.
 * The columns have the names as they are spelt here.
 * @throws FeedError COLUMN_UNKNOWN
 */
export function projectHeader<K extends Columns>(
  header: BoundHeader,
  names: readonly string[],
): ProjectedHeader<K> {
  const indexes = new Map<string, number>()
  const absent = new NamedColumns<ColumnSpec>()
  const columns = new Set<number>()
  const bound: BoundColumn[] = []
  for (const name of names) {
    const column = header.indexes.get(name)
    const spec = header.absent.get(name)
    if (column === undefined && spec === undefined) throw unknownColumn(header, name)
    if (column === undefined) absent.set(name, spec!)
    else if (!columns.has(column)) {
      indexes.set(name, columns.size)
      columns.add(column)
      bound.push({ ...header.columns[column]!, name })
    }
  }
  const schema = schemaOf<K>(header.schema, names)
  const leftOut = new NamedColumns<BoundColumn>()
  header.columns.forEach((column, index) => {
    if (!columns.has(index)) leftOut.set(column.name, column)
  })
  return {
    header: {
      ...header,
      schema,
      columns: bound,
      leftOut,
      absent,
      indexes: new ColumnLookup(indexes),
    },
    columns: Int32Array.from(columns),
  }
}

function schemaOf<K extends Columns>(
  { name, columns }: FeedSchema,
  names: readonly string[],
): FeedSchema<K> {
  const wanted = new NamedColumns(names.map(column => [column, column]))
  const chosen = Object.entries(columns).flatMap(([column, spec]) => {
    const spelt = wanted.get(column)
    return spelt === undefined ? [] : [[spelt, spec] as const]
  })
  // K has the columns of these names, and no others.
  return { name, columns: Object.fromEntries(chosen) as unknown as K }
}
