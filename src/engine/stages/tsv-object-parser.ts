// The stage that parses the bytes of a TSV file into plain objects. They equal `toObject` or
// `toStrings` of every row of TsvRowParser, but the stage need not copy rows, because no reader can
// keep one. item-feeds.md, section 2.1, has the dialect.

import { objectBy } from '../codec/bad-cells'
import { isBadCell, withErrors } from '../codec/kinds/kind-of-cells'
import type { Row, RowBatch } from '../codec/row-batch'
import { PAUSE, type Pause } from '../core/steps'
import { is, type OptionTable, readOptions } from '../options'
import type { ChosenColumns, Columns, RowObject, TextColumns } from '../schema/feed-schema'
import { type BadCellPolicy, BadCells } from './bad-cell-policy'
import { refuseParts } from './quarantined'
import { PARSER_OPTIONS, type TsvRowParserOptions, TsvStage } from './tsv-stage'

/** `typed` objects are those of `row.toObject()`, `text` objects those of `row.toStrings()`. */
export type ObjectValues = 'typed' | 'text'

/** The object that a row becomes. */
export type ObjectOf<K extends Columns, V extends ObjectValues> = V extends 'text'
  ? Record<string, string>
  : RowObject<K>

export type TsvObjectParserOptions<
  C extends Columns,
  N extends string = keyof C & string,
  V extends ObjectValues = 'typed',
> = TsvRowParserOptions<C, N> & {
  /** Which objects the stage makes. Default: `'typed'`. */
  readonly values?: V
  /** What happens to a bad cell of a typed object. Default: `'throw'`. */
  readonly onBadCell?: BadCellPolicy
}

/**
 * The cells of an array, about. What is in use at a collection survives it, and V8 lets the young
 * generation grow with what has survived: arrays of whole blocks would double it.
 */
const MAX_CELLS = 1024

const OPTIONS = {
  ...PARSER_OPTIONS,
  values: [is.choice('typed', 'text')],
  onBadCell: is.any,
} satisfies OptionTable<TsvObjectParserOptions<Columns, string, ObjectValues>>

/**
 * Takes Uint8Arrays and gives arrays of plain objects, one object for each row; an array has about
 * 1,000 cells, and `batch` of a pipeline makes larger ones. In `for await` and the row helpers of a
 * pipeline the objects come one by one.
 *
 * - The reader owns the objects. A text of 13 characters or more may pin the text of the few rows
 *   around it, about 4 KiB; an object pins nothing else.
 * - An object has no position, and does not say whether the file is confirmed: the file is
 *   confirmed when the loop over all objects ends by itself.
 * - The rules of {@link TsvRowParser} hold for inputs, memory, bad rows and bad headers.
 *   `onBadCell` decides about cells that are not of their type: CELL_INVALID.
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
  readonly #isText: boolean
  readonly #hasChoice: boolean

  /** @throws FeedError OPTION_INVALID */
  constructor(options: TsvObjectParserOptions<C, N, V> = {}) {
    const { values, onBadCell, ...parsing } = readOptions(options, OPTIONS)
    super('TsvObjectParser', parsing as TsvRowParserOptions<C, N>, true)
    this.#badCells = new BadCells(onBadCell)
    const { quarantine } = this.#badCells
    if (quarantine !== undefined) {
      refuseParts('onBadCell', parsing.columns !== undefined)
      this.quarantineTo(quarantine)
    }
    this.#isText = values === 'text'
    this.#hasChoice = parsing.columns !== undefined
  }

  /** Cells that were not of their type, with `onBadCell` other than 'throw'. */
  get badCells(): number {
    return this.#badCells.count
  }

  protected override get rowsLeftOut(): number {
    return this.badRows + this.#badCells.rowsLeftOut
  }

  protected override *outputsOf(
    batches: Iterable<RowBatch<K> | Pause>,
  ): Generator<ObjectOf<K, V>[] | Pause, void, void> {
    for (const batch of batches) {
      if (batch === PAUSE) {
        yield PAUSE
        continue
      }
      const most = Math.max(1, Math.floor(MAX_CELLS / batch.header.columns.length))
      let from = 0
      do {
        const to = Math.min(from + most, batch.length)
        yield this.#objectsOf(batch, from, to)
        from = to
      } while (from < batch.length)
    }
  }

  #objectsOf(batch: RowBatch<K>, from: number, to: number): ObjectOf<K, V>[] | Pause {
    if (!this.#isText && this.#badCells.quarantine !== undefined)
      return this.#goodObjectsOf(batch, from, to)
    const objects = new Array<ObjectOf<K, V>>(to - from)
    if (this.#isText) this.#addTexts(objects, batch, from)
    else
      for (let n = from; n < to; n++)
        objects[n - from] = this.#typed(batch.row(n)) as ObjectOf<K, V>
    return objects
  }

  #goodObjectsOf(batch: RowBatch<K>, from: number, to: number): ObjectOf<K, V>[] | Pause {
    const objects: ObjectOf<K, V>[] = []
    for (let n = from; n < to; n++) {
      const row = batch.row(n)
      try {
        objects.push(this.#typed(row) as ObjectOf<K, V>)
      } catch (error) {
        if (!this.#badCells.leaveOut(row, error)) throw error
      }
    }
    return objects.length === 0 ? PAUSE : objects
  }

  /** A projected column that the file lacks is '', as in `row.toStrings([...])`. */
  #addTexts(
    objects: unknown[],
    { cells, projections, selection }: RowBatch<K>,
    from: number,
  ): void {
    const { ofTexts } = this.#hasChoice ? projections.all : projections.file
    for (let n = 0; n < objects.length; n++)
      objects[n] = ofTexts(cells, selection === undefined ? from + n : selection[from + n]!)
  }

  #typed(row: Row<K>): unknown {
    try {
      if (this.#badCells.areSeen) return row.toObject()
      return withErrors(false, () => row.toObject())
    } catch (error) {
      // The caller's `onBadCell` may have ended the run, and with it the loan of the bytes.
      if (!isBadCell(error) || this.destroyed) throw error
      return objectBy(row, column => this.#badCells.read(row, column))
    }
  }
}
