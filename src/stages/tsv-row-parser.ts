// Bytes of a TSV file to batches of rows. Document 2, "Common file rules".

import type { ColumnName } from '../codec/row'
import type { RowBatch } from '../codec/row-batch'
import type { ChosenColumns, Columns } from '../schema/feed-schema'
import { type TsvRowParserOptions, TsvStage } from './tsv-stage'

/**
 * Uint8Array in, {@link RowBatch} out: at most `batchBytes` (64 KiB) of the file, or 4,096 rows, each; with `columns`, `batchBytes` of these and up to
 * four times more.
 *
 * - Input blocks are copied and may be cut anywhere; batches do not depend on the cuts. Batches own their memory.
 * - Held: one block, at most four times `maxRowBytes` (1 MiB) while a row is cut off.
 * - The input may end with or without a last line end. No header at all is TSV_EMPTY; a header alone is a file without rows.
 * - Bad rows go by `onBadRow` ('throw'): TSV_ROW_SHORT, TSV_ROW_LONG, TSV_ROW_BLANK, TSV_ROW_TOO_LARGE, TSV_QUOTE_UNCLOSED,
 *   TSV_QUOTE_TRAILING_TEXT, TSV_UTF8_INVALID. A bad header is TSV_HEADER_INVALID, TSV_COLUMN_MISSING or TSV_COLUMN_REPEATED.
 */
export class TsvRowParser<
  C extends Columns = Record<never, never>,
  const N extends ColumnName<C> = keyof C & string,
  K extends Columns = ChosenColumns<C, N>,
> extends TsvStage<C, N, K, RowBatch<K>> {
  constructor(options: TsvRowParserOptions<C, N> = {}) {
    super('TsvRowParser', options, false)
  }

  protected override outputsOf(batches: Iterable<RowBatch<K>>): Iterable<RowBatch<K>> {
    return batches
  }
}
