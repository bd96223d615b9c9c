// The functions that make the columns of a schema: one for each kind of cell. They only put data
// together. defineSchema checks it, because only there the column has a name.

import { is, type NoPromise } from '../options'
import type { ColumnOptions, ColumnSpec } from './column-spec'
import type { CellTypes } from './values'

/** The options of a column whose cells are never empty. */
export type NotNull = ColumnOptions & { readonly notNull: true }

/** The options of a column that {@link cell} makes. */
export interface CellOptions<E> extends ColumnOptions {
  /** The value of an empty cell, and of a column that the file lacks; null by default. */
  readonly empty?: E
  /**
   * The kind of what the function returns, such as `int32()`, which a column batch and sinks then
   * have as such. A value of another kind is CELL_INVALID there. Default: none, so the column has
   * the texts of its cells.
   */
  readonly as?: ColumnSpec
}

/**
 * A function that makes columns of one kind. With `notNull: true` no cell is null.
 * @typeParam O the options that only this kind has
 */
export interface ColumnKind<V, O = unknown> {
  (options: NotNull & O): ColumnSpec<NonNullable<V>>
  (options?: ColumnOptions & O): ColumnSpec<V>
}

/** The cell as text. */
export const text: ColumnKind<CellTypes['text']> = kind('text')
/** A whole number of 32 bits: digits with an optional minus in front. */
export const int32: ColumnKind<CellTypes['int32']> = kind('int32')
/** A whole number of 64 bits as a bigint, which is text in JSON. */
export const int64: ColumnKind<CellTypes['int64']> = kind('int64')
/**
 * A decimal number with the exact text of the file, such as a price: no exponent. With `scale` a
 * number that has more digits behind the point, zeros at its end apart, or more than 38 digits with
 * those of the scale, is CELL_INVALID; sinks make a column of that scale.
 */
export const decimal: ColumnKind<CellTypes['decimal'], { readonly scale?: number }> =
  kind('decimal')
/** A double, with or without exponent. NaN, Infinity and numbers beyond a double are refused. */
export const float64: ColumnKind<CellTypes['float64']> = kind('float64')
/** `true` or `false`, case-insensitive. */
export const boolean: ColumnKind<CellTypes['boolean']> = kind('boolean')
/**
 * A day of the calendar as the text `yyyy-MM-dd`. It is no Date, because a day has no time zone:
 * the midnight of one zone is the day before in another.
 */
export const date: ColumnKind<CellTypes['date']> = kind('date')
/** An instant in UTC, `yyyy-MM-ddThh:mm:ss.sssZ`, with or without milliseconds. */
export const timestamp: ColumnKind<CellTypes['timestamp']> = kind('timestamp')
/** Name and value pairs in base64 (service-notes.md, section 6.2), as a list. */
export const aspects: ColumnKind<CellTypes['aspects']> = kind('aspects')
/** Names with several values in base64 (service-notes.md, section 6.2), as a list. */
export const conditionDescriptors: ColumnKind<CellTypes['conditionDescriptors']> =
  kind('conditionDescriptors')
/** Countries and regions (item-feeds.md, section 2.5). */
export const regions: ColumnKind<CellTypes['regions']> = kind('regions')

/** A JSON value of an unknown type; null for an empty cell. */
export function json(options: ColumnOptions = {}): ColumnSpec<unknown> {
  return specOf({ type: 'json' }, options)
}

/**
 * One of the given texts, which is the type of the cell. With options the texts are an array:
 * `oneOf(['red', 'green'], { notNull: true })`.
 * @example
 * ```ts
 * import { defineSchema, oneOf, pipeline, TsvRowParser } from 'feedmill'
 *
 * const schema = defineSchema({ name: 'paint', columns: { colour: oneOf('red', 'green') } })
 * const [row] = await pipeline([Buffer.from('colour\nred\n')])
 *   .to(new TsvRowParser({ schema }))
 *   .toArray()
 * const colour: 'red' | 'green' | null | undefined = row?.get('colour')
 * console.log(colour)
 * // => red
 * ```
 */
