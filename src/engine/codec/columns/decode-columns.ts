// Makes columns of a batch of rows. The WebAssembly module decodes all cells that are plainly good.
// Any other cell is read as those of rows are, which decides about bad cells. So the two ways can
// differ in speed only.

import type { RowPosition } from '../../errors'
import type { ColumnSpec } from '../../schema/column-spec'
import type { Columns } from '../../schema/feed-schema'
import { arrowTypeOf, decoderOf } from '../kinds/all-kinds'
import { invalidCell, isBadCell } from '../kinds/kind-of-cells'
import type { Row, RowBatch } from '../row-batch'
import type { BoundHeader } from '../tsv/header'
import type { ArrowType } from './arrow-type'
import { Column, ColumnBatch, isText } from './column-batch'
import { columnData } from './column-data'
import { misfit } from './column-fit'
import { columnsCoreWith } from './columns-core'
import { withRows } from './joined-data'
import { type Kernel, kernelOf } from './kernel'

/** The policy for bad cells. */
export interface CellPolicy {
  /** Calls `row.get`, and returns instead of what it throws where the policy lets the cell pass. */
  read(row: ReadableRow, column: { readonly name: string; readonly spec: ColumnSpec }): unknown
  /** Takes a row that is left out. Returns false where the error ends the stream. */
  leaveOut(row: Row<Columns>, error: unknown): boolean
}

/** The part of a row that a policy needs. */
export interface ReadableRow {
  readonly position: RowPosition
  get(name: string): unknown
  text(name: string): string
}

/** A bad cell ends the stream: a ColumnDecoder before has other policies. */
const STRICT: CellPolicy = { read: (row, { name }) => row.get(name), leaveOut: () => false }

/** `plain` decodes without WebAssembly. */
export type ColumnEngine = 'fast' | 'plain'

/**
 * Makes columns of all rows in view. The bytes of the batch may be lent: nothing of them is kept.
 * @param take returns the memory of the columns; left out: they have their own
 * @throws FeedError CELL_INVALID of the first row that has a bad cell, by the policy
 */
export function decodeColumns<C extends Columns>(
  batch: RowBatch<C>,
  policy: CellPolicy = STRICT,
  engine: ColumnEngine = 'fast',
  take?: (bytes: number) => ArrayBuffer,
): ColumnBatch<C> {
  const plan = planOf(batch.header)
  const fast = engine === 'plain' ? undefined : columnsCoreWith(batch)
  const decoded = plan.map(({ kernel }, at) =>
    batch.decodedCells(at) === undefined ? kernel && fast?.decode(kernel, at) : undefined,
  )
  const block = fast?.end(take)
  let rest: PlainColumns | undefined
  const columns = plan.map(({ name, spec, type }, at) => {
    const known = decoded[at]
    const isWhole = known?.left.length === 0
    if (!isWhole) rest ??= new PlainColumns(batch, policy)
    const { rows, values } = isWhole ? NO_VALUES : rest!.read(at, known?.left)
    if (known !== undefined && rows.length === 0)
      return new Column(name, spec, batch.length, () => block!.column(type, known.node))
    const others = columnData(type, values)
    const data =
      known === undefined ? others : withRows(block!.column(type, known.node), rows, others)
    return new Column(name, spec, batch.length, () => data)
  })
  const leftOut = rest?.end()
  if (leftOut !== undefined && leftOut.size > 0)
    return decodeColumns(
      batch.select(({ slot }) => !leftOut.has(slot)),
      policy,
      engine,
      take,
    )
  const { header, file, progress, length } = batch
  return new ColumnBatch({ header, file, progress, length, columns })
}

interface PlannedColumn {
  readonly name: string
  readonly spec: ColumnSpec
  readonly type: ArrowType
  readonly kernel: Kernel | undefined
}

const plans = new WeakMap<BoundHeader, readonly PlannedColumn[]>()

