// What a kind of cells is, in every direction: from text and bytes to values, from there to the
// arrays of Arrow, to text and to databases, and from what callers give back to values. Each kind has
// a file of its own, and all-kinds.ts has the table of them.

import { excerpt, FeedError } from '../../errors'
import type { ColumnSpec } from '../../schema/column-spec'
import type { CellType } from '../../schema/values'
import type { ArrowType } from '../columns/arrow-type'

/** How the WebAssembly module reads or writes cells, as kinds.ts of the module names it. */
export type CellKind =
  | 'MADE'
  | 'TEXT_CELL'
  | 'INT32'
  | 'INT64'
  | 'FLOAT64'
  | 'DECIMAL'
  | 'ANY_DECIMAL'
  | 'BOOLEAN'
  | 'DAY'
  | 'TIME'
  | 'JSON_CELL'
  | 'CHOICE'
  | 'LIST'
  | 'LIST_AS_ARRAY'
  | 'LIST_OF_LITERALS'
  | 'REGIONS'
  | 'ASPECTS'
  | 'DESCRIPTORS'

/** A notation of rows as text. */
export type Notation = 'JSON' | 'COPY' | 'CSV'

/** Types that SQL has for single values. The time of a timestamp is that of UTC. */
export type SqlScalar =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'numeric'
  | 'double precision'
  | 'boolean'
  | 'date'
  | 'timestamp'

/** What a kind has for all of its columns, or makes of the parameters of each. */
export type OfColumn<T> = T | ((spec: ColumnSpec, all: AllKinds) => T)

/** The other kinds, which the file of a kind cannot import. */
export interface AllKinds {
  readonly kinds: Readonly<Record<CellType, KindOfCells>>
  decoderOf(spec: ColumnSpec): CellDecoder
  arrowTypeOf(spec: ColumnSpec): ArrowType
}

/** What the parts of a caller's object become. */
export interface ObjectParts {
  /** @throws FeedError CELL_INVALID without a position */
  checkedValue(spec: ColumnSpec, value: NonNullable<unknown>): unknown
  /** Returns the JSON of an object; undefined for one without JSON. */
  jsonOf(value: object): string | undefined
}

export interface KindOfCells<V = unknown> {
  readonly decoder: OfColumn<CellDecoder<V>>
  readonly arrow: OfColumn<ArrowType>
  /** What decodes its cells in the module. Left out: only `decoder` does. */
  readonly kernel?: CellKind
  /**
   * How the module writes its cells where it does not write their values: the text of the file with
   * the quotes and escapes of the notation (`TEXT_CELL`), or without any (`MADE`).
   */
  readonly written?: { readonly [N in Notation]?: CellKind }
  /** True where JSON has its values without quotes. */
  readonly isLiteral?: true
  /** True where a value can be changed, so that each row has its own list of them. */
  readonly isMutable?: true
  readonly mayHaveBigInts?: true
  readonly order?: ValueOrder<NonNullable<V>>
  /** The type that databases have for its values. Left out: none, so they are JSON. */
  readonly scalar?: SqlScalar
  /**
   * Returns the value of a cell for an object of a caller; undefined where the object is none. The
   * kinds without it have no objects as values, apart from `json` and `cell`, which take any value.
   */
  fromObject?(value: object, spec: ColumnSpec, parts: ObjectParts): unknown
  /**
   * Writes a value for people. Left out: as its text.
   * @param plainText returns the text of a value inside of it
   */
  readable?(value: NonNullable<V>, plainText: (value: unknown) => string): string
}

/** The order of values, by a number for each. */
export interface ValueOrder<V> {
  /** Large numbers become the nearest double. */
  numberOf(value: V): number
  /** Returns the value of a number as text. Left out: the number is the value. */
  textOf?(number: number): string
  /** True where the module finds the lowest and the highest value. */
  readonly isInModule: boolean
}

// How cells become values.

export interface CellDecoder<V = unknown> {
  /**
   * The value of an empty cell, and of a column that the file lacks. All rows share it, and that of
   * a built-in kind is frozen.
   */
  readonly empty: V
  /**
   * Decodes a text that is not empty, without quotes and escapes.
   * @throws FeedError CELL_INVALID without a position
   */
  decode(text: string): V
  /**
   * Reads a cell of at least one byte, which may be two quotes without text. `slot` is the place of
   * the row in its batch. It returns undefined where the bytes are not plainly good, and then
   * `decode` decides. So the two can differ in speed only.
   * @throws FeedError CELL_INVALID without a position
   */
  read(source: CellSource, slot: number, start: number, end: number): V | undefined
}

/** The value of an empty cell of a list. */
export const EMPTY_LIST: readonly never[] = /* @__PURE__ */ Object.freeze([])

/** A block of bytes with the texts of its cells. */
export interface CellSource {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly view: DataView
  /** The byte before an escaped quote; -1 where quotes are text. */
  readonly escapedBy: number
  /** A cell's text without quotes and escapes. `slot` is the number of its row in the block. */
  textBetween(slot: number, start: number, end: number): string
  /** The text of a cell that is not empty, as a string that shares no memory and may be kept. */
  ownText(start: number, end: number): string
}

/**
 * The error of all decoders for `text`, which cannot be read as `type` because of `reason`. The row
 * that reads the cell adds the position.
 */
export function invalidCell(
  type: CellType,
  reason: string,
  text: string,
  cause?: unknown,
): FeedError<'CELL_INVALID'> {
  if (isUnseen) return UNSEEN
  return new FeedError(
    'CELL_INVALID',
    `not readable as ${type}: ${reason}`,
    { type, reason, excerpt: excerpt(text) },
    { cause },
  )
}

let isUnseen = false
/** Stands for all errors that nobody sees. */
export const UNSEEN = /* @__PURE__ */ new FeedError('CELL_INVALID', 'not readable', {
  type: 'text',
  reason: '',
})

/**
 * Calls `read`, in which all bad cells have one error where nobody sees it, because an error costs
 * a hundred times as much as a cell. A function of the caller sees the errors that it causes.
 */
export function withErrors<T>(areSeen: boolean, read: () => T): T {
  const wasUnseen = isUnseen
  isUnseen = !areSeen
  try {
    return read()
  } finally {
    isUnseen = wasUnseen
  }
}

export function isBadCell(error: unknown): error is FeedError<'CELL_INVALID'> {
  return FeedError.is(error) && error.code === 'CELL_INVALID'
}
