// The stage that parses the bytes of a TSV file into batches of rows. item-feeds.md, section 2.1,
// has the dialect.

import type { RowBatch } from '../codec/row-batch'
import type { Pause } from '../core/steps'
import { readOptions } from '../options'
import type { ChosenColumns, Columns, TextColumns } from '../schema/feed-schema'
import { PARSER_OPTIONS, type TsvRowParserOptions, TsvStage } from './tsv-stage'

/**
 * Takes Uint8Arrays and gives a {@link RowBatch} for each 64 KiB of the file or 4,096
 * rows. With `columns` only the bytes of these columns count, and a batch has at most five
 * times as many.
 *
 * - Input blocks may be cut anywhere, and batches do not depend on the cuts. The stage copies what
 *   it keeps of its inputs, and batches own their memory.
 * - The stage holds one block: at most four times `maxRowBytes` (1 MiB) while a row is cut off.
 * - `dialect` says how the file is written; without it, as the documented files are. See
 *   {@link Dialect}.
 * - The input may end with or without a last line end. An empty file is TSV_EMPTY, unless `dialect`
 *   names the columns. A file without rows gives one empty batch, which has its columns.
 * - A header line has at most `maxRowBytes` and 4,096 columns. It is TSV_HEADER_INVALID where it
 *   cannot be read, has no column of the schema, or shows a file of another kind (Latin-1, another
 *   delimiter, no header line), and `reason` says what to do. TSV_COLUMN_MISSING and
 *   TSV_COLUMN_REPEATED are about columns that the schema requires.
 * - A file whose first 512 bytes are a page of HTML or XML, JSON, an archive, compressed data or
 *   UTF-16 is TSV_HEADER_INVALID too, with any dialect, unless `content` is `'table'`. Lines of JSON
 *   are read with `quoting: 'json-lines'`, or found with `content: 'table-or-json-lines'`.
 * - `onBadRow` ('throw') decides about bad rows: TSV_ROW_SHORT, TSV_ROW_LONG, TSV_ROW_BLANK,
 *   TSV_ROW_TOO_LARGE, TSV_QUOTE_UNCLOSED, TSV_QUOTE_TRAILING_TEXT, TSV_UTF8_INVALID,
 *   TSV_JSON_INVALID. One more than `maxBadRows` is TSV_BAD_ROWS_LIMIT. In a long run of bad rows the stage lets the event loop
 *   turn.
 * - An input that is not a Uint8Array is STAGE_INPUT_INVALID.
 *
 * @example
 * ```ts
 * import { FileSource, Gunzip, itemSchema, pipeline, TsvRowParser } from 'feedmill'
 * // given: path
 *
 * const rows = pipeline(new FileSource(path))
 *   .to(new Gunzip())
 *   .to(new TsvRowParser({ schema: itemSchema }))
 * for await (const row of rows) console.log(row.position.line, row.get('itemId'), row.get('title'))
 * // => 2 v1|1|0 a "quoted" title
 * // => 3 v1|2|0 two
 * ```
 */
export class TsvRowParser<
  C extends Columns = TextColumns,
  const N extends string = keyof C & string,
  K extends Columns = ChosenColumns<C, N>,
> extends TsvStage<C, N, K, RowBatch<K>> {
  /** @throws FeedError OPTION_INVALID */
  constructor(options: TsvRowParserOptions<C, N> = {}) {
    const parsing = readOptions(options, PARSER_OPTIONS) as TsvRowParserOptions<C, N>
    super('TsvRowParser', parsing, false)
  }

  protected override outputsOf(
    batches: Iterable<RowBatch<K> | Pause>,
  ): Iterable<RowBatch<K> | Pause> {
    return batches
  }
}
