// The values of rows and plain objects in the order of a table's columns, which are those of a
// schema or of the first row. A cell that is no value of its column, or that the database cannot
// hold, is a bad cell: the policy `onBadCell` decides about it here, for every database. The file is
// one piece, because the columns that the first item settles say how all others are read.

import { isText } from '../codec/columns/column-batch'
import { type ColumnData, columnData } from '../codec/columns/column-data'
import { type CellPolicy, decodeColumns } from '../codec/columns/decode-columns'
import { exactCell, exactObject, isRow, JsonCell } from '../codec/json-cell'
import { decoderOf } from '../codec/kinds/all-kinds'
import { decodeJson } from '../codec/kinds/json'
import { invalidCell, isBadCell } from '../codec/kinds/kind-of-cells'
import { projectionsOf } from '../codec/projection'
import type { Row, RowBatch } from '../codec/row-batch'
import { type BoundHeader, columnOf } from '../codec/tsv/header'
import { excerpt, FeedError, messageOf, type RowPosition } from '../errors'
import { nameHint, optionInvalid } from '../options'
import { headerOf } from '../pipeline/batch'
import { text } from '../schema/column-kinds'
import type { ColumnSpec } from '../schema/column-spec'
import { NamedColumns } from '../schema/column-spec'
import { type Columns, checkedSchema } from '../schema/feed-schema'
import { BadCells } from '../stages/bad-cell-policy'
import { type ColumnRename, columnNames, type NameRules } from './column-names'
import { columnUnknown, lossOf, type PlainObject, plainObject } from './plain-objects'
import { checkedValue, shownValue } from './plain-values'
import { valueInvalid } from './sink-errors'
import {
  type ColumnForm,
  type PlannedColumn,
  type TableColumn,
  type TableSettings,
  UNFIT,
} from './table-plan'

/** What a database says about its columns. */
export interface ColumnRules extends NameRules {
  formOf(spec: ColumnSpec, isRequired: boolean): ColumnForm
  /** Returns how a column of another type than its own has the cells. */
  formIn(column: PlannedColumn, type: string): ColumnForm
}

/** Makes a cell into what the database takes. @throws FeedError CELL_INVALID without a position */
type Converter = (value: unknown) => unknown

/** How the rows of a header, or plain objects, give the columns of the table. */
interface Reading {
  readonly header: BoundHeader | undefined
  readonly converters: readonly Converter[]
  /** True where the cells of the columns are of the table's own kinds. */
  readonly isOwn: boolean
}

const TEXT = text()
/** A column that takes no empty value leaves a policy nothing to put into its place. */
const STRICT = new BadCells('throw')

export class TableRows {
  readonly badCells: BadCells
  readonly #rules: ColumnRules
  readonly #chosen: readonly string[] | undefined
  readonly #keyNames: readonly string[]
  readonly #rename: ColumnRename | undefined
  /** The columns, as soon as they are known: with a schema at once, else with the first row. */
  columns: readonly PlannedColumn[] | undefined
  key: readonly PlannedColumn[] = []
  #names: readonly string[] = []
  /** The names of properties: those of the columns, and those that `columns` leaves out. */
  #known: ReadonlySet<string> = new Set()
  #reading: Reading | undefined
  /**
   * Number of rows so far, those that were left out included. Who writes rows without {@link
   * valuesOf} counts them.
   */
  rows = 0

  /** @throws FeedError OPTION_INVALID */
  constructor(rules: ColumnRules, { schema, columns, key = [], rename, onBadCell }: TableSettings) {
    this.#rules = rules
    this.#chosen = columns
    this.#keyNames = key
    this.#rename = rename
    this.badCells = new BadCells(onBadCell)
    if (columns !== undefined) this.#checkKey(columns)
    if (schema !== undefined) {
      const known = Object.entries(checkedSchema('schema', schema).columns)
      this.#settle(known.map(([name, spec]) => ({ name, spec })))
    }
  }

