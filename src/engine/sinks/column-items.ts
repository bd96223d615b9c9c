// The items of a sink of columns: batches as they are, and plain objects or single rows, which are
// checked against the schema of the sink and gathered into batches of their own.

import type { ArrowType } from '../codec/columns/arrow-type'
import type { ColumnBatch } from '../codec/columns/column-batch'
import { type ColumnData, columnData } from '../codec/columns/column-data'
import { misfit } from '../codec/columns/column-fit'
import { arrowTypeOf } from '../codec/kinds/all-kinds'
import { outputMemory } from '../codec/memory'
import type { RowBatch } from '../codec/row-batch'
import { elementsOf, headerOf } from '../pipeline/batch'
import type { ColumnSpec } from '../schema/column-spec'
import type { FeedSchema } from '../schema/feed-schema'
import { CASELESS_NAMES } from './column-names'
import { jsonWriter } from './ndjson-sink'
import { columnsOf, type SinkBatch } from './sink-columns'
import { type TableSettings, UNFIT } from './table-plan'
import { TableRows } from './table-rows'

/** Rows that are gathered before they are written. */
const BATCH_ROWS = 1024

export class ColumnItems {
  readonly #sink: string
  readonly #schema: FeedSchema | undefined
  readonly #rows: TableRows | undefined
  #gathered: unknown[][] = []
  #memory = new ArrayBuffer(0)
  /** Number of rows in batches. */
  #batchRows = 0

  /**
   * @param sink the name of the sink, for its errors
   * @param schema of plain objects; without one only batches are taken
   * @throws FeedError OPTION_INVALID
   */
  constructor(sink: string, schema: FeedSchema | undefined) {
    this.#sink = sink
    this.#schema = schema
    if (schema === undefined) return
    const formOf = (spec: ColumnSpec) => ({ sql: 'the column', convert: cellConverter(spec) })
    const rules = { name: sink, ...CASELESS_NAMES, formOf, formIn: formOf as never }
    this.#rows = new TableRows(rules, { schema } as TableSettings)
  }

  /**
   * Returns what is to be written with an item.
   * @throws FeedError SINK_VALUE_INVALID, COLUMN_UNKNOWN, CELL_INVALID
   */
  *take(item: unknown): IterableIterator<SinkBatch> {
    if (this.#rows === undefined || headerOf(item) !== undefined) {
      yield* this.rest()
      const row = this.#batchRows + (this.#rows?.rows ?? 0) + 1
      const batch = columnsOf(item as ColumnBatch | RowBatch, this.#sink, row, this.#take)
      this.#batchRows += batch.length
      yield batch
      return
    }
    for (const element of elementsOf(item)) {
      this.#gathered.push(this.#rows.valuesOf(element)!)
      if (this.#gathered.length === BATCH_ROWS) yield* this.rest()
    }
  }

  /** A batch is written before the next one is decoded, so that one memory serves all. */
  readonly #take = (bytes: number) => {
    if (bytes > this.#memory.byteLength) this.#memory = outputMemory(2 * bytes)
    return this.#memory
  };

  /** Returns the rows that are gathered. */
  *rest(): IterableIterator<SinkBatch> {
    if (this.#gathered.length === 0) return
    const rows = this.#gathered
    this.#gathered = []
    yield this.#batchOf(rows)
  }

  /** Returns a batch without a row, which has the columns of the schema; undefined without one. */
  empty(): SinkBatch | undefined {
    return this.#rows && this.#batchOf([])
  }

  #batchOf(rows: readonly unknown[][]): SinkBatch {
    const columns = this.#rows!.columns!.map(({ name, spec }, n) => {
      const type = arrowTypeOf(spec)
      const values = rows.map(row => row[n])
      return { name, type, data: dataOfValues(type, values) }
    })
    return { length: rows.length, columns, file: { feed: this.#schema!.name } }
  }
}

const writeJson = jsonWriter()

/** Returns a function that makes a value what the arrays of its column take, or UNFIT. */
export function cellConverter(spec: ColumnSpec): (value: unknown) => unknown {
  const type = arrowTypeOf(spec)
  const isText = type.kind === 'utf8'
  return value => {
    // The value of a caller's decoder is text, or written as JSON.
    if (isText) return typeof value === 'string' && spec.type !== 'json' ? value : writeJson(value)
    return misfit(type, value) === undefined ? value : UNFIT
  }
}

/** Makes the arrays of values. A list that is missing is null, and no empty one. */
export function dataOfValues(type: ArrowType, values: readonly unknown[]): ColumnData {
  const data = columnData(type, values)
  if (type.kind !== 'list' || !values.includes(null)) return data
  const isThere = values.map(value => (value === null ? null : true))
  const { nullCount, validity } = columnData({ kind: 'boolean' }, isThere)
  return { ...data, nullCount, validity }
}
