// Projections: the columns that plain objects of rows have, with the makers of these objects. A
// projection is prepared once for a header and its columns, not for each row.

import type { ColumnSpec } from '../schema/column-spec'
import { decoderOf, KINDS } from './kinds/all-kinds'
import { invalidCell } from './kinds/kind-of-cells'
import {
  type ObjectMaker,
  objectMaker,
  type TextObjectMaker,
  textObjectMaker,
} from './object-maker'
import type { ColumnReader } from './row-cells'
import { type BoundHeader, columnOf } from './tsv/header'

/**
 * The most projections that one header remembers. A program has a handful; one that never repeats a
 * projection prepares each of them anew.
 */
const MAX_PROJECTIONS = 64

export class Projection {
  /** Indexes of the columns in the file, in the order of the values that the makers take. */
  readonly columns: Int32Array
  /** The index of a column that is notNull and that the rows lack; undefined where there is none. */
  readonly lacking: number | undefined
  readonly #header: BoundHeader
  /** Names of the columns, as the caller spells them. */
  readonly #names: readonly string[]
  /** Names of the columns that the file lacks. */
  readonly #absent: readonly string[]
  #ofTexts: TextObjectMaker | undefined
  #ofValues: ObjectMaker | undefined

  /** @throws FeedError COLUMN_UNKNOWN */
  constructor(header: BoundHeader, names: readonly string[]) {
    const isInFile = (name: string) => columnOf(header, name) < header.columns.length
    this.#header = header
    this.#names = names.filter(isInFile)
    this.#absent = names.filter(name => !isInFile(name))
    this.columns = Int32Array.from(this.#names, name => columnOf(header, name))
    this.lacking = this.#absent
      .map(name => columnOf(header, name))
      .find(column => header.all[column]!.spec.notNull)
  }

  /** Makes an object of the columns' texts; '' for a column that the file lacks. */
  get ofTexts(): TextObjectMaker {
    return (this.#ofTexts ??= textObjectMaker({
      columns: this.columns,
      names: this.#names,
      absent: this.#absent,
    }))
  }

  /**
   * Makes an object of the columns' values; the type's empty value for a column that the file
   * lacks.
   */
  get ofValues(): ObjectMaker {
    return (this.#ofValues ??= objectMaker({
      names: this.#names,
      constants: this.#absent.map(name => [
        name,
        decoderOf(this.#header.all[columnOf(this.#header, name)]!.spec).empty,
      ]),
    }))
  }
}

/** The projections of one header. */
export class Projections {
  /** All columns of the file. */
  readonly file: Projection
  /** All columns of the file and of the schema. */
  readonly all: Projection
  /** The readers of all columns. */
  readonly readers: readonly ColumnReader[]
  /** True where the values of a row may have bigints. */
  readonly mayHaveBigInts: boolean
  /** True where a column has JSON. */
  readonly hasJson: boolean
  readonly #header: BoundHeader
  readonly #known = new Map<string, Projection>()
  #lastNames: readonly string[] = []
  #last: Projection | undefined

  constructor(header: BoundHeader) {
    const names = header.all.map(({ name }) => name)
    this.file = new Projection(header, names.slice(0, header.columns.length))
    this.all = new Projection(header, names)
    this.readers = header.all.map(({ spec }) => readerOf(spec))
    this.mayHaveBigInts = header.all.some(({ spec }) => mayHaveBigInts(spec))
    this.hasJson = header.all.some(({ spec }) => spec.type === 'json')
    this.#header = header
  }

  /** The projection to these columns. @throws FeedError COLUMN_UNKNOWN */
  of(names: readonly string[]): Projection {
    if (this.#last !== undefined && sameNames(this.#lastNames, names)) return this.#last
    const key = JSON.stringify(names)
    const projection = this.#known.get(key) ?? new Projection(this.#header, [...new Set(names)])
    if (this.#known.size === MAX_PROJECTIONS) this.#known.clear()
    this.#known.set(key, projection)
    this.#lastNames = [...names]
    return (this.#last = projection)
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false
  return true
}

const projections = new WeakMap<BoundHeader, Projections>()

/** The projections of a header, which all batches of a file share. */
export function projectionsOf(header: BoundHeader): Projections {
  let known = projections.get(header)
  if (known === undefined) projections.set(header, (known = new Projections(header)))
  return known
}

function readerOf(spec: ColumnSpec): ColumnReader {
  const { empty, decode, read } = decoderOf(spec)
  const isText = spec.type === 'text'
  if (spec.notNull !== true) return { isText, empty, decode, read }
  // A getter costs the columns that may be empty nothing: they have no check at all.
  return {
    isText,
    get empty(): unknown {
      throw invalidCell(spec.type, 'the cell is empty, and the column is notNull', '')
    },
    decode,
    read,
  }
}

/** Returns whether the values of a column may be bigints or lists of them. */
export function mayHaveBigInts({ type, element }: ColumnSpec): boolean {
  return KINDS[type].mayHaveBigInts ?? (element !== undefined && mayHaveBigInts(element))
}

/** A replacer of JSON.stringify that writes bigints, for which JSON has no form, as text. */
export const bigIntAsText = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value

/** Returns the object with text in place of bigints, also of those in lists. */
export function bigIntsAsText<T extends object>(object: T): { [N in keyof T]: unknown } {
  const changed: { [N in keyof T]: unknown } = { ...object }
  for (const name of Object.keys(object) as (keyof T)[]) changed[name] = asText(object[name])
  return changed
}

function asText(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? value.map(each => asText(each)) : value
}
