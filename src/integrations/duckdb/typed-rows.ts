// Writes rows of a file to a table of the target: the columns of the schema, typed, and one map
// `other` with the texts of all other cells: those of columns that the schema does not have, and
// those that the type of their column cannot hold. So no row is lost for a cell.

import {
  type ArrowType,
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
import type { TargetRows } from '../../sync/index'
import { ChunkInserter } from './chunk-inserter'
import { OTHER_CELLS, OTHER_CELLS_SQL, vectorTypeOf } from './column-types'
import type { Database } from './database'
import { DECIMAL_DIGITS, DECIMAL_SCALE, type RowTable, VERSION_COLUMNS } from './tables'

type Header = RowBatch<Columns>['header']

const INT64: ArrowType = { kind: 'int64' }
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

export class TypedRows {
  readonly #database: Database
  readonly #table: RowTable
  readonly #constants: Readonly<Record<string, string>>
  #header: Header | undefined
  /** The header whose decimals have the scale of the table. */
  #scaled: Header | undefined
  #inserter: ChunkInserter | undefined
  /** Number of cells whose text is in `other` because it does not fit its column. */
  unfitCells = 0

  /** @param constants columns that have one value in all rows, with their values in SQL */
  constructor(database: Database, table: RowTable, constants: Readonly<Record<string, string>>) {
    this.#database = database
    this.#table = table
    this.#constants = constants
  }

  /** Adds rows, whose bytes may change afterwards. @throws FeedError STATE_IO */
  async add(arrived: TargetRows): Promise<void> {
    const { batch } = arrived
    if (batch.length === 0) return
    if (batch.header !== this.#header) await this.#begin(batch.header)
    const others = new OtherCells()
    const rows = decodeColumns(batch.withHeader(this.#scaled!), this.#policy(others))
    const known = rows.columns.slice(0, batch.header.columns.length)
    const columns = known
      .filter(({ name }) => this.#isOfTable(name))
      .map(column => this.#fitting(column, batch, others))
    for (const column of known) if (!this.#isOfTable(column.name)) addTexts(column, batch, others)
    columns.push(others.columnOf(batch))
    const heads = Array.from(batch, (_, n) => arrived.head(n))
    for (const version of [
      heads.map(({ version }) => version.timeMs),
      heads.map(({ version }) => version.generatedMs),
      heads.map(({ checksum }) => checksum),
    ])
      columns.push(columnData(INT64, version))
    await this.#inserter!.add(columns, batch.length)
  }

  /** Writes the rest. */
  async close(): Promise<void> {
    await this.#inserter?.close()
  }

  /** Waits until DuckDB takes no more rows. */
  async settled(): Promise<void> {
    await this.#inserter?.settled()
  }

  /** Columns that the file lacks are NULL, because the INSERT does not name them. */
  async #begin(header: Header): Promise<void> {
    await this.close()
    const columns = header.columns.map(column => {
      const { spec } = column
      return spec.type === 'decimal'
        ? { ...column, spec: { ...spec, scale: DECIMAL_SCALE } }
        : column
    })
    const vectors = columns
      .filter(({ name }) => this.#isOfTable(name))
      .map(({ name, spec }) => [name, vectorTypeOf(arrowTypeOf(spec))] as const)
    this.#inserter = await ChunkInserter.open(
      this.#database,
      sqlIdentifier(this.#table.name),
      [
        ...vectors,
        ['other', OTHER_CELLS_SQL],
        ...VERSION_COLUMNS.map(name => [name, vectorTypeOf(INT64)] as const),
      ],
      this.#constants,
    )
    this.#scaled = { ...header, columns }
    this.#header = header
  }

  #isOfTable(name: string): boolean {
    return Object.hasOwn(this.#table.columns, name)
  }

  #policy(others: OtherCells): CellPolicy {
    return {
      read: (row, { name }) => {
        try {
          return row.get(name)
        } catch (error) {
          if (!isBadCell(error)) throw error
          this.unfitCells++
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
    if (type.kind !== 'decimal' || data.nullCount === data.length) return data
    const words = data.values as BigInt64Array
    const unfit = new Set<number>()
    for (let n = 0; n < data.length; n++) {
      const low = words[2 * n]!
      const high = words[2 * n + 1]!
      if (high === low >> 63n && low < MOST_UNITS && low > -MOST_UNITS) continue
      unfit.add(n)
      this.unfitCells++
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
