// The columns of a CSV file: those that the caller names, or those of the first row. Finds names
// that no row has, and cells that would be lost because they have no column.

import type { Row } from '../codec/row'
import { excerpt, FeedError } from '../errors'
import { optionInvalid } from '../options'
import type { ElementOf } from '../pipeline/batch'

/**
 * The names that a type knows of an item's rows or objects; `string` where only run time knows
 * them.
 */
export type ColumnOf<T> = NameIn<ElementOf<T>>
type NameIn<E> = unknown extends E
  ? string
  : E extends Row<infer C>
    ? keyof C & string
    : E extends object
      ? NameOf<E>
      : string
/** A type without names promises nothing. */
type NameOf<O> = [keyof O] extends [never] ? string : keyof O & string

/**
 * Objects in which a named column may come for the first time. Rows of a parser need no such
 * patience: each knows all names of its file. Lines are held back until then, so that nothing is
 * written when a name turns out to be wrong.
 */
export const SEARCHED_ROWS = 1000

type PlainObject = Readonly<Record<string, unknown>>

export class CsvColumns {
  readonly #chosen: readonly string[] | undefined
  #names: readonly string[] | undefined
  /** Names of the caller that no object has had so far. */
  readonly #missing: Set<string>
  /** Names of the first row, where the caller gave none. */
  readonly #known = new Set<string>()
  readonly #seen = new Set<string>()
  #rows = 0

  constructor(chosen: readonly string[] | undefined) {
    this.#chosen = chosen
    this.#names = chosen
    this.#missing = new Set(chosen)
  }

  /** In the order of the file; undefined before the first row where the caller named none. */
  get names(): readonly string[] | undefined {
    return this.#names
  }

  /** Rows so far. */
  get rows(): number {
    return this.#rows
  }

  /** Whether a row has had each column. Until then no line may be written. */
  get isSettled(): boolean {
    return this.#missing.size === 0
  }

  /** A row's cells by name, checked. @throws FeedError COLUMN_UNKNOWN */
  cellsOf(element: object): PlainObject {
    const { toObject } = element as {
      readonly toObject?: (columns?: readonly string[]) => PlainObject
    }
    const isRow = typeof toObject === 'function'
    // A row of a file knows all names of its file, so it refuses a wrong one itself; and it reads
    // only these cells.
    const cells = isRow ? toObject.call(element, this.#chosen) : (element as PlainObject)
    this.#rows++
    if (this.#chosen === undefined) this.#refuseLosses(cells)
    else if (!this.isSettled) this.#search(cells)
    return cells
  }

  /**
   * At the end, or after enough rows: a column that no row had is a wrong name.
   * @throws FeedError COLUMN_UNKNOWN
   */
  settle(): void {
    const [column] = this.#missing
    if (column === undefined || this.#rows === 0) return
    throw columnUnknown(column, [...this.#seen], `no row has a column ${excerpt(column)}`)
  }

  #search(cells: PlainObject): void {
    for (const name of this.#missing) if (Object.hasOwn(cells, name)) this.#missing.delete(name)
    if (this.isSettled) return
    // Only for the message: what the names could have been.
    if (this.#seen.size < MAX_SHOWN) for (const name of Object.keys(cells)) this.#seen.add(name)
    if (this.#rows >= SEARCHED_ROWS) this.settle()
  }

  #refuseLosses(cells: PlainObject): void {
    if (this.#names === undefined) {
      this.#names = Object.keys(cells)
      for (const name of this.#names) this.#known.add(name)
      return
    }
    for (const name of Object.keys(cells)) {
      if (this.#known.has(name)) continue
      const text = `row ${this.#rows} has a column ${excerpt(name)} that the first row does not have: name all columns in the option columns`
      throw columnUnknown(name, this.#names, text)
    }
  }
}

/** Names shown in an error. */
const MAX_SHOWN = 200

function columnUnknown(
  column: string,
  known: readonly string[],
  message: string,
): FeedError<'COLUMN_UNKNOWN'> {
  const shown = known.slice(0, MAX_SHOWN).map(name => excerpt(name))
  return new FeedError('COLUMN_UNKNOWN', message, { column: excerpt(column), known: shown })
}

/** @throws FeedError OPTION_INVALID */
export function checkColumns(columns: readonly string[]): readonly string[] {
  const isList =
    Array.isArray(columns) && columns.length > 0 && columns.every(name => typeof name === 'string')
  if (!isList) throw optionInvalid('columns', 'a list of one column name or more', columns)
  const repeated = columns.find((name, n) => columns.indexOf(name) !== n)
  if (repeated !== undefined)
    throw optionInvalid('columns', 'a list of names that differ', repeated)
  // A copy: what the caller does with the list later changes nothing.
  return [...columns]
}