/** How the columns of a file are decoded, in their order. */
export function planOf(header: BoundHeader): readonly PlannedColumn[] {
  let plan = plans.get(header)
  if (plan === undefined) {
    plan = header.columns.map(({ name, spec }) => {
      const type = arrowTypeOf(spec)
      return { name, spec, type, kernel: kernelOf(spec, type) }
    })
    plans.set(header, plan)
  }
  return plan
}

const NO_VALUES: ReturnType<PlainColumns['read']> = { rows: [], values: [] }

/** The most bytes of labels in a column: one of them covers any number of pairs. */
const MOST_LABEL_BYTES = 1 << 26

/** Reads columns cell by cell. */
class PlainColumns {
  readonly #batch: RowBatch
  readonly #policy: CellPolicy
  readonly #leftOut = new Set<number>()
  /** The rows before the first bad cell that ends the stream. */
  #end: number
  #error: unknown

  constructor(batch: RowBatch, policy: CellPolicy) {
    this.#batch = batch
    this.#policy = policy
    this.#end = batch.length
  }

  /**
   * Reads a column: all rows, or those of some numbers. Returns the values that {@link columnData}
   * takes, and the numbers of their rows; of some rows only those that are not null.
   */
  read(at: number, some?: Uint32Array): { readonly rows: number[]; readonly values: unknown[] } {
    const rows: number[] = []
    const count = some?.length ?? this.#batch.length
    const values = some === undefined ? new Array<unknown>(count).fill(null) : []
    const read = this.#reader(at)
    for (let n = 0; n < count; n++) {
      const number = some?.[n] ?? n
      if (number >= this.#end) break
      const row = this.#batch.row(number)
      if (this.#leftOut.has(row.slot)) continue
      try {
        const value = read(row)
        if (some === undefined) values[n] = value
        else if (value !== null) {
          rows.push(number)
          values.push(value)
        }
      } catch (error) {
        if (this.#policy.leaveOut(row, error)) this.#leftOut.add(row.slot)
        else this.#endAt(number, error)
      }
    }
    return { rows, values }
  }

  /** @returns the slots of the rows that are left out */
  end(): ReadonlySet<number> {
    if (this.#error !== undefined) throw this.#error
    return this.#leftOut
  }

  #endAt(n: number, error: unknown): void {
    if (!isBadCell(error)) throw error
    this.#end = n
    this.#error = error
  }

  #reader(at: number): (row: Row) => unknown {
    const column = this.#batch.header.columns[at]!
    const { name, spec } = column
    const type = arrowTypeOf(spec)
    let labelBytes = 0
    const stored = (row: Row): unknown => {
      const value = row.get(name)
      if (spec.type === 'cell' && row.text(name) === '') return null
      if (isText(spec)) return hasText(row.text(name), value, spec) ? row.text(name) : null
      if (spec.type === 'aspects') labelBytes += labelBytesOf(value as readonly Labelled[])
      const reason =
        labelBytes > MOST_LABEL_BYTES ? 'more than 64 MiB with its labels' : misfit(type, value)
      if (reason !== undefined) throw row.placed(invalidCell(spec.type, reason, row.text(name)), at)
      return value
    }
    return row => {
      let kept: unknown = null
      const get = () => {
        kept = stored(row)
      }
      const readable = {
        get position() {
          return row.position
        },
        get,
        text: () => row.text(name),
      }
      this.#policy.read(readable, column)
      return kept
    }
  }
}

/**
 * Returns whether the text of a cell has this value. Text of a bad cell, in whose place a stage
 * before has put the empty value, does not.
 */
function hasText(text: string, value: unknown, spec: ColumnSpec): boolean {
  const { empty, decode } = decoderOf(spec)
  if (text === '' || value !== empty) return text !== ''
  try {
    decode(text)
    return true
  } catch {
    return false
  }
}

interface Labelled {
  readonly label: string | null
}

function labelBytesOf(pairs: readonly Labelled[]): number {
  return pairs.reduce((bytes, { label }) => bytes + (label?.length ?? 0), 0)
}
