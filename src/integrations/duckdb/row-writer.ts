// Writes rows to a table of DuckDB: the columns of a schema, typed, and one map `other` with the
// texts of all other cells: those of columns that the schema does not have, and those that the type
// of their column cannot hold. So no row is lost for a cell. A batch is written column by column:
// most cells are empty or plain text, which goes from the file's bytes to DuckDB without a string.

import type { Columns, RowBatch } from '../../engine/index'
import { CELL_END, FeedError, UNFIT } from '../../engine/index'
import { ChunkInserter } from './chunk-inserter'
import { type ColumnType, columnTypeOf, OTHER_CELLS } from './column-types'
import { type Database, sqlName } from './duckdb-api'
import type { VectorWriter } from './vector-writers'
import { TextWriter } from './vector-writers'

/** A column beside those of the schema, with a value for all rows or for each. */
export interface OwnColumn {
  readonly name: string
  readonly type: ColumnType
}

interface SchemaColumn {
  readonly name: string
  readonly type: ColumnType
}

/** The column of a file for each column of the schema, and the columns without one. */
interface BoundColumns {
  readonly header: unknown
  /** Column indexes of the file; -1 where it lacks the column. */
  readonly sources: Int32Array
  /** The value of an empty cell of each column of the file, UNFIT where none may be empty. */
  readonly empty: readonly unknown[]
  readonly others: readonly { readonly name: string; readonly column: number }[]
}

/** The entries of `other` by the place of the row. */
type Others = Map<number, { readonly key: string; readonly value: string }[]>
const NO_OTHERS: readonly never[] = []

export class RowWriter {
  readonly #columns: readonly SchemaColumn[]
  readonly #inserter: ChunkInserter<VectorWriter>
  #bound: BoundColumns | undefined
  /** Number of cells whose text is in `other` because it does not fit its column. */
  unfitCells = 0

  private constructor(columns: readonly SchemaColumn[], inserter: ChunkInserter<VectorWriter>) {
    this.#columns = columns
    this.#inserter = inserter
  }

  /** The table has the columns of the schema, then `other`, then the own columns. */
  static async open(
    database: Database,
    table: string,
    columns: Columns,
    own: readonly OwnColumn[],
  ): Promise<RowWriter> {
    const typed = Object.entries(columns).map(([name, spec]) => ({
      name,
      type: columnTypeOf(spec),
    }))
    const types = [...typed.map(({ type }) => type), OTHER_CELLS, ...own.map(({ type }) => type)]
    const name = sqlName(table)
    const inserter = await ChunkInserter.open(database, name, `SELECT * FROM ${name} LIMIT 0`, () =>
      types.map(type => type.writer()),
    )
    return new RowWriter(typed, inserter)
  }

  /**
   * Adds rows of a batch.
   * @param rows the places of the rows in the batch
   * @param own the values of the own columns for each place
   */
  async addRows(
    batch: RowBatch<Columns>,
    rows: readonly number[],
    own: readonly ((place: number) => unknown)[],
  ): Promise<void> {
    for (let from = 0; from < rows.length; ) {
      const some = rows.slice(from, from + this.#inserter.room)
      this.#addRows(batch, some, own)
      await this.#inserter.added(some.length)
      from += some.length
    }
  }

  /** Adds an object with a property for each column of the schema. */
  async addObject(object: Readonly<Record<string, unknown>>): Promise<void> {
    const { writers } = this.#inserter
    this.#columns.forEach(({ name, type }, n) => {
      const value = object[name] ?? null
      writers[n]!.add(value === null ? null : type.convert(value))
    })
    writers[this.#columns.length]!.add(NO_OTHERS)
    await this.#inserter.added(1)
  }

  /** Writes the rest. */
  close(): Promise<void> {
    return this.#inserter.close()
  }

  /** Waits until DuckDB takes no more rows. */
  settled(): Promise<void> {
    return this.#inserter.settled()
  }