  /**
   * Learns the columns of a batch, which may have no row.
   * @throws FeedError COLUMN_UNKNOWN, OPTION_INVALID
   */
  see(item: unknown): void {
    const header = headerOf(item)
    if (header === undefined || this.columns !== undefined) return
    if (this.#chosen !== undefined) projectionsOf(header).of(this.#chosen)
    this.#settle(header.all)
  }

  /** Learns the types of the table's columns. @param types by their names in the database */
  meet(types: { get(name: string): string | undefined }): void {
    this.columns = this.columns!.map(column => {
      const type = types.get(this.#rules.foldName(column.sqlName))!
      return { ...column, form: this.#rules.formIn(column, type) }
    })
    this.key = this.key.map(({ name }) => this.columns!.find(column => column.name === name)!)
    this.#reading = undefined
  }

  /**
   * Returns the values of a row in the order of the columns; undefined where the row went into a
   * quarantine.
   * @param header where the element is an object of a batch of columns
   * @throws FeedError SINK_VALUE_INVALID, CELL_INVALID, COLUMN_UNKNOWN, OPTION_INVALID
   */
  valuesOf(element: unknown, header?: BoundHeader): unknown[] | undefined {
    this.rows++
    if (isRow(element)) return this.#valuesOf(this.#readingOf(element.batch.header), element)
    const object = plainObject(element, this.#known, reason => this.#invalid(reason))
    if (this.columns === undefined)
      throw optionInvalid('schema', 'that of the plain objects', undefined)
    if (header === undefined) this.#refuseLosses(object)
    const cells = header === undefined ? object : this.#cellsOf(object, header)
    return this.#valuesOf(this.#readingOf(header), cells)
  }

  /**
   * Returns whether the cells of these rows can be written as they stand in the file, but for those
   * that {@link cellOf} decides about.
   */
  areOwn({ header }: RowBatch<Columns>): boolean {
    return this.badCells.quarantine === undefined && this.#readingOf(header).isOwn
  }

  /** Returns the value of one cell. @throws FeedError CELL_INVALID */
  cellOf(row: Row<Columns>, name: string): unknown {
    const n = this.#names.indexOf(name)
    return this.#cell(row, this.columns![n]!, this.#readingOf(row.batch.header).converters[n]!)
  }

  /**
   * Decodes rows for which {@link areOwn} is true. Returns their columns in the order of the table's.
   * @throws FeedError CELL_INVALID
   */
  columnsOf(batch: RowBatch<Columns>): ColumnData[] {
    const { converters } = this.#readingOf(batch.header)
    const decoded = decodeColumns(batch, this.#policy)
    return this.columns!.map(({ name, spec, isRequired }, n) => {
      const column = decoded.column(name)
      if (isRequired && column.data.nullCount > 0) for (const row of batch) this.cellOf(row, name)
      if (spec.type === 'json' || !isText(spec)) return column.data
      const values = Array.from(column, (value, at) =>
        placed(() => converters[n]!(value), batch.row(at).position, name),
      )
      return columnData(column.type, values)
    })
  }

  /** A bad cell of a column that the table lacks does not matter. */
  readonly #policy: CellPolicy = {
    read: (row, column) => {
      const known = this.columns!.find(({ name }) => name === column.name)
      return known && this.#badCellsOf(known).read(row, column)
    },
    leaveOut: (row, error) => this.badCells.leaveOut(row, error),
  }

  #badCellsOf({ spec, isRequired }: PlannedColumn): BadCells {
    return isRequired && decoderOf(spec).empty === null ? STRICT : this.badCells
  }

  #refuseLosses(object: PlainObject): void {
    const name = lossOf(object, this.#known)
    if (name === undefined) return
    const known = [...this.#known]
    const text = `row ${this.rows} has a property ${excerpt(name)}, which is no column of the schema`
    const hint = nameHint(name, known) ?? 'leave it out in map, or give the schema the column'
    throw columnUnknown(name, known, text, hint)
  }

  /** Returns an object of a batch of columns under the names of the table. */
  #cellsOf(object: PlainObject, header: BoundHeader): PlainObject {
    const cellOf = (name: string) => object[header.all[columnOf(header, name)]!.name]
    return Object.fromEntries(this.#names.map(name => [name, cellOf(name)]))
  }

  #valuesOf({ converters }: Reading, source: Row<Columns> | PlainObject) {
    const row = isRow(source) ? source : undefined
    const names = this.#names
    try {
      const values = new Array<unknown>(names.length)
      const object = row && exactObject(row, names)
      for (let n = 0; n < names.length; n++) {
        const name = names[n]!
        values[n] = converters[n]!(object === undefined ? ownValue(source, name) : object[name])
      }
      return values
    } catch (error) {
      // A getter or a method of an object may throw anything.
      if (!FeedError.is(error)) throw this.#invalid(excerpt(messageOf(error)), error)
      if (!isBadCell(error)) throw error
    }
    try {
      return this.columns!.map((column, n) => this.#cell(source, column, converters[n]!))
    } catch (error) {
      if (row !== undefined && this.badCells.leaveOut(row, error)) return undefined
      throw error
    }
  }

  /** Reads one cell by the policy for bad cells. */
  #cell(source: object, column: PlannedColumn, convert: Converter): unknown {
    const { name } = column
    const row = isRow(source) ? source : undefined
    const place = row === undefined ? { row: this.rows } : row.position
    const read = () => (row === undefined ? ownValue(source, name) : exactCell(row, name))
    const cell = {
      // An object has no place in a file.
      position: { line: 0, byteOffset: 0, ...place },
      text: () => (row === undefined ? shownValue(read()) : row.text(name as never)),
      get() {
        const value = read()
        placed(() => convert(value), place, name)
        return value
      },
    }
    return convert(this.#badCellsOf(column).read(cell, column))
  }

  /** @param header undefined for plain objects, which have any value */
  #readingOf(header: BoundHeader | undefined): Reading {
    if (this.#reading !== undefined && this.#reading.header === header) return this.#reading
    const isFile = header !== undefined
    const areOwn = this.columns!.map(({ name, spec }) =>
      isSameKind(spec, header?.all[header.indexes.get(name) ?? -1]?.spec),
    )
    const converters = this.columns!.map((column, n) => converterOf(column, areOwn[n]!, isFile))
    const isOwn = areOwn.every(Boolean) && this.#areWritten(header)
    return (this.#reading = { header, converters, isOwn })
  }

  /** Returns whether a file has the columns under their names, or lacks those that may be empty. */
  #areWritten(header: BoundHeader | undefined): boolean {
    return this.columns!.every(({ name, isRequired }) => {
      const column = header?.columns[header.indexes.get(name) ?? -1]
      return column === undefined ? !isRequired : column.name === name
    })
  }

  #settle(known: readonly TableColumn[]): void {
    const specs = new NamedColumns(known.map(({ name, spec }) => [name, spec]))
    const columns = this.#chosen?.map(name => ({ name, spec: specs.get(name) ?? TEXT })) ?? known
    this.#names = columns.map(({ name }) => name)
    // A column that is chosen in another spelling has its cells under the chosen one.
    const chosen = new NamedColumns(columns.map(({ name }) => [name, name]))
    this.#known = new Set([...known.map(({ name }) => chosen.get(name) ?? name), ...this.#names])
    this.#checkKey(this.#names)
    const sqlNames = columnNames(this.#rules, this.#names, this.#rename)
    this.columns = columns.map(({ name, spec }, n) => {
      const isRequired = spec.notNull === true || this.#keyNames.includes(name)
      const form = this.#rules.formOf(spec, isRequired)
      return { name, spec, sqlName: sqlNames[n]!, form, isRequired }
    })
    this.key = this.#keyNames.map(name => this.columns!.find(column => column.name === name)!)
  }

  #checkKey(names: readonly string[]): void {
    const unknown = this.#keyNames.find(name => !names.includes(name))
    if (unknown !== undefined)
      throw optionInvalid('key', `columns of the table (${names.join(', ')})`, unknown)
  }

  #invalid(reason: string, cause?: unknown) {
    return valueInvalid(this.#rules.name, this.rows, reason, cause)
  }
}

/**
 * @param isOwn true where the value was read as the column's own kind
 * @param isFile true where the value is that of a file's cell
 */
function converterOf(
  { spec, form, isRequired }: PlannedColumn,
  isOwn: boolean,
  isFile: boolean,
): Converter {
  const { type } = spec
  const isJson = type === 'json'
  const converted = (given: NonNullable<unknown>) => {
    if (isOwn && type !== 'cell') return form.convert(given)
    const value = given instanceof JsonCell && !isJson ? given.text : given
    if (!isJson || !isFile || typeof value !== 'string')
      return form.convert(checkedValue(spec, value))
    decodeJson(value)
    return form.convert(new JsonCell(value))
  }
  return value => {
    if (value === null || value === undefined || (value === '' && (!isJson || isFile))) {
      if (isRequired) throw invalidCell(type, 'the cell is empty, and the column is NOT NULL', '')
      return null
    }
    try {
      const cell = converted(value)
      if (cell !== UNFIT && (typeof cell !== 'string' || cell.isWellFormed())) return cell
    } catch (cause) {
      if (FeedError.is(cause)) throw cause
      throw invalidCell(type, excerpt(messageOf(cause)), shownValue(value), cause)
    }
    throw invalidCell(type, `it does not fit ${form.sql}`, shownValue(value))
  }
}

function isSameKind(spec: ColumnSpec, other: ColumnSpec | undefined): boolean {
  return spec === other || (spec.type === 'text' && other?.type === 'text')
}

/** Adds the place to the error of a cell. */
function placed<T>(work: () => T, place: Partial<RowPosition>, column: string): T {
  try {
    return work()
  } catch (error) {
    if (!isBadCell(error)) throw error
    const context = { ...error.context, ...place, column }
    throw new FeedError('CELL_INVALID', `${column}: ${error.message}`, context, { cause: error })
  }
}

/** Inherited properties do not count, because a column may be named `constructor`. */
function ownValue(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined
}
