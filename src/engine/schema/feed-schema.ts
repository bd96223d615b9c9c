// What a schema is: its name and its columns, as data, with the types that follow from them.
// column-spec.ts has a single column. Binding a schema to the header of a real file is
// codec/tsv/header.ts.

import { is, type OptionTable, optionInvalid, readOptions } from '../options'
import { type ColumnSpec, checkColumn, spellingOf } from './column-spec'

export type Columns = Readonly<Record<string, ColumnSpec>>

export type FeedName = 'item' | 'item_group' | 'item_snapshot' | 'item_priority'

export interface FeedSchema<C extends Columns = Columns> {
  /**
   * The name of the feed. Messages have it, and the rows of the schema have it as `feed` of their
   * file. The four names of {@link FeedName} say that the file is one of these feeds.
   */
  readonly name: FeedName | (string & {})
  /** The columns by their names, in the order in which rows have them. */
  readonly columns: C
}

/** The columns of a file that is read without a schema: any name, and every cell is text. */
export type TextColumns = Readonly<Record<string, ColumnSpec<string | null>>>

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
  ? C[string]['__cell']
  : string extends N
    ? unknown
    : N extends keyof C
      ? C[N]['__cell']
      : never

/**
 * A row as a plain object: every column of `C`, typed. Columns that only the file has are
 * properties of the object as well, with text; the type `Record<string, unknown>`, to which this
 * one is assignable, reads them.
 */
export type RowObject<C extends Columns> = { -readonly [N in keyof C]: C[N]['__cell'] }

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
  /** One of the four feeds, or the name of the schema that the file is read with. */
  readonly feed: FeedName | (string & {})
  /** The marketplace of the rows. Default: unknown. */
  readonly marketplace?: string
  /** The top-level category of the rows. Default: unknown. */
  readonly categoryId?: string
  /** The scope of a file of items or groups. Default: unknown. */
  readonly scope?: 'ALL_ACTIVE' | 'NEWLY_LISTED'
  /** The day of a daily file, `yyyyMMdd`. Default: unknown. */
  readonly date?: string
  /** The hour H of a snapshot file, as its first instant. Default: unknown. */
  readonly hour?: Date
  /** `Last-Modified`: the file's generation. Default: unknown. */
  readonly lastModified?: Date
  /** The identifier of a file of a feed of your own, where `sync` has read it. Default: unknown. */
  readonly id?: string
  /** Whether a file of a feed of your own has all rows. Default: unknown. */
  readonly kind?: 'full' | 'changes'
}

/**
 * A schema, with the types of its columns.
 * @throws FeedError OPTION_INVALID with the column's name, for a wrong part of a column and for two
 * columns of one spelling
 * @example
 * ```ts
 * import { defineSchema, int32, pipeline, text, TsvRowParser } from 'feedmill'
 *
 * const schema = defineSchema({
 *   name: 'stock',
 *   columns: { sku: text({ required: true, notNull: true }), stock: int32() },
 * })
 * const rows = await pipeline([Buffer.from('sku\tstock\nA-1\t12\n')])
 *   .to(new TsvRowParser({ schema }))
 *   .toArray()
 * console.log(rows[0]?.get('sku'), rows[0]?.get('stock'))
 * // => A-1 12
 * ```
 */
export function defineSchema<C extends Columns>(definition: FeedSchema<C>): FeedSchema<C> {
  return checkedSchema('schema', definition)
}

const SCHEMA_PARTS = {
  name: is.filledText,
  columns: (option, columns) =>
    is.anObject(option, columns, 'an object with a column under each name'),
} satisfies OptionTable<FeedSchema>

/** Every parser checks its schema, and a program makes many parsers with a handful of schemas. */
const checked = new WeakSet<object>()

/**
 * Checks a schema, and returns it.
 * @throws FeedError OPTION_INVALID with the column's name
 */
export function checkedSchema<S extends FeedSchema>(option: string, schema: S): S {
  if (checked.has(schema)) return schema
  const { columns } = readOptions<FeedSchema, typeof SCHEMA_PARTS>(schema, SCHEMA_PARTS, option, '')
  const spellings = new Map<string, string>()
  for (const [name, spec] of Object.entries(columns)) {
    checkColumn(`columns.${name}`, spec)
    for (const spelling of [name, ...(spec.aliases ?? [])]) checkSpelling(spellings, name, spelling)
  }
  checked.add(schema)
  return schema
}

/** Names of one spelling are the same name, so no two columns may have one. */
function checkSpelling(spellings: Map<string, string>, column: string, spelling: string): void {
  const other = spellings.get(spellingOf(spelling))
  if (other !== undefined && other !== column) {
    const expected = `spelt otherwise than the column ${other}, case and spaces around it apart`
    throw optionInvalid(`columns.${column}`, expected, spelling)
  }
  spellings.set(spellingOf(spelling), column)
}