  #addRows(
    batch: RowBatch<Columns>,
    rows: readonly number[],
    own: readonly ((place: number) => unknown)[],
  ): void {
    const { writers } = this.#inserter
    const { selection } = batch
    const slots = Int32Array.from(rows, row => (selection === undefined ? row : selection[row]!))
    const bound = this.#boundTo(batch)
    const others: Others = new Map()
    this.#columns.forEach((column, n) => {
      const source = bound.sources[n]!
      if (source < 0) writers[n]!.addNulls(slots.length)
      else this.#addColumn(batch, slots, source, column, writers[n]!, bound.empty[source], others)
    })
    for (const { name, column } of bound.others) {
      for (let place = 0; place < slots.length; place++) {
        const value = cellValue(batch, slots[place]!, column)
        if (value !== null) addOther(others, place, name, String(value))
      }
    }
    const otherWriter = writers[this.#columns.length]!
    for (let place = 0; place < slots.length; place++)
      otherWriter.add(others.get(place) ?? NO_OTHERS)
    own.forEach((valueAt, n) => {
      const writer = writers[this.#columns.length + 1 + n]!
      for (const row of rows) writer.add(valueAt(row))
    })
  }

  #addColumn(
    batch: RowBatch<Columns>,
    slots: Int32Array,
    source: number,
    { name, type }: SchemaColumn,
    writer: VectorWriter,
    empty: unknown,
    others: Others,
  ): void {
    const { index, cells, hasDecodedCells } = batch
    const { rowStarts, cellEnds, columns } = index
    const isPlain = isPlainText(batch, source) && writer instanceof TextWriter
    let nulls = 0
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place]!
      const cell = slot * columns + source
      const end = cellEnds[cell]!
      const start = source === 0 ? rowStarts[slot]! | 0 : (cellEnds[cell - 1]! & CELL_END) + 1
      if (start === end && empty === null && !hasDecodedCells) {
        nulls++
        continue
      }
      if (nulls > 0) writer.addNulls(nulls)
      nulls = 0
      if (isPlain && end > start) {
        writer.addAscii(cells.bytes, start, end)
        continue
      }
      const value = start === end && !hasDecodedCells ? empty : cellValue(batch, slot, source)
      const converted = value === null || value === UNFIT ? value : type.convert(value)
      if (converted === UNFIT) {
        this.unfitCells++
        addOther(others, place, name, cells.text(slot, source))
        writer.add(null)
      } else writer.add(converted)
    }
    if (nulls > 0) writer.addNulls(nulls)
  }

  #boundTo({ header, projections: { readers } }: RowBatch<Columns>): BoundColumns {
    if (this.#bound?.header === header) return this.#bound
    const known = new Set(this.#columns.map(({ name }) => name))
    return (this.#bound = {
      header,
      sources: Int32Array.from(this.#columns, ({ name }) => header.indexes.get(name) ?? -1),
      empty: readers.map(reader => unlessBad(() => reader.empty)),
      others: header.columns.flatMap(({ name }, column) =>
        known.has(name) ? [] : [{ name, column }],
      ),
    })
  }
}

/** Returns whether the bytes of a cell without a mark are its value. */
function isPlainText({ header, hasDecodedCells }: RowBatch<Columns>, column: number): boolean {
  return header.columns[column]!.spec.type === 'text' && !hasDecodedCells
}

/** The value of a cell, UNFIT where it cannot be decoded. */
function cellValue(batch: RowBatch<Columns>, slot: number, column: number): unknown {
  const decoded = batch.decodedCells(column)
  if (decoded !== undefined) return decoded[slot]
  const { cells, projections } = batch
  return unlessBad(() => cells.value(slot, column, projections.readers[column]!))
}

function unlessBad(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'CELL_INVALID') return UNFIT
    throw error
  }
}

function addOther(others: Others, place: number, key: string, value: string): void {
  const entries = others.get(place)
  if (entries === undefined) others.set(place, [{ key, value }])
  else entries.push({ key, value })
}
