// Bytes of a TSV file to plain objects: what TsvRowParser and `toObject` or `toStrings` of every
// row come to, without a copy of the rows, which nobody can keep here. The dialect: item-feeds.md,
// section 2.1.

import type { Row } from '../codec/row'
import type { RowBatch } from '../codec/row-batch'
import { PAUSE, type Pause } from '../core/steps'
import { choice, knownOptions, type OptionNames } from '../options'
import type { ChosenColumns, Columns, RowObject, TextColumns } from '../schema/feed-schema'
import { type BadCellPolicy, BadCells, isBadCell } from './bad-cells'
import { PARSER_OPTIONS, type TsvRowParserOptions, TsvStage } from './tsv-stage'

/** `typed`: as `row.toObject()` makes them. `text`: as `row.toStrings()` does. */
export type ObjectValues = 'typed' | 'text'

/** What becomes of a row. */
export type ObjectOf<K extends Columns, V extends ObjectValues> = V extends 'text'
  ? Record<string, string>
  : RowObject<K>

export type TsvObjectParserOptions<
  C extends Columns,
  N extends string = keyof C & string,
  V extends ObjectValues = 'typed',
> = TsvRowParserOptions<C, N> & {
  /** 'typed' by default. */
  readonly values?: V
  /** Of typed values; 'throw' by default. */
  readonly onBadCell?: BadCellPolicy
}

const OPTIONS: OptionNames<TsvObjectParserOptions<Columns>> = {
  ...PARSER_OPTIONS,
  values: true,
  onBadCell: true,
}

/**
 * Uint8Array in, arrays of plain objects out, one object for each row of a block of `batchBytes`
 * (64 KiB). In `for await` and the row helpers of a pipeline they come one by one.
 *
 * - Objects are the reader's own, and pin nothing but, with a text of 13 characters or more, the
 *   text of the few rows around it, about 4 KiB.
 * - An object has no position, and does not say whether the file was confirmed: it was when the
 *   loop over all of them ends by itself.
 * - Input, what is held, bad rows and bad headers are those of {@link TsvRowParser}. Cells that are
 *   not of their type go by `onBadCell`: CELL_INVALID.
 *
 * @example
 * ```ts
 * import { FileSource, Gunzip, itemSchema, pipeline, TsvObjectParser } from 'feedmill'
 * // given: path
 *
 * const objects = pipeline(new FileSource(path))
 *   .to(new Gunzip())
 *   .to(new TsvObjectParser({ schema: itemSchema, columns: ['itemId', 'priceValue'] }))
 * for await (const { itemId, priceValue } of objects) console.log(itemId, String(priceValue))
 * // => v1|1|0 1.5
 * // => v1|2|0 null
 * ```
 */
export class TsvObjectParser<
  C extends Columns = TextColumns,
  const N extends string = keyof C & string,
  const V extends ObjectValues = 'typed',
  K extends Columns = ChosenColumns<C, N>,
> extends TsvStage<C, N, K, ObjectOf<K, V>[]> {
  readonly #badCells: BadCells
  readonly #objectOf: (row: Row<K>) => unknown

  /** @throws FeedError OPTION_INVALID */
  constructor(options: TsvObjectParserOptions<C, N, V> = {}) {
    const { values, onBadCell, ...parsing } = knownOptions<TsvObjectParserOptions<C, N, V>>(
      options,
      OPTIONS,
    )
    super('TsvObjectParser', parsing as TsvRowParserOptions<C, N>, true)
    if (values !== undefined) choice<ObjectValues>('values', values, ['typed', 'text'])
    this.#badCells = new BadCells(onBadCell)
    const hasChoice = parsing.columns !== undefined
    this.#objectOf = values === 'text' ? row => textsOf(row, hasChoice) : row => this.#typed(row)
  }

  /** Cells that were not of their type, with `onBadCell` other than 'throw'. */
  get badCells(): number {
    return this.#badCells.count
  }

  protected override *outputsOf(
    batches: Iterable<RowBatch<K> | Pause>,
  ): Generator<ObjectOf<K, V>[] | Pause, void, void> {
    for (const batch of batches) yield batch === PAUSE ? PAUSE : this.#objectsOf(batch)
  }

  #objectsOf(batch: RowBatch<K>): ObjectOf<K, V>[] {
    const objects = new Array<ObjectOf<K, V>>(batch.length)
    const objectOf = this.#objectOf
    for (let n = 0; n < batch.length; n++) objects[n] = objectOf(batch.row(n)) as ObjectOf<K, V>
    return objects
  }

  #typed(row: Row<K>): unknown {
    try {
      return row.toObject()
    } catch (error) {
      // Whoever was told of a bad cell may have ended the run, and with it the loan of the bytes.
      if (!isBadCell(error) || this.destroyed) throw error
      return this.#cellByCell(row)
    }
  }

  /** The same where some cell is bad. */
  #cellByCell(row: Row<K>): unknown {
    const { header, projections } = row.batch
    const { columns, ofValues } = projections.all
    return ofValues(
      Array.from(columns, column => this.#badCells.read(row, header.columns[column]!)),
    )
  }
}

/** A chosen column that the file lacks is '', as in `row.toStrings([...])`. */
function textsOf<K extends Columns>(row: Row<K>, hasChoice: boolean): unknown {
  if (!hasChoice) return row.toStrings()
  const { projections, cells } = row.batch
  return projections.all.ofTexts(cells, row.slot)
}
