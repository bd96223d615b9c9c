// Writes rows of files to a table of the target: its heads, the columns of the schema, typed, and two
// maps of texts: `other` has the cells of columns that the schema does not have, and `invalid` those
// that the type of their column cannot hold. So no row is lost for a cell.

import {
  arrowTypeOf,
  type CellPolicy,
  type Column,
  type ColumnBatch,
  type ColumnData,
  type Columns,
  columnData,
  decodeColumns,
  emptyData,
  isBadCell,
  type RowBatch,
  sqlIdentifier,
} from '../../engine/index'
import {
  type ArrivingFile,
  type Category,
  REST_COLUMNS,
  type RowTable,
  type RowWriter,
  sqlText,
  type TargetRows,
} from '../../sync/index'
import { ChunkInserter } from './chunk-inserter'
import { DECIMAL_DIGITS, OTHER_CELLS, OTHER_CELLS_SQL, scaleOf, vectorTypeOf } from './column-types'
import type { Database } from './database'
import { headColumns, headVectors } from './waiting-heads'

type Header = RowBatch<Columns>['header']

const MOST_UNITS = 10n ** BigInt(DECIMAL_DIGITS)

/** The texts of cells without a column, by the numbers of their rows. */
class OtherCells {
  readonly #byRow = new Map<number, { readonly key: string; readonly value: string }[]>()

  add(row: number, key: string, value: string): void {
    const cells = this.#byRow.get(row)
    if (cells === undefined) this.#byRow.set(row, [{ key, value }])
    else cells.push({ key, value })
  }

  columnOf(batch: RowBatch<Columns>): ColumnData {
    if (this.#byRow.size === 0) return emptyData(OTHER_CELLS, batch.length)
    const cells = Array.from(batch, ({ position }) => this.#byRow.get(position.row) ?? [])
    return columnData(OTHER_CELLS, cells)
  }
}

export class TypedRows implements RowWriter {
  readonly #database: Database
  readonly #table: RowTable
  readonly #category: readonly [string, string]
  #header: Header | undefined
  /** The header whose decimals have the scale of the table. */
  #scaled: Header | undefined
  /** The columns of the rows that are gathered. */
  #names = ''
  #inserter: ChunkInserter | undefined

  constructor(database: Database, table: RowTable, { marketplace, categoryId }: Category) {
    this.#database = database
    this.#table = table
    this.#category = [sqlText(marketplace), sqlText(categoryId)]
  }

  /** Rows of files with the same columns gather together. @throws FeedError STATE_IO */
  async add(arrived: TargetRows, file: ArrivingFile): Promise<void> {
    const { batch } = arrived
    if (batch.length === 0) return
    if (batch.header !== this.#header) await this.#open(batch.header)
    const invalid = new OtherCells()
    const others = new OtherCells()
    const rows = decodeColumns(batch.withHeader(this.#scaled!), this.#policy(invalid))
    const known = rows.columns.slice(0, batch.header.columns.length)
    const columns = known
      .filter(({ name }) => this.#columnOf(name) !== undefined)
      .map(column => this.#fitting(column, batch, invalid))
    for (const column of known)
      if (this.#columnOf(column.name) === undefined) addTexts(column, batch, others)
    columns.push(others.columnOf(batch), invalid.columnOf(batch))
    columns.push(...headColumns(this.#table, arrived, file))
    await this.#inserter!.add(columns, batch.length)
  }

  /** Writes the rest. */
  async close(): Promise<void> {
    await this.#inserter?.close()
  }

  /** Waits until DuckDB takes no more rows. */
  async abort(): Promise<void> {
    await this.#inserter?.settled()
  }

  /** Columns that the file lacks are NULL, because the INSERT does not name them. */
  async #open(header: Header): Promise<void> {
    const columns = header.columns.map(column => {
      const { spec } = column
      return spec.type === 'decimal'
        ? { ...column, spec: { ...spec, scale: scaleOf(spec) } }
        : column
    })
    const vectors = columns.flatMap(({ name, spec }) => {
      const column = this.#columnOf(name)
      return column ? [[column.sqlName, vectorTypeOf(arrowTypeOf(spec))] as const] : []
    })
    const all = [
      ...vectors,
      ...REST_COLUMNS.map(name => [name, OTHER_CELLS_SQL] as const),
      ...headVectors(this.#table),
    ]
    this.#scaled = { ...header, columns }
    this.#header = header
    const names = JSON.stringify(all)
    if (names === this.#names) return
    await this.close()
    this.#names = names
    const [marketplace, feed_category] = this.#category
    this.#inserter = await ChunkInserter.open(
      this.#database,
      sqlIdentifier(this.#table.name),
      all,
      { marketplace, feed_category },
    )
  }

  #columnOf(name: string) {
    return this.#table.columns.find(column => column.name === name)
  }

  #policy(others: OtherCells): CellPolicy {
    return {
      read: (row, { name }) => {
        try {
          return row.get(name)
        } catch (error) {
          if (!isBadCell(error)) throw error
          others.add(row.position.row, name, row.text(name))
          return null
        }
      },
      leaveOut: () => false,
    }
  }

  /** The column without the decimals that have more digits than the table. */
  #fitting(column: Column, batch: RowBatch<Columns>, others: OtherCells): ColumnData {
    const { name, type, data } = column
    const of = this.#columnOf(name)
    if (type.kind !== 'decimal' || data.nullCount === data.length) return data
    if (of?.spec.scale !== undefined) return data
    const words = data.values as BigInt64Array
    const unfit = new Set<number>()
    for (let n = 0; n < data.length; n++) {
      const low = words[2 * n]!
      const high = words[2 * n + 1]!
      if (high === low >> 63n && low < MOST_UNITS && low > -MOST_UNITS) continue
      unfit.add(n)
      const row = batch.row(n)
      others.add(row.position.row, name, row.text(name as never))
    }
    if (unfit.size === 0) return data
    return columnData(
      type,
      Array.from(column, (value, n) => (unfit.has(n) ? null : value)),
    )
  }
}

function addTexts(
  column: ColumnBatch['columns'][number],
  batch: RowBatch,
  others: OtherCells,
): void {
  if (column.data.nullCount === column.length) return
  for (let n = 0; n < column.length; n++) {
    if (column.isNull(n)) continue
    others.add(batch.row(n).position.row, column.name, String(column.get(n)))
  }
}
