// Bytes of a TSV file to batches of rows: the stage over codec/tsv/parser.ts. Document 2, "Common file rules".

import type { ColumnName } from '../codec/row'
import type { RowBatch } from '../codec/row-batch'
import { TsvParser, type TsvParserOptions } from '../codec/tsv/parser'
import { type TsvScannerName, tsvScanner } from '../codec/tsv/tsv-scanner'
import { wholeNumber } from '../codec/whole-number'
import { excerpt, FeedError } from '../errors'
import { type ChosenColumns, type Columns, defineSchema } from '../schema/feed-schema'
import type { ByteMachine } from './fused-stage'
import { Stage } from './stage'

const MIN_BYTES = 64
const MAX_BYTES = 2 ** 30

export type TsvRowParserOptions<C extends Columns, N extends ColumnName<C> = keyof C & string> = Partial<
  Omit<TsvParserOptions<C>, 'scanner' | 'columns'>
> & {
  /**
   * The columns that are wanted, of the schema or of the file: the rows have these and no others, in this order. The others are not
   * copied, which makes reading few columns faster and smaller. All rows are checked as ever. COLUMN_UNKNOWN for one that is neither.
   */
  readonly columns?: readonly N[]
  /** What finds the cells: by default the fastest that this machine has. Results do not depend on it. */
  readonly scanner?: TsvScannerName
}

/** A schema that knows no column: every cell is text. */
const ANY_COLUMNS = defineSchema('other', {})

/**
 * Uint8Array in, {@link RowBatch} out: at most `batchBytes` (64 KiB) of the file, or 4,096 rows, each; with `columns`, about `batchBytes` of these.
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
> extends Stage<Uint8Array, RowBatch<K>> {
  readonly #parser: TsvParser<C, K>

  constructor(options: TsvRowParserOptions<C, N> = {}) {
    super('TsvRowParser')
    const { batchBytes, maxRowBytes, onBadRow, invalidUtf8, columns } = options
    if (columns?.length === 0) throw noColumns()
    if (batchBytes !== undefined) wholeNumber('batchBytes', batchBytes, MIN_BYTES, MAX_BYTES)
    if (maxRowBytes !== undefined) wholeNumber('maxRowBytes', maxRowBytes, MIN_BYTES, MAX_BYTES)
    if (typeof onBadRow !== 'function') checkOneOf('onBadRow', ['throw', 'skip'], onBadRow, ' or a function')
    checkOneOf('invalidUtf8', ['bad-row', 'replace'], invalidUtf8)
    // Without a schema C is inferred as no columns, which is what ANY_COLUMNS has.
    this.#parser = new TsvParser<C, K>({
      ...options,
      schema: options.schema ?? (ANY_COLUMNS as never),
      scanner: tsvScanner(options.scanner),
    })
  }

  /** Rows left out by `onBadRow`. */
  get badRows(): number {
    return this.#parser.badRows
  }

  /** Rows read with U+FFFD in place of bytes that are not UTF-8, with `invalidUtf8: 'replace'`. */
  get replacedRows(): number {
    return this.#parser.replacedRows
  }

  /** @internal For a stage before it that would run it in its own steps; undefined where a subclass has steps of its own. */
  get byteMachine(): ByteMachine<RowBatch<K>> | undefined {
    const { transform, flush } = TsvRowParser.prototype
    if (this.transform !== transform || this.flush !== flush) return undefined
    const parser = this.#parser
    return { push: (bytes, lent) => parser.push(bytes, lent), end: () => this.#end(), destroy: () => parser.destroy() }
  }

  /** @internal */
  get copiesInputs(): boolean {
    return this.byteMachine !== undefined
  }

  /** @internal There is no file at all, as a service may answer: then not even a header is missing. */
  protected get isAbsent(): boolean {
    return false
  }

  protected override transform(bytes: Uint8Array): Iterable<RowBatch<K>> {
    return this.#parser.push(bytes)
  }

  protected override flush(): Iterable<RowBatch<K>> {
    return this.#end()
  }

  #end(): Iterable<RowBatch<K>> {
    return this.isAbsent ? [] : this.#parser.end()
  }

  protected override release(): void {
    this.#parser.destroy()
  }
}

function noColumns(): FeedError<'OPTION_INVALID'> {
  const context = { option: 'columns', expected: 'at least one name', received: 'none' }
  return new FeedError('OPTION_INVALID', 'columns must have at least one name', context)
}

function checkOneOf(option: string, allowed: readonly string[], value: string | undefined, others = ''): void {
  if (value === undefined || allowed.includes(value)) return
  const expected = `${allowed.join(', ')}${others}`
  throw new FeedError('OPTION_INVALID', `${option} must be ${expected}`, { option, expected, received: excerpt(String(value)) })
}
