// The base of the stages that drive codec/tsv/parser.ts: their common options, and the parser in a
// stream. A subclass says what its outputs are.

import { isTable } from '../codec/body-kind'
import type { RowQuarantine } from '../codec/quarantine/row-quarantine'
import type { RowBatch } from '../codec/row-batch'
import { byteBlock } from '../codec/stage-input'
import { TsvParser, type TsvParserOptions } from '../codec/tsv/parser'
import type { Outputs } from '../core/machine'
import type { Pause } from '../core/steps'
import {
  callback,
  choice,
  knownOptions,
  type OptionNames,
  optionInvalid,
  wholeNumber,
} from '../options'
import {
  type ColumnName,
  type Columns,
  checkedSchema,
  defineSchema,
  type FeedFile,
} from '../schema/feed-schema'
import { checkedQuarantine, flushed, settled } from './quarantined'
import { Stage } from './stage'

const MIN_BYTES = 64
const MAX_BYTES = 2 ** 30

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

/** The names of the options that the parsers share. */
export const PARSER_OPTIONS: OptionNames<TsvRowParserOptions<Columns>> = {
  schema: true,
  dialect: true,
  content: true,
  file: true,
  columns: true,
  onBadRow: true,
  maxBadRows: true,
  invalidUtf8: true,
  maxRowBytes: true,
  batchBytes: 'internal',
}

const FILE_PARTS: OptionNames<FeedFile> = {
  feed: true,
  marketplace: true,
  categoryId: true,
  scope: true,
  date: true,
  hour: true,
  lastModified: true,
  id: true,
  kind: true,
}

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
   * @param lends true where `outputsOf` is done with a batch when it asks for the next one
   * @throws FeedError OPTION_INVALID
   */
  constructor(name: string, options: TsvRowParserOptions<C, N>, lends: boolean) {
    super(name)
    const { schema, file, batchBytes, maxRowBytes, maxBadRows, onBadRow, invalidUtf8, columns } =
      options
    if (schema !== undefined) checkedSchema('schema', schema)
    isTable(options.content)
    if (file !== undefined) checkFile(file)
    if (batchBytes !== undefined) wholeNumber('batchBytes', batchBytes, MIN_BYTES, MAX_BYTES)
    if (maxRowBytes !== undefined) wholeNumber('maxRowBytes', maxRowBytes, MIN_BYTES, MAX_BYTES)
    if (maxBadRows !== undefined) wholeNumber('maxBadRows', maxBadRows, 0)
    if (typeof onBadRow === 'object') this.quarantineTo(checkedQuarantine('onBadRow', onBadRow))
    else if (onBadRow !== undefined && onBadRow !== 'throw' && onBadRow !== 'skip') {
      callback('onBadRow', onBadRow, "'throw', 'skip', a function or a quarantine")
    }
    if (invalidUtf8 !== undefined) choice('invalidUtf8', invalidUtf8, ['bad-row', 'replace'])
    // Without a schema C is inferred as TextColumns, which are the columns with ANY_COLUMNS.
    const common = {
      ...options,
      schema: schema ?? (ANY_COLUMNS as never),
      lends,
      origin: () => this.origin,
    }
    this.#lends = lends
    this.#parser = new TsvParser<C, K>({
      ...common,
      ...(columns && { columns: checkedColumns(columns) }),
    })
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

function checkedColumns(columns: readonly string[]): string[] {
  if (
    Array.isArray(columns) &&
    columns.length > 0 &&
    columns.every(name => typeof name === 'string')
  )
    return [...columns]
  throw optionInvalid('columns', 'a list of at least one column name', columns)
}

function checkFile(file: FeedFile | (() => FeedFile)): void {
  if (typeof file !== 'function') knownOptions(file, FILE_PARTS, 'file')
}
