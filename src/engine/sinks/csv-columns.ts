// The columns of a CSV file: the caller's, or those of the first row. This file finds names that no
// row has, and cells that would be lost because they have no column.

import { exactObject, isRow } from '../codec/json-cell'
import { projectionsOf } from '../codec/projection'
import type { Row } from '../codec/row'
import { excerpt, FeedError } from '../errors'
import { nameHint } from '../options'
import { type ElementOf, headerOf } from '../pipeline/batch'

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

type PlainObject = Readonly<Record<string, unknown>>

export class CsvColumns {
  readonly #chosen: readonly string[] | undefined
  /**
   * The column names in the order of the file; undefined before the first batch or object where the
   * caller gave no columns.
   */
  names: readonly string[] | undefined
  /** The caller's names that no object has had so far. */
  readonly #missing: Set<string>
  /** The names where the caller gave no columns, for quick look-ups. */
  readonly #known = new Set<string>()
  readonly #seen = new Set<string>()
  /** Number of rows so far. */
  rows = 0

  constructor(chosen: readonly string[] | undefined) {
    this.#chosen = chosen
    this.names = chosen
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
   * Returns the cells of a row by column name, after the checks. @throws FeedError COLUMN_UNKNOWN
   */
  cellsOf(element: object): PlainObject {
    // A row knows all names of its file: it refuses a wrong one itself, and reads the chosen cells
    // only.
    const cells = isRow(element) ? exactObject(element, this.#chosen) : (element as PlainObject)
    this.rows++
    if (this.#chosen === undefined) this.#refuseLosses(cells)
    else if (!this.isSettled) this.#search(cells)
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
    const seen = [...this.#seen]
    const hint = nameHint(column, seen)
    const text = `no row has a column ${excerpt(column)}`
    throw columnUnknown(column, seen, hint === undefined ? text : `${text}: ${hint}`)
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
    if (this.#known.size === 0) for (const name of this.names) this.#known.add(name)
    for (const name of Object.keys(cells)) {
      if (this.#known.has(name)) continue
      const text = `row ${this.rows} has a column ${excerpt(name)} that the first row does not have: name all columns in the option columns`
      throw columnUnknown(name, this.names, text)
    }
  }
}

/** Number of names that an error lists. */
const MAX_SHOWN = 200

function columnUnknown(
  column: string,
  known: readonly string[],
  message: string,
): FeedError<'COLUMN_UNKNOWN'> {
  const shown = known.slice(0, MAX_SHOWN).map(name => excerpt(name))
  return new FeedError('COLUMN_UNKNOWN', message, { column: excerpt(column), known: shown })
}