export function oneOf<const T extends string>(values: readonly T[], options: NotNull): ColumnSpec<T>
export function oneOf<const T extends string>(
  values: readonly T[],
  options?: ColumnOptions,
): ColumnSpec<T | null>
export function oneOf<const T extends string>(...values: readonly T[]): ColumnSpec<T | null>
export function oneOf(...given: readonly unknown[]): ColumnSpec<string | null> {
  const [first, options] = given as [unknown, object | undefined]
  return Array.isArray(first)
    ? specOf({ type: 'oneOf', values: [...first] }, options)
    : specOf({ type: 'oneOf', values: given as readonly string[] })
}

/**
 * A list of values between separators, frozen; an empty list for an empty cell. Space around values
 * and empty values are dropped.
 * @param separator any text but tabs and line ends, such as `'|'`
 * @param element the kind of the values, without options of a column: `text()` (the default), a number,
 * `boolean()`, `date()`, `timestamp()`, `oneOf(…)` or `cell(…)`
 * @example
 * ```ts
 * import { defineSchema, int32, list, pipeline, TsvRowParser } from 'feedmill'
 *
 * const schema = defineSchema({ name: 'sizes', columns: { sizes: list('|', int32()) } })
 * const [row] = await pipeline([Buffer.from('sizes\n38|40\n')])
 *   .to(new TsvRowParser({ schema }))
 *   .toArray()
 * console.log(row?.get('sizes'))
 * // => [ 38, 40 ]
 * ```
 */
export function list<V = string>(
  separator: string,
  element?: ColumnSpec<V>,
  options?: ColumnOptions,
): ColumnSpec<readonly NonNullable<V>[]> {
  return specOf({ type: 'list', separator, ...(element !== undefined && { element }) }, options)
}

/**
 * What a function of the caller makes of the text of a cell, which is not empty and has no quotes
 * and escapes. The function is synchronous, and depends on the text only: it may be called again
 * for the same cell.
 * What it throws is the cause of CELL_INVALID; a FeedError of another code stays as it is.
 * @example
 * ```ts
 * import { cell, defineSchema, pipeline, TsvRowParser } from 'feedmill'
 *
 * const grams = cell(text => Number.parseFloat(text) * 1000, { empty: 0 })
 * const schema = defineSchema({ name: 'weights', columns: { weight: grams } })
 * const rows = await pipeline([Buffer.from('weight\n1.5 kg\n""\n')])
 *   .to(new TsvRowParser({ schema }))
 *   .toArray()
 * console.log(rows.map(row => row.get('weight')))
 * // => [ 1500, 0 ]
 * ```
 */
export function cell<V>(
  decode: (text: string) => V & NoPromise,
  options: CellOptions<unknown> & NotNull,
): ColumnSpec<V>
export function cell<V, const E = null>(
  decode: (text: string) => V & NoPromise,
  options: CellOptions<E> & { readonly empty: E },
): ColumnSpec<V | E>
export function cell<V>(
  decode: (text: string) => V & NoPromise,
  options?: Omit<CellOptions<null>, 'empty'>,
): ColumnSpec<V | null>
export function cell(
  decode: (text: string) => unknown,
  options?: CellOptions<unknown>,
): ColumnSpec<unknown> {
  return specOf({ type: 'cell', decode }, options)
}

function kind<T extends keyof CellTypes>(type: T): ColumnKind<CellTypes[T]> {
  // An object of this kind has cells of this type.
  return ((options?: ColumnOptions) => specOf({ type }, options)) as ColumnKind<CellTypes[T]>
}

function specOf<V>(parts: Omit<ColumnSpec, '__cell'>, options: object = {}): ColumnSpec<V> {
  // `__cell` exists for the compiler only.
  return { ...is.anObject('options', options), ...parts } as ColumnSpec<V>
}
