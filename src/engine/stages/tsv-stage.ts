// The base of the stages that drive codec/tsv/parser.ts: their common options, and the parser in a
// stream. A subclass says what its outputs are.

import type { RowQuarantine } from '../codec/quarantine/row-quarantine'
import type { RowBatch } from '../codec/row-batch'
import { byteBlock } from '../codec/stage-input'
import { TsvParser, type TsvParserOptions } from '../codec/tsv/parser'
import type { Outputs } from '../core/machine'
import type { Pause } from '../core/steps'
import { type Check, is, type OptionTable, optionInvalid, readOptions } from '../options'
import {
  type ColumnName,
  type Columns,
  checkedSchema,
  defineSchema,
  type FeedFile,
} from '../schema/feed-schema'
import { badRowPolicy, flushed, settled } from './quarantined'
import { Stage } from './stage'

/** The bounds of the bytes of a row, and of a batch. */
export const ROW_BYTES: Check<number> = is.wholeNumber(64, 2 ** 30)

export type TsvRowParserOptions<C extends Columns, N extends string = keyof C & string> = Partial<
  Omit<TsvParserOptions<C>, 'columns' | 'lends' | 'origin' | 'scanner' | 'startsAt'>
> & {
  /**
   * The projection: the rows have these columns and no others, in this order, with those that the
   * file lacks behind the others. The parser does not copy other columns, which makes reading few
   * columns faster and smaller. It still checks all cells of all rows.
   *
   * A literal has to be a column of the schema, and reading a column that was left out is a compile
   * error. A column that only the file has is named by a `string`, such as `'extra' as string`; the
   * types then know nothing of which columns the rows have. COLUMN_UNKNOWN for a name that neither
   * schema nor file has. Default: all columns.
   */
  readonly columns?: readonly ColumnName<NoInfer<C>, N>[]
}

/** The options that the parsers share. */
export const PARSER_OPTIONS = {
  schema: [checkedSchema],
  dialect: is.any,
  content: [is.choice('table', 'table-or-json-lines')],
  file: [checkFile],
  columns: [someNames],
  onBadRow: [badRowPolicy],
  maxBadRows: [is.wholeNumber(0)],
  invalidUtf8: [is.choice('bad-row', 'replace')],
  maxRowBytes: [ROW_BYTES],
  batchBytes: [ROW_BYTES, undefined, 'internal'],
} satisfies OptionTable<TsvRowParserOptions<Columns>>

const FILE_PARTS = {
  feed: is.any,
  marketplace: is.any,
  categoryId: is.any,
  scope: is.any,
  date: is.any,
  hour: is.any,
  lastModified: is.any,
  id: is.any,
  kind: is.any,
} satisfies OptionTable<FeedFile>

/** A schema without columns, with which every cell is text. */
const ANY_COLUMNS = defineSchema({ name: 'other', columns: {} })

/** @typeParam K the columns of the rows */
export abstract class TsvStage<
  C extends Columns,
  N extends string,
  K extends Columns,
  Out,
> extends Stage<Uint8Array, Out> {
  readonly #parser: TsvParser<C, K>
  readonly #lends: boolean
  #quarantine: RowQuarantine | undefined

  /**
   * @param options as PARSER_OPTIONS reads them
   * @param lends true where `outputsOf` is done with a batch when it asks for the next one
   * @throws FeedError OPTION_INVALID
   */
  constructor(name: string, options: TsvRowParserOptions<C, N>, lends: boolean) {
    super(name)
    const { schema = ANY_COLUMNS as never, onBadRow } = options
    if (typeof onBadRow === 'object') this.quarantineTo(onBadRow)
    this.#lends = lends
    this.#parser = new TsvParser<C, K>({ ...options, schema, lends, origin: () => this.origin })
  }

  /** Makes the outputs of these batches, one at a time. */
  protected abstract outputsOf(batches: Iterable<RowBatch<K> | Pause>): Iterable<Out | Pause>

  /** Rows that `onBadRow` has left out so far. */
  get badRows(): number {
    return this.#parser.badRows
  }

  /** Rows read with U+FFFD in place of bytes that are not UTF-8, with `invalidUtf8: 'replace'`. */
  get replacedRows(): number {
    return this.#parser.replacedRows
  }

  /** The column names of the file, as it spells them; undefined until the header is read. */
  get columnNames(): readonly string[] | undefined {
    return this.#parser.columnNames
  }

  /** True where the stages behind could read the columns of an output without rows. */
  protected get hasHeaders(): boolean {
    return !this.#lends
  }

  /** Waits for this quarantine too. */
  protected quarantineTo(quarantine: RowQuarantine): void {
    this.#quarantine ??= quarantine
    this.writes = [...(this.writes ?? []), quarantine]
  }

  override get borrowsInputs(): boolean {
    return true
  }

  protected override transform(bytes: Uint8Array): Outputs<Out> {
    this.counters.rowsLeftOut = this.rowsLeftOut
    const outputs = this.outputsOf(this.#parser.steps(byteBlock(this.name, bytes)))
    return this.#quarantine === undefined ? outputs : settled(this.#quarantine, outputs)
  }

  protected override flush(): Outputs<Out> {
    const outputs = this.outputsOf(this.#parser.lastSteps(this.hasHeaders))
    return this.#quarantine === undefined ? outputs : flushed(this.#quarantine, outputs)
  }

  protected override release(): Promise<void> | undefined {
    this.counters.rowsLeftOut = this.rowsLeftOut
    this.#parser.destroy()
    return this.#quarantine?.flush()
  }

  /** Rows that are not in the outputs. */
  protected get rowsLeftOut(): number {
    return this.badRows
  }
}

function someNames(option: string, names: readonly string[]): readonly string[] {
  if (Array.isArray(names) && names.length > 0 && names.every(name => typeof name === 'string'))
    return [...names]
  throw optionInvalid(option, 'a list of at least one column name', names)
}

type File = FeedFile | (() => FeedFile)

function checkFile(option: string, file: File): File {
  if (typeof file !== 'function') readOptions(file, FILE_PARTS, option)
  return file
}
