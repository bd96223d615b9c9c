// Parses the rows of a quarantine again, as rows of their file: with its column names, its dialect,
// and the positions that the rows had.

import type { Columns, FeedFile, FeedSchema } from '../../schema/feed-schema'
import type { RowBatch } from '../row-batch'
import type { BadRowPolicy } from '../tsv/bad-row-report'
import { dialectOf } from '../tsv/dialect'
import { TsvParser } from '../tsv/parser'
import type { QuarantinedRow } from './quarantine-records'

export interface MendedRowsOptions<C extends Columns> {
  readonly schema: FeedSchema<C>
  readonly onBadRow?: BadRowPolicy | undefined
  readonly maxRowBytes?: number | undefined
  /** The file of the rows, in place of the one that the record names. */
  readonly file?: FeedFile
}

const LEAST_BATCH_BYTES = 64

/**
 * Yields the rows of one record, which may be none or several.
 * @throws FeedError TSV_ROW_*, TSV_QUOTE_*, TSV_UTF8_INVALID as `onBadRow` says
 */
export function* mendedRows<C extends Columns>(
  { of: { file, columns, cells }, row, line, byteOffset, bytes }: QuarantinedRow,
  options: MendedRowsOptions<C>,
): Generator<RowBatch<C>, void, void> {
  const { schema, onBadRow = 'throw', maxRowBytes } = options
  const parser = new TsvParser<C>({
    schema,
    file: options.file ?? file,
    onBadRow,
    batchBytes: Math.max(LEAST_BATCH_BYTES, bytes.length),
    ...(maxRowBytes !== undefined && { maxRowBytes }),
    ...(cells && { dialect: dialectOf(cells) }),
    startsAt: { columnNames: columns, position: { row, line, byteOffset } },
  })
  try {
    yield* parser.push(bytes)
    yield* parser.end()
  } finally {
    parser.destroy()
  }
}
