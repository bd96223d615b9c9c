// The parsers without a stream: the machines of TsvRowParser and TsvColumnParser.

import type { ColumnBatch } from '../codec/columns/column-batch'
import type { RowQuarantine } from '../codec/quarantine/row-quarantine'
import type { RowBatch } from '../codec/row-batch'
import type { BadRowPolicy } from '../codec/tsv/bad-row-report'
import { optionInvalid } from '../options'
import type { ChosenColumns, Columns, TextColumns } from '../schema/feed-schema'
import type { BadCellPolicy } from '../stages/bad-cell-policy'
import { TsvColumnParser, type TsvColumnParserOptions } from '../stages/tsv-column-parser'
import { TsvRowParser } from '../stages/tsv-row-parser'
import type { TsvRowParserOptions } from '../stages/tsv-stage'
import { type Engine, engineOf } from './engine'

/** What a parser knows of its file so far. */
export interface ParserFacts {
  /** The column names of the file, as it spells them; undefined until the header is read. */
  readonly columnNames: readonly string[] | undefined
  /** Rows that `onBadRow` has left out. */
  readonly badRows: number
  /** Rows read with U+FFFD in place of bytes that are not UTF-8, with `invalidUtf8: 'replace'`. */
  readonly replacedRows: number
}

/**
 * Makes a synchronous parser of rows: blocks of a TSV or CSV file in, a {@link RowBatch} out for
 * each 64 KiB of the file or 4,096 rows, and for the rest at `end`.
 *
 * The options, caps, errors and batches are those of {@link TsvRowParser}, but `onBadRow` takes no
 * quarantine, which would have to be waited for. `confirmed` of a batch is true once the loop over
 * `end` has ended.
 *
 * @throws FeedError OPTION_INVALID; TSV_\* from its sequences
 * @example
 * ```ts
 * import { itemSchema } from 'feedmill'
 * import { createRowParser } from 'feedmill/engines'
 *
 * const parser = createRowParser({ schema: itemSchema, columns: ['itemId', 'priceValue'] })
 * const chunks = ['itemId\ttitle\tpriceVal', 'ue\nv1|1|0\tone\t1.5\n'].map(text => Buffer.from(text))
 * const batches = [...chunks.flatMap(chunk => [...parser.push(chunk)]), ...parser.end()]
 * for (const batch of batches)
 *   for (const row of batch) console.log(row.get('itemId'), row.get('priceValue')?.toNumber())
 * // => v1|1|0 1.5
 * ```
 */
export function createRowParser<
  C extends Columns = TextColumns,
  const N extends string = keyof C & string,
  K extends Columns = ChosenColumns<C, N>,
>(
  options: TsvRowParserOptions<C, N> & {
    readonly onBadRow?: Exclude<BadRowPolicy, RowQuarantine>
  } = {},
): Engine<Uint8Array, RowBatch<K>, ParserFacts> {
  const parser = new TsvRowParser<C, N, K>(options)
  refuseQuarantine('onBadRow', options.onBadRow)
  return engineOf(parser.counters, parser.machineFor(NOBODY), () => factsOf(parser))
}

/**
 * Makes a synchronous parser of typed columns: blocks of a TSV or CSV file in, a
 * {@link ColumnBatch} out for each 256 KiB of the file or 4,096 rows, and for the rest at `end`.
 *
 * The options, caps, errors and batches are those of {@link TsvColumnParser}, but `onBadRow` and
 * `onBadCell` take no quarantine, which would have to be waited for. `facts.badCells` counts the
 * cells that `onBadCell` has decided about.
 *
 * @throws FeedError OPTION_INVALID; TSV_\* and CELL_INVALID from its sequences
 * @example
 * ```ts
 * import { itemSchema } from 'feedmill'
 * import { createColumnParser } from 'feedmill/engines'
 *
 * const parser = createColumnParser({ schema: itemSchema, onBadCell: 'null' })
 * const file = Buffer.from('itemId\tpriceValue\nv1|1|0\t1.5\nv1|2|0\tcheap\n')
 * for (const batch of [...parser.push(file), ...parser.end()])
 *   for (let n = 0; n < batch.length; n++)
 *     console.log(batch.column('itemId').get(n), String(batch.column('priceValue').get(n)))
 * console.log(parser.facts.badCells)
 * // => v1|1|0 1.5
 * // => v1|2|0 null
 * // => 1
 * ```
 */
export function createColumnParser<
  C extends Columns = TextColumns,
  const N extends string = keyof C & string,
  K extends Columns = ChosenColumns<C, N>,
>(
  options: TsvColumnParserOptions<C, N> & {
    readonly onBadRow?: Exclude<BadRowPolicy, RowQuarantine>
    readonly onBadCell?: Exclude<BadCellPolicy, RowQuarantine>
  } = {},
): Engine<Uint8Array, ColumnBatch<K>, ParserFacts & { readonly badCells: number }> {
  const parser = new TsvColumnParser<C, N, K>(options)
  refuseQuarantine('onBadRow', options.onBadRow)
  refuseQuarantine('onBadCell', options.onBadCell)
  return engineOf(parser.counters, parser.machineFor(NOBODY), () => ({
    ...factsOf(parser),
    badCells: parser.badCells,
  }))
}

/** The owner of a stage that nobody else has, and so nobody destroys. */
const NOBODY = { fail() {} }

function factsOf({ columnNames, badRows, replacedRows }: ParserFacts): ParserFacts {
  return { columnNames, badRows, replacedRows }
}

function refuseQuarantine(option: string, policy: unknown): void {
  const expected = 'a policy without a quarantine, which has to be waited for'
  if (typeof policy === 'object') throw optionInvalid(option, expected, 'a quarantine')
}
