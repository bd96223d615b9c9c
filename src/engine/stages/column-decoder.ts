// The stage that decodes columns before a reader uses them, so that bad cells fail at one known
// place instead of wherever a row is first read. codec/decode/ has the decoders, which a row calls
// on demand where no stage has decoded its columns.

import type { Row, RowBatch } from '../codec/row-batch'
import { rowBatch } from '../codec/stage-input'
import { type BoundHeader, columnOf } from '../codec/tsv/header'
import type { Outputs } from '../core/machine'
import { is, type OptionTable, optionInvalid, readOptions } from '../options'
import type { ColumnSpec } from '../schema/column-spec'
import type { Columns } from '../schema/feed-schema'
import { type BadCellPolicy, BadCells } from './bad-cell-policy'
import { flushed, refuseProjection, settled } from './quarantined'
import { Stage } from './stage'

export interface ColumnDecoderOptions<C extends Columns> {
  /**
   * Columns to decode. The stage skips a column that only the schema has. Default: all columns of
   * the file that are not text or that are notNull.
   */
  readonly columns?: readonly ((keyof C & string) | (string & {}))[]
  /** What happens to a cell that cannot be decoded. Default: `throw`. */
  readonly onBadCell?: BadCellPolicy
}

const OPTIONS = {
  columns: [columnList],
  onBadCell: is.any,
} satisfies OptionTable<ColumnDecoderOptions<Columns>>

interface PlannedColumn {
  readonly index: number
  readonly name: string
  readonly spec: ColumnSpec
}

/**
 * Takes each {@link RowBatch} and gives the same rows with `columns` decoded. The stage holds
 * nothing between batches. Within a batch it decodes column by column. The input may end behind any
 * batch, and an empty input gives an empty output. A bad cell is CELL_INVALID by `onBadCell`
 * ('throw'). A column that neither file nor schema has is COLUMN_UNKNOWN at the file's first batch.
 *
 * @example
 * ```ts
 * import { type BadCell, ColumnDecoder, itemSchema, pipeline, TsvRowParser } from 'feedmill'
 *
 * const bad: string[] = []
 * const onBadCell = ({ error }: BadCell) => void bad.push(error.code)
 * await pipeline([Buffer.from('itemId\tpriceValue\nv1|1|0\tcheap\n')])
 *   .to(new TsvRowParser({ schema: itemSchema }))
 *   .to(new ColumnDecoder({ columns: ['priceValue'], onBadCell }))
 *   .toArray()
 * console.log(bad)
 * // => [ 'CELL_INVALID' ]
 * ```
 */
export class ColumnDecoder<C extends Columns = Columns> extends Stage<RowBatch<C>, RowBatch<C>> {
  readonly #columns: readonly string[] | undefined
  readonly #badCells: BadCells
  #header: BoundHeader<C> | undefined
  #plan: readonly PlannedColumn[] = []

  /** @throws FeedError OPTION_INVALID */
  constructor(options: ColumnDecoderOptions<C> = {}) {
    super('ColumnDecoder')
    const { columns, onBadCell } = readOptions(options, OPTIONS)
    this.#columns = columns
    this.#badCells = new BadCells(onBadCell)
    if (this.#badCells.quarantine !== undefined) this.writes = [this.#badCells.quarantine]
  }

  /** Cells so far that were not of their type. */
  get badCells(): number {
    return this.#badCells.count
  }

  protected override transform(batch: RowBatch<C>): Outputs<RowBatch<C>> {
    const { quarantine } = this.#badCells
    const outputs = this.#decoded(batch)
    return quarantine === undefined ? outputs : settled(quarantine, outputs)
  }

  protected override flush(): Outputs<RowBatch<C>> {
    const { quarantine } = this.#badCells
    return quarantine === undefined ? undefined : flushed(quarantine, [])
  }

  protected override release(): Promise<void> | undefined {
    return this.#badCells.quarantine?.flush()
  }

  *#decoded(batch: RowBatch<C>): Generator<RowBatch<C>, void, void> {
    rowBatch(this.name, batch)
    if (batch.header !== this.#header) {
      this.#plan = planFor(batch.header, this.#columns)
      this.#header = batch.header
    }
    if (this.#badCells.quarantine !== undefined) refuseProjection('onBadCell', batch.isProjected)
    let decoded = batch
    for (const column of this.#plan) decoded = this.#withColumn(decoded, column)
    yield decoded
  }

  #withColumn(batch: RowBatch<C>, column: PlannedColumn): RowBatch<C> {
    if (this.#badCells.quarantine === undefined)
      return batch.withDecoded(column.index, row => this.#badCells.read(row, column))
    const leftOut = new Set<number>()
    const decoded = batch.withDecoded(column.index, row =>
      this.#readOrLeaveOut(row, column, leftOut),
    )
    this.counters.rowsLeftOut += leftOut.size
    return leftOut.size === 0 ? decoded : decoded.select(({ slot }) => !leftOut.has(slot))
  }

  #readOrLeaveOut(row: Row<C>, column: PlannedColumn, leftOut: Set<number>): unknown {
    try {
      return this.#badCells.read(row, column)
    } catch (error) {
      if (!this.#badCells.leaveOut(row, error)) throw error
      leftOut.add(row.slot)
      return undefined
    }
  }
}

function columnList(option: string, columns: readonly string[]): readonly string[] {
  if (Array.isArray(columns) && columns.every(column => typeof column === 'string'))
    return [...columns]
  throw optionInvalid(option, 'a list of column names', columns)
}

function planFor(header: BoundHeader, names: readonly string[] | undefined): PlannedColumn[] {
  const all = header.columns.map(({ name, spec }, index) => ({ index, name, spec }))
  if (names === undefined) return all.filter(({ spec }) => spec.type !== 'text' || spec.notNull)
  const wanted = new Set(names.map(name => columnOf(header, name)))
  return all.filter(({ index }) => wanted.has(index))
}
