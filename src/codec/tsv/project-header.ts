// The projection of a file's header: the columns that a caller asks for, as the header of a file
// that has no others.

import type { ColumnSpec } from '../../schema/column-spec'
import type { Columns, FeedSchema } from '../../schema/feed-schema'
import { unknownColumn } from '../projection'
import { ColumnLookup } from './column-lookup'
import type { BoundHeader } from './header'

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
 * @throws FeedError COLUMN_UNKNOWN
 */
export function projectHeader<K extends Columns>(
  header: BoundHeader,
  names: readonly string[],
): ProjectedHeader<K> {
  const indexes = new Map<string, number>()
  const absent = new Map<string, ColumnSpec>()
  const columns: number[] = []
  for (const name of new Set(names)) {
    const column = header.indexes.get(name)
    const spec = header.absent.get(name)
    if (column !== undefined) indexes.set(name, columns.push(column) - 1)
    else if (spec !== undefined) absent.set(name, spec)
    else throw unknownColumn(header, name)
  }
  const bound = columns.map(column => header.columns[column]!)
  const schema = schemaOf<K>(header.schema, names)
  const leftOut = new Set(header.columns.map(({ name }) => name).filter(name => !indexes.has(name)))
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
  const wanted = new Set(names)
  const chosen = Object.entries(columns).filter(([column]) => wanted.has(column))
  // K has the columns of these names, and no others.
  return { name, columns: Object.fromEntries(chosen) as unknown as K }
}
