// Reads a row by another schema than that of its batch. The columns of the other schema find those
// of the row by the column names in the row's file.

import type { Columns, FeedSchema } from '../schema/feed-schema'
import { Row } from './row-batch'
import { type BoundHeader, bindHeader, countKnownNames } from './tsv/header'

const HEADER_LINE = { row: 0, line: 1, byteOffset: 0 }

/**
 * Makes a function that returns a view of the same row with the columns of `schema`. Where the
 * schema does not know a column by its name in the file, it may know it by the name that the row
 * has for it. The headers of the files are bound once. The batch must have all columns of its
 * file, because one outside of a projection would seem to be absent.
 * @throws FeedError TSV_COLUMN_MISSING, TSV_COLUMN_REPEATED with the position of the header line,
 * from the returned function
 */
export function rowBySchema<C extends Columns>(schema: FeedSchema<C>): (row: Row) => Row<C> {
  const bound = new WeakMap<BoundHeader, BoundHeader<C>>()
  return row => {
    const { batch, slot } = row
    if (batch.header.schema === schema) return row as Row<C>
    let header = bound.get(batch.header)
    if (header === undefined) bound.set(batch.header, (header = rebound(batch.header, schema)))
    return new Row(batch.withHeader(header), slot)
  }
}

function rebound<C extends Columns>(
  { columns, cells }: BoundHeader,
  schema: FeedSchema<C>,
): BoundHeader<C> {
  const names = columns.map(({ heading, name }) =>
    countKnownNames(schema, [heading]) > 0 ? heading : name,
  )
  const header = bindHeader(schema, names, HEADER_LINE)
  return cells === undefined ? header : { ...header, cells }
}
