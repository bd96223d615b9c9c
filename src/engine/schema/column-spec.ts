// What a column is, as data, and the check of that data. column-kinds.ts has the functions that
// make it, feed-schema.ts puts columns together, and codec/kinds/all-kinds.ts makes decoders of
// them.

import { type AnyOption, is, type OptionTable, optionInvalid, readOptions } from '../options'
import { CELL_TYPES, type CellType, ELEMENT_TYPES } from './values'

/** What every kind of column may have. */
export interface ColumnOptions {
  /** True where a file that lacks the column or repeats it is refused; false by default. */
  readonly required?: boolean
  /**
   * True where an empty cell is CELL_INVALID and a file that lacks the column is refused, so that
   * the type of its cells has no null; false by default. Where a policy `onBadCell` lets bad cells
   * pass, they have the empty value of their kind nevertheless.
   */
  readonly notNull?: boolean
  /**
   * Other header spellings, beside the column's name. All are matched without regard to case and to
   * spaces around them. Where a file has several, its exact name comes first, then its name, then
   * the aliases in their order; the others are columns of text under their own headings.
   */
  readonly aliases?: readonly string[]
  /** A statement about the column's end, if there is one. */
  readonly deprecated?: string
  /** Where the column is specified, e.g. `item-feeds.md, section 2.2`. */
  readonly source?: string
}

/**
 * A column as data. The functions `text`, `int32`, `oneOf` and so on make it.
 * @typeParam V the type of the column's cells
 */
export interface ColumnSpec<out V = unknown> extends ColumnOptions {
  readonly type: CellType
  /** `oneOf` only: the texts that a cell may have. */
  readonly values?: readonly string[]
  /** `decimal` only: the most digits behind the point; any number of them by default. */
  readonly scale?: number
  /** `list` only: the text between two values. */
  readonly separator?: string
  /** `list` only: the kind of its values; text by default. */
  readonly element?: ColumnSpec
  /** `cell` only: makes the value of a text that is not empty. */
  readonly decode?: (text: string) => unknown
  /** `cell` only: the value of an empty cell; null by default. */
  readonly empty?: unknown
  /** `cell` only: the kind of what `decode` returns; any value by default. */
  readonly as?: ColumnSpec
  /** A property of the type only, never present at run time. */
  readonly __cell: V
}

/** The digits of a decimal with a scale: those of 128 bits, which databases and Arrow have too. */
export const DECIMAL_DIGITS = 38

type Parts = Readonly<Record<string, AnyOption>>

const COMMON: Parts = {
  required: [is.flag],
  notNull: [is.flag],
  aliases: [spellings],
  deprecated: [is.filledText],
  source: [is.filledText],
}
/** The parts that only some kinds have. The values of a list have no other ones. */
const OWN_PARTS: { readonly [T in CellType]?: Parts } = {
  decimal: { scale: [is.wholeNumber(0, DECIMAL_DIGITS)] },
  oneOf: { values: distinctTexts },
  list: {
    separator,
    element: [
      (option: string, element: ColumnSpec) => checkParts(option, element, ELEMENT_TYPES, {}),
    ],
  },
  cell: {
    decode: is.callback,
    empty: is.any,
    as: [(option: string, spec: ColumnSpec) => checkParts(option, spec, KINDS_OF_VALUES, {})],
  },
}

/** The kinds that `cell` can name: those whose values no function decodes. */
const KINDS_OF_VALUES = CELL_TYPES.filter(type => type !== 'cell' && type !== 'json')

/** @throws FeedError OPTION_INVALID with `option`, which contains the column's name */
export function checkColumn(option: string, spec: ColumnSpec): void {
  checkParts(option, spec, CELL_TYPES, COMMON)
}

/** Checks the kind of a column or of a list's values, and that it has no part of another kind. */
function checkParts(
  option: string,
  spec: ColumnSpec,
  types: readonly CellType[],
  common: Parts,
): void {
  const { type } = is.anObject(option, spec, 'an object, such as text() or int32() makes')
  is.choice(...types)(`${option}.type`, type)
  const parts = { type: is.any, ...common, ...OWN_PARTS[type] }
  for (const [name, part] of Object.entries(spec)) {
    if (Object.hasOwn(parts, name)) continue
    const expected = `left out, because the parts of ${type} are ${Object.keys(parts).join(', ')}`
    throw optionInvalid(`${option}.${name}`, expected, part)
  }
  readOptions(spec, parts as object as OptionTable<ColumnSpec>, option)
}

function spellings(option: string, values: readonly string[]): readonly string[] {
  if (Array.isArray(values)) return is.texts(option, values)
  throw optionInvalid(option, 'a list of header spellings', values)
}

function distinctTexts(option: string, values: readonly string[]): readonly string[] {
  const expected = 'an array of at least one text, each of them once and not empty'
  if (Array.isArray(values) && values.length > 0 && new Set(values).size === values.length)
    return is.texts(option, values)
  throw optionInvalid(option, expected, values)
}

function separator(option: string, value: string): string {
  if (typeof value === 'string' && value !== '' && !/[\t\r\n]/.test(value)) return value
  throw optionInvalid(option, 'text that is not empty and has no tab and no line end', value)
}

// Column names as files, schemas and callers spell them. Names are the same where they differ only
// in case, and in spaces or a byte order mark around them.

export function spellingOf(columnName: string): string {
  return columnName.trim().toLowerCase()
}

/**
 * Values by column name. A name that is not there finds the only name of the same spelling; where
 * several have that spelling, only an exact name finds one.
 */
export class NamedColumns<V> extends Map<string, V> {
  /** The name of each spelling; undefined where several names have it. */
  #names: Map<string, string | undefined> | undefined

  override has(name: string): boolean {
    return this.#nameOf(name) !== undefined
  }

  override get(name: string): V | undefined {
    const known = this.#nameOf(name)
    return known === undefined ? undefined : super.get(known)
  }

  #nameOf(name: string): string | undefined {
    return super.has(name) ? name : (this.#names ??= this.#spellings()).get(spellingOf(name))
  }

  #spellings(): Map<string, string | undefined> {
    const names = new Map<string, string | undefined>()
    for (const name of this.keys()) {
      const spelling = spellingOf(name)
      names.set(spelling, names.has(spelling) ? undefined : name)
    }
    return names
  }
}
