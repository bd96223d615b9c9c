// The stage that finds bad cells before a reader meets them, so that they fail at one known place
// instead of wherever a row is first read. Cells that are plainly good are decoded when they are read.

import { columnsCoreWith } from '../codec/columns/columns-core'
import { planOf } from '../codec/columns/decode-columns'
import { Row, type RowBatch } from '../codec/row-batch'
import { rowBatch } from '../codec/stage-input'
import { type BoundHeader, columnOf } from '../codec/tsv/header'
import type { Outputs } from '../core/machine'
import { is, type OptionTable, optionInvalid, readOptions } from '../options'
import type { ColumnSpec } from '../schema/column-spec'
import type { Columns } from '../schema/feed-schema'
import { type BadCellPolicy, BadCells } from './bad-cell-policy'
import { flushed, refuseParts, settled } from './quarantined'
import { Stage } from './stage'

export interface ColumnDecoderOptions<C extends Columns> {
  /**
   * Columns to check. The stage skips a column that only the schema has. Default: all columns of
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
 * Takes each {@link RowBatch} and gives the same rows without bad cells in `columns`. The stage holds
 * nothing between batches. Within a batch it checks column by column. The input may end behind any
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
    if (this.#badCells.quarantine !== undefined) refuseParts('onBadCell', batch.isProjected)
    const left = this.#plan.map(leftCells(batch))
    let decoded = batch
    for (const [n, column] of this.#plan.entries())
      decoded = this.#withColumn(decoded, column, left[n])
    yield decoded
  }

  /** @param slots of the rows whose cells may be bad; undefined where all are read */
  #withColumn(
    batch: RowBatch<C>,
    column: PlannedColumn,
    slots: readonly number[] | undefined,
  ): RowBatch<C> {
    const leftOut = new Set<number>()
    const read = (row: Row<C>) => this.#readOrLeaveOut(row, column, leftOut)
    let decoded = batch
    if (slots === undefined) decoded = batch.withDecoded(column.index, read)
    else if (slots.length > 0) {
      const inView = new Set(batch.selection ?? slots)
      const rows = slots.filter(slot => inView.has(slot)).map(slot => new Row(batch, slot))
      decoded = batch.withRead(column.index, new Map(rows.map(row => [row.slot, read(row)])))
    }
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

/** Returns what finds the rows of a batch whose cells in a column are not plainly good. */
function leftCells(batch: RowBatch): (column: PlannedColumn) => readonly number[] | undefined {
  const core = columnsCoreWith(batch)
  const plan = planOf(batch.header)
  return ({ index }) => {
    const { kernel } = plan[index]!
    if (kernel === undefined || batch.decodedCells(index) !== undefined) return undefined
    const left = core?.decode(kernel, index)?.left
    return left && Array.from(left, n => batch.selection?.[n] ?? n)
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
