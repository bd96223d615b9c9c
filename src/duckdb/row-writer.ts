// Appends rows to a table of DuckDB, in chunks: the columns of a schema, typed, and one map `other`
// with the texts of all other cells: those of columns that the schema does not have, and those that
// the type of their column cannot hold. So no row is lost for a cell.

import type { Row } from '../codec/row'
import { FeedError } from '../errors'
import type { Columns } from '../schema/feed-schema'
import { type ColumnType, columnTypeOf, OTHER_CELLS, UNFIT } from './column-types'
import { CHUNK_ROWS, type ChunkAppender, type Database } from './duckdb-api'
import type { VectorWriter } from './vector-writers'

/** A column beside those of the schema, with a value for all rows or for each. */
export interface OwnColumn {
  readonly name: string
  readonly type: ColumnType
}

interface SchemaColumn {
  readonly name: string
  readonly type: ColumnType
  readonly writer: VectorWriter
}

/** The column of a file for each column of the schema, and the columns without one. */
interface BoundColumns {
  readonly header: unknown
  /** Column indexes of the file; -1 where it lacks the column. */
  readonly sources: Int32Array
  readonly all: Int32Array
  readonly others: readonly { readonly name: string; readonly column: number }[]
}

export class RowWriter {
  readonly #columns: readonly SchemaColumn[]
  readonly #other: VectorWriter
  readonly #own: readonly VectorWriter[]
  readonly #appender: ChunkAppender
  #bound: BoundColumns | undefined
  #rows = 0
  /** Number of cells whose text is in `other` because it does not fit its column. */
  unfitCells = 0

  private constructor(
    columns: readonly SchemaColumn[],
    other: VectorWriter,
    own: readonly VectorWriter[],
    appender: ChunkAppender,
  ) {
    this.#columns = columns
    this.#other = other
    this.#own = own
    this.#appender = appender
  }

  /** The table has the columns of the schema, then `other`, then the own columns. */
  static async open(
    database: Database,
    table: string,
    columns: Columns,
    own: readonly OwnColumn[],
  ): Promise<RowWriter> {
    const typed = Object.entries(columns).map(([name, spec]): SchemaColumn => {
      const type = columnTypeOf(spec)
      return { name, type, writer: type.writer() }
    })
    const other = OTHER_CELLS.writer()
    const ownWriters = own.map(({ type }) => type.writer())
    const writers = [...typed.map(({ writer }) => writer), other, ...ownWriters]
    const appender = await database.appender(table, writers)
    return new RowWriter(typed, other, ownWriters, appender)
  }

  /** @param own the values of the own columns */
  add(row: Row<Columns>, own: readonly unknown[]): void {
    const bound = this.#boundTo(row)
    const values = valuesOf(row, bound.all)
    const other: { key: string; value: string }[] = []
    const columns = this.#columns
    for (let n = 0; n < columns.length; n++) {
      const { type, writer, name } = columns[n]!
      const source = bound.sources[n]!
      const value = source < 0 ? null : values[source]
      const converted = value === null || value === UNFIT ? value : type.convert(value)
      if (converted === UNFIT) {
        this.unfitCells++
        other.push({ key: name, value: row.text(name) })
        writer.add(null)
      } else writer.add(converted)
    }
    for (const { name, column } of bound.others) {
      const value = values[column]
      if (value !== null) other.push({ key: name, value: String(value) })
    }
    this.#other.add(other)
    this.#finishRow(own)
  }

  /** Adds an object with a property for each column of the schema. */
  addObject(object: Readonly<Record<string, unknown>>, own: readonly unknown[]): void {
    const other: { key: string; value: string }[] = []
    for (const { name, type, writer } of this.#columns) {
      const value = object[name] ?? null
      const converted = value === null ? null : type.convert(value)
      if (converted === UNFIT) {
        this.unfitCells++
        other.push({ key: name, value: String(value) })
      }
      writer.add(converted === UNFIT ? null : converted)
    }
    this.#other.add(other)
    this.#finishRow(own)
  }

  /** Appends the rest. */
  close(): void {
    if (this.#rows > 0) this.#append()
    this.#appender.close()
  }

  #finishRow(own: readonly unknown[]): void {
    for (let n = 0; n < own.length; n++) this.#own[n]!.add(own[n])
    if (++this.#rows === CHUNK_ROWS) this.#append()
  }

  #append(): void {
    this.#appender.append(this.#rows)
    this.#rows = 0
  }

  #boundTo({ batch: { header } }: Row<Columns>): BoundColumns {
    if (this.#bound?.header === header) return this.#bound
    const known = new Set(this.#columns.map(({ name }) => name))
    return (this.#bound = {
      header,
      sources: Int32Array.from(this.#columns, ({ name }) => header.indexes.get(name) ?? -1),
      all: Int32Array.from(header.columns, (_, n) => n),
      others: header.columns.flatMap(({ name }, column) =>
        known.has(name) ? [] : [{ name, column }],
      ),
    })
  }
}

/** The values of all cells of the file, UNFIT where a cell cannot be decoded. */
function valuesOf({ batch, slot }: Row<Columns>, columns: Int32Array): unknown[] {
  const { cells, projections, hasDecodedCells } = batch
  if (!hasDecodedCells) {
    try {
      return cells.values(slot, columns, projections.readers)
    } catch (error) {
      if (!isBadCell(error)) throw error
    }
  }
  return Array.from(columns, column => {
    const decoded = batch.decodedCells(column)
    if (decoded !== undefined) return decoded[slot]
    try {
      return cells.value(slot, column, projections.readers[column]!)
    } catch (error) {
      if (!isBadCell(error)) throw error
      return UNFIT
    }
  })
}

function isBadCell(error: unknown): boolean {
  return FeedError.is(error) && error.code === 'CELL_INVALID'
}
