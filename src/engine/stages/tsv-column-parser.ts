// The stage that parses the bytes of a TSV file into batches of columns. item-feeds.md, section
// 2.1, has the dialect.

import type { ColumnBatch } from '../codec/columns/column-batch'
import { type CellPolicy, type ColumnEngine, decodeColumns } from '../codec/columns/decode-columns'
import type { RowBatch } from '../codec/row-batch'
import { PAUSE, type Pause } from '../core/steps'
import { is, type OptionTable, readOptions } from '../options'
import type { ChosenColumns, Columns, TextColumns } from '../schema/feed-schema'
import { type BadCellPolicy, BadCells } from './bad-cell-policy'
import { refuseParts } from './quarantined'
import { PARSER_OPTIONS, type TsvRowParserOptions, TsvStage } from './tsv-stage'

export type TsvColumnParserOptions<
  C extends Columns,
  N extends string = keyof C & string,
> = TsvRowParserOptions<C, N> & {
  /** What happens to a bad cell. Default: `'throw'`. */
  readonly onBadCell?: BadCellPolicy
  /** @internal The way to decode. Results do not depend on it. Default: the fast one. */
  readonly engine?: ColumnEngine
}

const OPTIONS = {
  ...PARSER_OPTIONS,
  onBadCell: is.any,
  engine: [is.any, undefined, 'internal'],
} satisfies OptionTable<TsvColumnParserOptions<Columns>>

/** A batch needs enough rows to repay what it costs, and its block and columns fit a core's cache. */
const BATCH_BYTES = 1 << 18

/**
 * Takes Uint8Arrays and gives a {@link ColumnBatch} for each 256 KiB of the file or 4,096 rows:
 * all cells decoded, in the memory layout of Apache Arrow, without a string or an object for a
 * cell. It is the fastest way to all typed cells of a file.
 *
 * - The reader owns a batch and its arrays. A loop over a batch, and over a pipeline, gives plain
 *   objects; `pipeline(…).batches()` gives the batches.
 * - A decimal has 10 digits behind the point, unless its column has a `scale`. One that needs more
 *   is a bad cell, and none is rounded.
 * - JSON is its text. So is what the function of `cell` makes, unless its column names a kind with
 *   `as`; `column.get(n)` decodes it.
 * - A file without rows gives one empty batch, which has its columns.
 * - The rules of {@link TsvRowParser} hold for inputs, memory, bad rows and bad headers.
 *   `onBadCell` decides about cells that are not of their type: CELL_INVALID. With `'throw'` it is
 *   the first bad cell of the first row that has one.
 *
 * @example
 * ```ts
 * import { FileSource, Gunzip, itemSchema, pipeline, TsvColumnParser } from 'feedmill'
 * // given: path
 *
 * const batches = pipeline(new FileSource(path))
 *   .to(new Gunzip())
 *   .to(new TsvColumnParser({ schema: itemSchema, columns: ['itemId', 'priceValue'] }))
 *   .batches()
 * for await (const batch of batches) {
 *   const itemId = batch.column('itemId')
 *   for (let n = 0; n < batch.length; n++) console.log(itemId.get(n))
 * }
 * // => v1|1|0
 * // => v1|2|0
 * ```
 */
export class TsvColumnParser<
  C extends Columns = TextColumns,
  const N extends string = keyof C & string,
  K extends Columns = ChosenColumns<C, N>,
> extends TsvStage<C, N, K, ColumnBatch<K>> {
  readonly #badCells: BadCells
  readonly #policy: CellPolicy
  readonly #engine: ColumnEngine | undefined

  /** @throws FeedError OPTION_INVALID */
  constructor(options: TsvColumnParserOptions<C, N> = {}) {
    const { onBadCell, engine, ...parsing } = readOptions(options, OPTIONS)
    const { batchBytes = BATCH_BYTES } = parsing
    super('TsvColumnParser', { ...parsing, batchBytes } as TsvRowParserOptions<C, N>, true)
    this.#engine = engine
    this.#badCells = new BadCells(onBadCell)
    this.#policy = {
      // The caller's `onBadCell` may have ended the run, and with it the loan of the bytes.
      read: (row, column) => (this.destroyed ? undefined : this.#badCells.read(row, column)),
      leaveOut: (row, error) => this.#badCells.leaveOut(row, error),
    }
    const { quarantine } = this.#badCells
    if (quarantine === undefined) return
    refuseParts('onBadCell', parsing.columns !== undefined)
    this.quarantineTo(quarantine)
  }

  /** Cells that were not of their type, with `onBadCell` other than 'throw'. */
  get badCells(): number {
    return this.#badCells.count
  }

  protected override get hasHeaders(): boolean {
    return true
  }

  protected override get rowsLeftOut(): number {
    return this.badRows + this.#badCells.rowsLeftOut
  }

  protected override *outputsOf(
    batches: Iterable<RowBatch<K> | Pause>,
  ): Generator<ColumnBatch<K> | Pause, void, void> {
    for (const batch of batches)
      yield batch === PAUSE ? PAUSE : decodeColumns(batch, this.#policy, this.#engine)
  }
}
