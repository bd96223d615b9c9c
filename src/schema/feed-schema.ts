// What a feed's columns are, as data: name, type, aliases, deprecation, the section it comes from.
// Binding a schema to the header of a real file is codec/tsv/header.ts.

import { choice, filledText, knownOptions, type OptionNames, optionInvalid } from '../options'
import { CELL_TYPES, type CellType, type CellTypes } from './values'

export interface ColumnSpec<T extends CellType = CellType> {
  readonly type: T
  /** Other header spellings, beside the column's name; all are matched without regard to case. */
  readonly aliases?: readonly string[]
  /** A file that lacks the column or repeats it is refused. */
  readonly required?: true
  /** The statement of its section about the column's end, if there is one. */
  readonly deprecated?: string
  /** Page and section, e.g. `item-feeds.md, section 2.2`. */
  readonly source: string
}

export type Columns = Readonly<Record<string, ColumnSpec>>

export type FeedName = 'item' | 'item_group' | 'item_snapshot' | 'item_priority'

export interface FeedSchema<C extends Columns = Columns> {
  readonly feed: FeedName | 'other'
  readonly columns: C
}

/** The columns of a file that is read without a schema: any name, and every cell is text. */
export type TextColumns = Readonly<Record<string, ColumnSpec<'text'>>>

/**
 * The name `N` as an argument, where `C` are the columns of the rows. A literal has to be one of
 * them; a name of type `string` may be any column of the file. A wrong literal is a compile error
 * that lists the columns.
 */
export type ColumnName<C extends Columns, N extends string> = string extends N
  ? N
  : keyof C & string

/**
 * The type of one cell: of a column of `C` its own; of a name that only run time knows `unknown`,
 * unless `C` has any name.
 */
export type CellOf<C extends Columns, N extends string> = string extends N & keyof C
  ? CellTypes[C[string]['type']]
  : string extends N
    ? unknown
    : N extends keyof C
      ? CellTypes[C[N]['type']]
      : never

/**
 * A row as a plain object: every column of `C`, typed. Columns that only the file has are
 * properties of the object as well, with text; the type `Record<string, unknown>`, to which this
 * one is assignable, reads them.
 */
export type RowObject<C extends Columns> = { -readonly [N in keyof C]: CellTypes[C[N]['type']] }

/**
 * The projection of `C` to the columns `N`, or `C` itself where `N` has all columns. For names that
 * only run time knows it is `Columns`.
 */
export type ChosenColumns<C extends Columns, N extends string> = string extends N
  ? string extends keyof C
    ? C
    : Columns
  : [keyof C] extends [N]
    ? C
    : Pick<C, N & keyof C>

/** Which file a row came from, as far as the caller knows. */
export interface FeedFile {
  readonly feed: FeedName | 'other'
  readonly marketplace?: string
  readonly categoryId?: string
  readonly scope?: 'ALL_ACTIVE' | 'NEWLY_LISTED'
  /** The day of a daily file, `yyyyMMdd`. */
  readonly date?: string
  /** The hour H of a snapshot file, as its first instant. */
  readonly hour?: Date
  /** `Last-Modified`: the file's generation. */
  readonly lastModified?: Date
}

/**
 * A schema, with the literal types of its columns.
 * @throws FeedError OPTION_INVALID for a column whose type does not exist, and for two columns of
 * one spelling
 * @example
 * ```ts
 * import { defineSchema, pipeline, TsvRowParser } from 'feedmill'
 *
 * const schema = defineSchema('item', {
 *   sku: { type: 'text', required: true, source: 'our own file' },
 *   stock: { type: 'int32', source: 'our own file' },
 * })
 * const rows = await pipeline([Buffer.from('sku\tstock\nA-1\t12\n')])
 *   .to(new TsvRowParser({ schema }))
 *   .toArray()
 * console.log(rows[0]?.get('sku'), rows[0]?.get('stock'))
 * // => A-1 12
 * ```
 */
export function defineSchema<const C extends Columns>(
  feed: FeedSchema['feed'],
  columns: C,
): FeedSchema<C> {
  return checkedSchema('schema', { feed, columns })
}

const FEEDS = ['item', 'item_group', 'item_snapshot', 'item_priority', 'other'] as const
const SPEC_PARTS: OptionNames<ColumnSpec> = {
  type: true,
  aliases: true,
  required: true,
  deprecated: true,
  source: true,
}
const SCHEMA_PARTS: OptionNames<FeedSchema> = { feed: true, columns: true }

/** Every parser checks its schema, and a program makes many parsers with a handful of schemas. */
const checked = new WeakSet<object>()

/**
 * Checks a schema, and returns it.
 * @throws FeedError OPTION_INVALID with the column's name
 */
export function checkedSchema<S extends FeedSchema>(option: string, schema: S): S {
  if (checked.has(schema)) return schema
  knownOptions<FeedSchema>(schema, SCHEMA_PARTS, option)
  choice('feed', schema.feed, FEEDS)
  if (
    typeof schema.columns !== 'object' ||
    schema.columns === null ||
    Array.isArray(schema.columns)
  ) {
    throw optionInvalid('columns', 'an object with a column under each name', schema.columns)
  }
  const spellings = new Map<string, string>()
  for (const [name, spec] of Object.entries(schema.columns)) {
    checkColumn(`columns.${name}`, spec)
    for (const spelling of [name, ...(spec.aliases ?? [])]) checkSpelling(spellings, name, spelling)
  }
  checked.add(schema)
  return schema
}

function checkColumn(option: string, spec: ColumnSpec): void {
  knownOptions<ColumnSpec>(spec, SPEC_PARTS, option)
  choice(`${option}.type`, spec.type, CELL_TYPES)
  const { aliases, required } = spec
  if (aliases !== undefined && !Array.isArray(aliases))
    throw optionInvalid(`${option}.aliases`, 'a list of header spellings', aliases)
  aliases?.forEach((alias, n) => filledText(`${option}.aliases[${n}]`, alias))
  if (required !== undefined && required !== true)
    throw optionInvalid(`${option}.required`, 'true or left out', required)
}

/**
 * Column names match case-insensitively, so no two columns may have spellings that differ only in
 * case.
 */
function checkSpelling(spellings: Map<string, string>, column: string, spelling: string): void {
  const other = spellings.get(spelling.toLowerCase())
  if (other !== undefined && other !== column) {
    throw optionInvalid(
      `columns.${column}`,
      `spelt otherwise than the column ${other}, case apart`,
      spelling,
    )
  }
  spellings.set(spelling.toLowerCase(), column)
}
