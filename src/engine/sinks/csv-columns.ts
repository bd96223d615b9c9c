// The columns of a CSV file: the caller's, or those of the first row. This file finds names that no
// row has, and cells that would be lost because they have no column.

import { exactObject, isRow } from '../codec/json-cell'
import { projectionsOf } from '../codec/projection'
import type { Row } from '../codec/row-batch'
import { excerpt, type FeedError } from '../errors'
import { nameHint } from '../options'
import { type ElementOf, headerOf } from '../pipeline/batch'
import { columnUnknown, lossOf, MAX_SHOWN, type PlainObject, plainObject } from './plain-objects'

/**
 * The column names of an item's rows or objects by their type; `string` where the type does not
 * have them.
 */
export type ColumnOf<T> = NameIn<ElementOf<T>>
type NameIn<E> = unknown extends E
  ? string
  : E extends Row<infer C>
    ? keyof C & string
    : E extends object
      ? NameOf<E>
      : string
/** A type without properties says nothing about names. */
type NameOf<O> = [keyof O] extends [never] ? string : keyof O & string

/**
 * Number of plain objects in which the sink looks for a named column. Lines are held back until
 * every column has been seen, so that nothing is written when a name is wrong. A row of a parser
 * knows all names of its file, so the first one decides.
 */
export const SEARCHED_ROWS = 1000

export class CsvColumns {
  readonly #chosen: readonly string[] | undefined
  /**
   * The column names in the order of the file; undefined before the first batch or object where the
   * caller gave no columns.
   */
  names: readonly string[] | undefined
  /** The names, for quick look-ups. */
  readonly known: Set<string>
  /** The caller's names that no object has had so far. */
  readonly #missing: Set<string>
  #slip: FeedError | undefined
  readonly #seen = new Set<string>()
  /** Number of rows so far. */
  rows = 0

  constructor(chosen: readonly string[] | undefined) {
    this.#chosen = chosen
    this.names = chosen
    this.known = new Set(chosen)
    this.#missing = new Set(chosen)
  }

  /** True once every chosen column was in some batch. Until then the sink holds its lines back. */
  get isSettled(): boolean {
    return this.#missing.size === 0
  }

  /**
   * Learns the columns of a batch, which may have no row.
   * @throws FeedError COLUMN_UNKNOWN
   */
  see(item: unknown): void {
    const header = headerOf(item)
    if (header === undefined) return
    if (this.#chosen === undefined) this.names ??= header.all.map(({ name }) => name)
    else if (!this.isSettled) {
      projectionsOf(header).of(this.#chosen)
      this.#missing.clear()
    }
  }

  /**
   * Returns the cells of a row by column name, after the checks.
   * @param invalid makes the error of a value that is no row, with the reason
   * @throws FeedError COLUMN_UNKNOWN
   */
  cellsOf(element: unknown, invalid: (reason: string) => FeedError): PlainObject {
    // A row knows all names of its file: it refuses a wrong one itself, and reads the chosen cells
    // only.
    const isOfFile = isRow(element)
    const cells = isOfFile
      ? exactObject(element, this.#chosen)
      : plainObject(element, this.known, invalid)
    this.rows++
    if (this.#chosen === undefined) this.#refuseLosses(cells)
    else if (!this.isSettled) this.#search(cells)
    if (!isOfFile) this.#slip ??= this.#findSlip(cells)
    // A column that no row has is the better reason, until some row has had it.
    if (this.#slip !== undefined && this.isSettled) throw this.#slip
    return cells
  }

  /**
   * Fails for a column that no row has had. The sink calls it at the end and after {@link
   * SEARCHED_ROWS} objects.
   * @throws FeedError COLUMN_UNKNOWN
   */
  settle(): void {
    const [column] = this.#missing
    if (column === undefined || this.rows === 0) return
    throw columnUnknown(column, [...this.#seen], `no row has a column ${excerpt(column)}`)
  }

  #search(cells: PlainObject): void {
    for (const name of this.#missing) if (Object.hasOwn(cells, name)) this.#missing.delete(name)
    if (this.isSettled) return
    // The message of the error lists the names that were seen.
    if (this.#seen.size < MAX_SHOWN) for (const name of Object.keys(cells)) this.#seen.add(name)
    if (this.rows >= SEARCHED_ROWS) this.settle()
  }

  #refuseLosses(cells: PlainObject): void {
    this.names ??= Object.keys(cells)
    if (this.known.size === 0) for (const name of this.names) this.known.add(name)
    const name = lossOf(cells, this.known)
    if (name === undefined) return
    const text = `row ${this.rows} has a column ${excerpt(name)} that the first row does not have`
    throw columnUnknown(name, this.names, text, 'name all columns in the option columns')
  }

  /** A caller may leave properties out, but not one in place of which a column would be empty. */
  #findSlip(cells: PlainObject): FeedError | undefined {
    const lacking = this.names!.filter(name => name.length > 2 && !Object.hasOwn(cells, name))
    for (const name of lacking.length === 0 ? [] : Object.keys(cells)) {
      // Names in a series, such as image1 and image2, differ in their digits.
      const near = lacking.filter(other => other.replace(/\d/g, '') !== name.replace(/\d/g, ''))
      if (this.known.has(name) || nameHint(name, near) === undefined) continue
      const text = `row ${this.rows} has a property ${excerpt(name)}, which is not in columns`
      return columnUnknown(name, near, text)
    }
    return undefined
  }
}
